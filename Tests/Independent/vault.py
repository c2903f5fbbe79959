"""Opens a vault with its passphrase, as docs/design/vault-format.md has it, and tells the secrets in it.

Written from that page, sharing nothing with the product.
"""
import base64
import hashlib
import json
import uuid

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def root_key(folder, passphrase):
    header = json.loads((folder / "vault.json").read_text())
    (slot,) = [slot for slot in header["slots"] if slot["kind"] == "passphrase"]
    n, r, p, salt = slot["n"], slot["r"], slot["p"], decoded(slot["salt"])
    key = hashlib.scrypt(passphrase.encode(), salt=salt, n=n, r=r, p=p, maxmem=1 << 28, dklen=32)
    names = uuid.UUID(header["vault"]).bytes + uuid.UUID(header["key"]).bytes
    about = b"bskyauth vault 1 slot" + names + f"passphrase {n} {r} {p} ".encode() + salt
    return opened(key, decoded(slot["wrapped"]), about)


def opened(key, sealed, about):
    return AESGCM(key).decrypt(sealed[:12], sealed[12:], about)


def record(root, file, purpose, owner):
    """The plaintext of a sealed file."""
    info = f"bskyauth vault 1 {purpose}".encode() + b"\0" + uuid.UUID(owner).bytes
    key = HKDF(hashes.SHA256(), 32, salt=None, info=info).derive(root)
    content = file.read_bytes()
    return json.loads(opened(key, content[51:], content[:63]))


def private_keys(value):
    """What is private in each JWK of a JSON value."""
    if isinstance(value, dict):
        yield from [value["d"]] if "d" in value else []
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from private_keys(each)


def secrets(folder, passphrase):
    """Every secret of the vault, by what it is, in the forms in which it could be written: text or bytes."""
    root = root_key(folder, passphrase)
    found = {"passphrase": [passphrase.encode()], "vault key": forms(root)}
    for file in folder.glob("accounts/*/session"):
        session = record(root, file, "session", file.parent.name)
        for name in "access_token", "refresh_token":
            found[name] = [session[name].encode()]
        found["dpop key"] = [form for key in private_keys(session) for form in forms(decoded(key))]
    for file in folder.glob("clients/*"):
        if file.suffix != ".copy":
            client = record(root, file, "client", file.name)
            found["client key"] = [form for key in private_keys(client) for form in forms(decoded(key))]
    return found


def forms(key):
    """A key as bytes, in hexadecimal, and in both kinds of Base64."""
    plain = base64.b64encode(key).rstrip(b"=")
    return [key, key.hex().encode(), plain, plain.translate(bytes.maketrans(b"+/", b"-_"))]
