// Elements made of values. Everything a person or a server said becomes text, never markup.

export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.className = value;
    else if (name === "value") node.value = value;
    else if (value === true) node.setAttribute(name, "");
    else node.setAttribute(name, String(value));
  }
  return put(node, children);
}

export function svg(tag, props = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(props)) node.setAttribute(name, String(value));
  return put(node, children);
}

export function fill(node, ...children) {
  node.replaceChildren();
  return put(node, children);
}

// Make `nodes` the children of a parent; those that stay are not moved, and keep the focus.
export function keep(parent, nodes) {
  const wanted = new Set(nodes);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  let at = parent.firstChild;
  for (const node of nodes) {
    if (node === at) at = at.nextSibling;
    else parent.insertBefore(node, at);
  }
}

function put(node, children) {
  node.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

// Words of the other language say so, for whoever reads them aloud: "ko" on an English page.
export function tongue(text) {
  const said = /[가-힣]/.test(text) ? "ko" : /[A-Za-z]{2}/.test(text) ? "en" : null;
  return said === document.documentElement.lang ? null : said;
}

export function field(label, control) {
  return el("label", {}, el("span", {}, label), control);
}

export function chip(text, kind = "") {
  return el("span", { class: `chip ${kind}` }, text);
}

export function options(pairs) {
  return pairs.map(([value, text]) => el("option", { value }, text));
}

// A table that stays a table for a screen reader where a narrow window shows its rows as cards.
export function table(props, heads, rows) {
  return el("table", { role: "table", ...props },
    el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, heads.map((head) => el("th", { scope: "col", role: "columnheader" }, head)))),
    el("tbody", { role: "rowgroup" }, rows));
}

export function row(props, heads, cells) {
  return el("tr", { role: "row", ...props }, cells.map((cell, at) => el("td", { role: "cell", "data-head": heads[at] }, cell)));
}
