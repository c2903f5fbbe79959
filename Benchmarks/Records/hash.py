"""Decodes a CAR file with libipld, which does not hash, and hashes every block: `hash.py FILE`.

With `--decode` after it, the blocks are only decoded.
"""
import sys
from hashlib import sha256

import libipld

PREFIXES = (b"\x01\x71\x12\x20", b"\x01\x55\x12\x20")


def hashed(data):
    """How many blocks have the SHA-256 that their identifiers say."""
    view, position, count = memoryview(data), 0, -1
    while position < len(data):
        length = shift = 0
        while True:
            byte = data[position]
            position += 1
            length |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
        # The header is no block.
        if count >= 0:
            if data[position:position + 4] not in PREFIXES:
                raise ValueError("a block has another kind of identifier")
            if sha256(view[position + 36:position + length]).digest() != data[position + 4:position + 36]:
                raise ValueError("a block has another SHA-256")
        position += length
        count += 1
    return count


def main(path, only_decode=False):
    with open(path, "rb") as file:
        data = file.read()
    _, blocks = libipld.decode_car(data)
    if not only_decode and hashed(data) < len(blocks):
        raise ValueError("blocks are missing")


main(*sys.argv[1:])
