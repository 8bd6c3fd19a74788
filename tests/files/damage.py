"""Damages files: truncates, flips bits, splices, overwrites, and falsifies the fields of zip archives."""

import struct

SUSPECTS = [0, 1, 2, 3, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFE, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 32]
SUSPECTS += [(1 << 40) - 1, 1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]


def truncate_file(random, data, others):
    return data[: random.randrange(len(data))]


def flip_bits(random, data, others):
    data = bytearray(data)
    for _ in range(random.choice([1, 1, 2, 4, 16])):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return bytes(data)


def splice_two_files(random, data, others):
    """Joins the head of one file and the tail of another."""
    other = random.choice(others)
    return data[: random.randrange(len(data))] + other[random.randrange(len(other)) :]


def overwrite_bytes(random, data, others):
    start = random.randrange(len(data))
    length = min(random.choice([1, 4, 16, 100]), len(data) - start)
    filling = random.choice([bytes(length), b"\xff" * length, random.randbytes(length)])
    return data[:start] + filling + data[start + length :]


def move_piece(random, data, others):
    """Removes, duplicates or moves a piece."""
    start = random.randrange(len(data))
    piece = data[start : start + random.choice([1, 2, 8, 64, 300])]
    without = data[:start] + data[start + len(piece) :]
    place = random.randrange(len(without) + 1)
    return random.choice([without, data[:start] + piece + data[start:], without[:place] + piece + without[place:]])


def write_suspect_number(random, data, others):
    """Writes a number at the edge of its range at a random position."""
    width, layout = random.choice([(1, "<B"), (2, "<H"), (4, "<I"), (8, "<Q")])
    start = random.randrange(max(1, len(data) - width))
    value = random.choice(SUSPECTS) % (1 << (8 * width))
    return data[:start] + struct.pack(layout, value) + data[start + width :]


# The fields after the signature of each kind of zip record: offset and width.
ZIP_FIELDS = {
    b"PK\x03\x04": [(6, 2), (8, 2), (14, 4), (18, 4), (22, 4), (26, 2), (28, 2)],
    b"PK\x01\x02": [(8, 2), (10, 2), (16, 4), (20, 4), (24, 4), (28, 2), (30, 2), (32, 2), (34, 2), (38, 4), (42, 4)],
    b"PK\x05\x06": [(4, 2), (6, 2), (8, 2), (10, 2), (12, 4), (16, 4), (20, 2)],
    b"PK\x06\x06": [(4, 8), (16, 4), (20, 4), (24, 8), (32, 8), (40, 8), (48, 8)],
    b"PK\x06\x07": [(4, 4), (8, 8), (16, 4)],
}


def find_offsets(data, signature):
    found, at = [], data.find(signature)
    while at >= 0:
        found.append(at)
        at = data.find(signature, at + 1)
    return found


def falsify_zip_fields(random, data, others):
    """Falsifies one to three fields of the archive's records."""
    data = bytearray(data)
    for _ in range(random.choice([1, 1, 2, 3])):
        signature = random.choice(list(ZIP_FIELDS))
        offsets = find_offsets(data, signature)
        if not offsets:
            continue
        offset, width = random.choice(ZIP_FIELDS[signature])
        at = random.choice(offsets) + offset
        if at + width <= len(data):
            before = int.from_bytes(data[at : at + width], "little")
            near = [before + 1, before - 1, before * 2, len(data), random.getrandbits(8 * width)]
            value = random.choice(SUSPECTS + near)
            data[at : at + width] = (value % (1 << (8 * width))).to_bytes(width, "little")
    return bytes(data)


ANYWHERE = [truncate_file, flip_bits, splice_two_files, overwrite_bytes, move_piece, write_suspect_number]
