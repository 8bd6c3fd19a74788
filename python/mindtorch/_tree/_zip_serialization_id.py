"""The id of torch.save's files, which depends on the order in which libstdc++ iterates over a hash set of record
names."""

_MASK = (1 << 64) - 1
_MULTIPLIER = (0xC6A4A793 << 32) + 0x5BD1E995
_SEED = 0xC70F6907
# The bucket counts to which std::unordered_set grows.
_BUCKETS = (13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10273, 20753, 42043, 85229, 172933, 351061, 712697, 1447153)


def _shift_mix(value):
    return value ^ (value >> 47)


def _hash_name(name):
    """std::hash<std::string> of libstdc++ on 64 bits: MurmurHash64A with a fixed seed."""
    value = _SEED ^ (len(name) * _MULTIPLIER & _MASK)
    whole = len(name) & ~7
    for i in range(0, whole, 8):
        word = int.from_bytes(name[i : i + 8], "little")
        value ^= _shift_mix(word * _MULTIPLIER & _MASK) * _MULTIPLIER & _MASK
        value = value * _MULTIPLIER & _MASK
    if len(name) > whole:
        value ^= int.from_bytes(name[whole:], "little")
        value = value * _MULTIPLIER & _MASK
    return _shift_mix(_shift_mix(value) * _MULTIPLIER & _MASK)


def _combine_hashes(seed, value):
    """boost's hash_combine."""
    return seed ^ (value + 0x9E3779B9 + (seed << 6) + (seed >> 2) & _MASK)


class _Node:
    __slots__ = ("hash", "next")

    def __init__(self, hash):
        self.hash = hash
        self.next = None


class _HashSet:
    """A chain of nodes in the order of std::unordered_set: each bucket is a run, new buckets come first."""

    def __init__(self):
        self._head = _Node(None)
        self._before = {}  # bucket -> the node before its first
        self._size = 0
        self._buckets = 1

    def add(self, hash):
        if self._size + 1 > (self._buckets if self._buckets > 1 else 0):
            wanted = 13 if self._buckets == 1 else 2 * self._buckets
            self._rehash(next(count for count in _BUCKETS if count >= wanted))
        node, bucket = _Node(hash), hash % self._buckets
        if bucket in self._before:
            before = self._before[bucket]
            node.next, before.next = before.next, node
        else:
            node.next, self._head.next = self._head.next, node
            if node.next:
                self._before[node.next.hash % self._buckets] = node
            self._before[bucket] = self._head
        self._size += 1

    def _rehash(self, buckets):
        node, self._head.next, self._before = self._head.next, None, {}
        first_bucket = None
        while node:
            following, bucket = node.next, node.hash % buckets
            if bucket in self._before:
                before = self._before[bucket]
                node.next, before.next = before.next, node
            else:
                node.next, self._head.next = self._head.next, node
                self._before[bucket] = self._head
                if node.next:
                    self._before[first_bucket] = node
                first_bucket = bucket
            node = following
        self._buckets = buckets

    def __iter__(self):
        node = self._head.next
        while node:
            yield node.hash
            node = node.next


class SerializationId:
    """Collects record names and checksums; `text` is the content of the record `.data/serialization_id`."""

    def __init__(self):
        self._names = _HashSet()
        self._checksums = 0

    def add(self, name, crc):
        self._names.add(_hash_name(name.encode()))
        if crc is not None:  # an empty record has none
            self._checksums = _combine_hashes(self._checksums, crc)

    def text(self):
        names = 0
        for value in self._names:
            names = _combine_hashes(names, value)
        return f"{names:020d}{self._checksums:020d}"
