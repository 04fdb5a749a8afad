# syntax=docker/dockerfile:1
FROM python:3.12.12-slim-bookworm AS build
WORKDIR /build
RUN python -m venv /opt/moss-memory
COPY pyproject.toml README.md alembic.ini ./
COPY migrations migrations
COPY src src
RUN /opt/moss-memory/bin/pip install --no-cache-dir --disable-pip-version-check ".[mcp,calendar]"

FROM python:3.12.12-slim-bookworm
RUN groupadd --system --gid 10001 moss \
 && useradd --system --uid 10001 --gid moss --home-dir /data --shell /usr/sbin/nologin moss \
 && install --directory --owner=moss --group=moss --mode=0750 /data
COPY --from=build /opt/moss-memory /opt/moss-memory
ENV PATH=/opt/moss-memory/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    MOSS_AUTH=keys \
    MOSS_HOST=0.0.0.0 \
    MOSS_PORT=8000 \
    MOSS_DATABASE_URL=sqlite:////data/moss-memory.sqlite3
WORKDIR /data
USER 10001:10001
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["python", "-c", "import os, urllib.request as r; r.urlopen(f'http://127.0.0.1:{os.environ[\"MOSS_PORT\"]}/livez', timeout=2)"]
ENTRYPOINT ["moss-memory"]
CMD ["serve"]
