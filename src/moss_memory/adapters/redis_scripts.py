"""What the Desk does in one step on the server: Lua, each step over the keys of one tenant."""

from dataclasses import dataclass
from hashlib import sha1
from typing import Final


@dataclass(frozen=True, slots=True)
class Script:
    """A Lua source and the name that EVALSHA knows it by."""

    source: str

    @property
    def sha(self) -> str:
        """Return the digest that the protocol prescribes; it protects nothing."""
        return sha1(self.source.encode(), usedforsecurity=False).hexdigest()


# A list outlives its longest-lived member, never by more than that.
_LASTING: Final = """
local function last(key, life)
  if redis.call('PTTL', key) < tonumber(life) then redis.call('PEXPIRE', key, life) end
end
"""

# KEYS: value, asked, the principal's list, the scopes' lists.
# ARGV: now, expiry, life in ms, cap, list member, scope member, value, ids that are lost.
# A list's members are "id =fingerprint", scored by expiry, so that one key answers both the cap
# and the question whether the same was asked already; a scope's are "principal id".
# The first write is a SET: a script that has written anything is not stopped at maxmemory.
HOLD: Final = Script(
    _LASTING
    + """
local list, member, scoped, life = KEYS[3], ARGV[5], ARGV[6], ARGV[3]
local id, fingerprint = string.match(member, '^(%S+) (%S+)$')
local gone = {}
for name in string.gmatch(ARGV[8], '%S+') do gone[name] = true end
local open, stale = 0, {}
for _, listed in ipairs(redis.call('ZRANGEBYSCORE', list, '(' .. ARGV[1], '+inf')) do
  local other, asked = string.match(listed, '^(%S+) (%S+)$')
  if asked == fingerprint and not gone[other] then return {'open', other} end
  if gone[other] or other == id then stale[#stale + 1] = listed else open = open + 1 end
end
if open >= tonumber(ARGV[4]) then return {'full', ''} end
redis.call('SET', KEYS[1], ARGV[7], 'PX', life)
redis.call('SET', KEYS[2], string.match(scoped, '^%S+'), 'PX', life)
for _, listed in ipairs(stale) do redis.call('ZREM', list, listed) end
redis.call('ZREMRANGEBYSCORE', list, '-inf', ARGV[1])
redis.call('ZADD', list, ARGV[2], member)
last(list, life)
for i = 4, #KEYS do
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', ARGV[1])
  redis.call('ZADD', KEYS[i], ARGV[2], scoped)
  last(KEYS[i], life)
end
return {'held', id}
"""
)

# KEYS: lists. ARGV: now. The members of each that have not expired.
LIST: Final = Script("""
local found = {}
for i, key in ipairs(KEYS) do
  found[i] = redis.call('ZRANGEBYSCORE', key, '(' .. ARGV[1], '+inf')
end
return found
""")

# KEYS: value, asked, the principal's list, the scopes' lists. ARGV: list member, scope member.
DROP: Final = Script("""
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('ZREM', KEYS[3], ARGV[1])
for i = 4, #KEYS do redis.call('ZREM', KEYS[i], ARGV[2]) end
""")

# KEYS: value, the principal's list of kept keys. ARGV: now, expiry, life in ms, epoch, value.
# The epoch is read from the head of the sealed value that lies there; what is no string of ours
# is overwritten.
KEEP: Final = Script(
    _LASTING
    + """
local kept = redis.pcall('GET', KEYS[1])
local epoch = type(kept) == 'string' and string.match(kept, '^%x+ {"epoch":(%d+),')
if epoch and tonumber(epoch) > tonumber(ARGV[4]) then return 0 end
redis.call('SET', KEYS[1], ARGV[5], 'PX', ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[1])
redis.call('ZADD', KEYS[2], ARGV[2], KEYS[1])
last(KEYS[2], ARGV[3])
return 1
"""
)

# KEYS: value, the principal's list of kept keys.
END: Final = Script("""
redis.call('ZREM', KEYS[2], KEYS[1])
return redis.call('DEL', KEYS[1])
""")
