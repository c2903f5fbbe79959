"""Makes the CAR file of a repository of posts: `make.py FILE DID RECORDS UNREFERENCED`.

The tree is made from its sorted keys at once, because adding them one after the other takes minutes. The commit is signed
with a new P-256 key, which is printed as a multikey.
"""
import hashlib
import os
import random
import sys

from cbrrr import CID, encode_dag_cbor
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

COLLECTION = "app.bsky.feed.post"
TID_DIGITS = "234567abcdefghijklmnopqrstuvwxyz"
BASE58_DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
WORDS = "it is a truth universally acknowledged that a single record in possession of a signature".split()
#: The size of a block that does not belong to the tree.
UNREFERENCED = 1000


class Car:
    """A CAR file of one root, whose blocks are kept until the end, because the commit comes first."""

    def __init__(self):
        self.sections = []

    def add(self, content):
        cid = CID.cidv1_dag_cbor_sha256_32_from(content)
        self.sections.append(bytes(cid) + content)
        return cid

    def write(self, path, root):
        with open(path, "wb") as file:
            for section in [encode_dag_cbor({"version": 1, "roots": [root]}), *reversed(self.sections)]:
                file.write(varint(len(section)) + section)


def varint(number):
    encoded = b""
    while number > 0x7F:
        encoded += bytes([number & 0x7F | 0x80])
        number >>= 7
    return encoded + bytes([number])


def tid(microseconds):
    number = microseconds << 10
    return "".join(TID_DIGITS[number >> shift & 31] for shift in range(60, -1, -5))


def layer(key):
    """Half the zero bits at the beginning of the key's SHA-256 (atproto.com/specs/repository: MST Structure)."""
    return (256 - int.from_bytes(hashlib.sha256(key).digest()).bit_length()) // 2


def tree(car, entries, height):
    """Adds the nodes of sorted (key, record, layer); the identifier of the topmost one, or None without entries."""
    if not entries:
        return None
    here = [index for index, entry in enumerate(entries) if entry[2] == height]
    ends = [*here[1:], len(entries)]
    left = tree(car, entries[:here[0] if here else None], height - 1)
    previous, packed = b"", []
    for index, end in zip(here, ends):
        key, record, _ = entries[index]
        shared = len(os.path.commonprefix([previous, key]))
        below = tree(car, entries[index + 1:end], height - 1)
        packed.append({"p": shared, "k": key[shared:], "v": record, "t": below})
        previous = key
    return car.add(encode_dag_cbor({"l": left, "e": packed}))


def commit(did, data, key):
    unsigned = {"did": did, "version": 3, "rev": tid(1_767_225_600_000_000), "prev": None, "data": data}
    r, s = decode_dss_signature(key.sign(encode_dag_cbor(unsigned), ec.ECDSA(hashes.SHA256())))
    s = min(s, key.curve.group_order - s)
    return encode_dag_cbor(unsigned | {"sig": r.to_bytes(32) + s.to_bytes(32)})


def multikey(key):
    point = key.public_key().public_bytes(
        serialization.Encoding.X962, serialization.PublicFormat.CompressedPoint)
    number, text = int.from_bytes(b"\x80\x24" + point), ""
    while number:
        number, digit = divmod(number, 58)
        text = BASE58_DIGITS[digit] + text
    return "z" + text


def main(path, did, count, unreferenced):
    car, entries = Car(), []
    choose = random.Random(count)
    for _ in range(int(unreferenced)):
        car.add(encode_dag_cbor({"data": choose.randbytes(UNREFERENCED)}))
    for number in range(int(count)):
        text = " ".join([f"{number}:", *choose.choices(WORDS, k=choose.randrange(5, 40))])
        post = {"$type": COLLECTION, "text": text, "createdAt": "2026-01-01T00:00:00.000Z", "langs": ["en"]}
        key = f"{COLLECTION}/{tid(1_700_000_000_000_000 + number * 60_000_000)}".encode()
        entries.append((key, car.add(encode_dag_cbor(post)), layer(key)))
    data = tree(car, entries, max(entry[2] for entry in entries))
    key = ec.generate_private_key(ec.SECP256R1())
    car.write(path, car.add(commit(did, data, key)))
    print(multikey(key))


main(*sys.argv[1:])
