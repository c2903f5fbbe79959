"""A program that holds a session key, and asks a client assertion backend for assertions."""
import base64
import hashlib
import json
import secrets
import time
import urllib.parse

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature

import parts

PATH = "/oauth/client-assertion"
ES256 = ec.ECDSA(hashes.SHA256())


def encode(data):
    if not isinstance(data, bytes):
        data = json.dumps(data, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Prover:
    """One session key. What a test changes of a proof is passed to `proof`."""

    def __init__(self, server, client="192.0.2.1"):
        self.server, self.client = server, client
        self.key = ec.generate_private_key(ec.SECP256R1())
        numbers = self.key.public_key().public_numbers()
        self.jwk = {
            "crv": "P-256", "kty": "EC", "x": encode(numbers.x.to_bytes(32)), "y": encode(numbers.y.to_bytes(32))}
        self.thumbprint = encode(hashlib.sha256(json.dumps(self.jwk, separators=(",", ":")).encode()).digest())
        self.nonce = None

    def proof(self, header=None, signer=None, **claims):
        head = {"typ": "dpop+jwt", "alg": "ES256", "jwk": self.jwk, **(header or {})}
        body = {
            "jti": secrets.token_urlsafe(16), "htm": "POST", "htu": self.server.base + PATH, "iat": int(time.time()),
            "nonce": self.nonce, **claims}
        message = f"{encode(head)}.{encode({name: value for name, value in body.items() if value is not None})}"
        r, s = decode_dss_signature((signer or self).key.sign(message.encode(), ES256))
        return f"{message}.{encode(r.to_bytes(32) + s.to_bytes(32))}"

    def send(self, proof, headers=(), aud="https://as.example.com", **fields):
        """Sends one request with a proof, or without one."""
        fields = {"aud": aud, **fields}
        body = urllib.parse.urlencode({name: value for name, value in fields.items() if value is not None}).encode()
        headers = [
            ("content-type", "application/x-www-form-urlencoded"), ("x-forwarded-for", self.client), *headers]
        if proof is not None:
            headers.append(("dpop", proof))
        answer = self.server.send("POST", PATH, body, headers)
        assert answer.headers["cache-control"] == "no-store"
        self.nonce = answer.headers["dpop-nonce"] or self.nonce
        if answer.status == 200:
            # The one thing in an answer of a server that looks like a token, and is meant to be there.
            assertion = answer.json["client_assertion"]
            place = next(index for index, text in enumerate(parts.ANSWERS) if assertion in text)
            parts.ANSWERS[place] = parts.ANSWERS[place].replace(assertion, "ASSERTION")
        return answer

    def ask(self, headers=(), **fields):
        """Asks as a program does: once more if the server wants a nonce."""
        answer = self.send(self.proof(), headers, **fields)
        if answer.status == 400 and answer.json["error"] == "use_dpop_nonce":
            answer = self.send(self.proof(), headers, **fields)
        return answer


class Assertion:
    """An assertion, whose signature is checked with the published keys."""

    def __init__(self, server, text):
        head, body, signature = text.split(".")
        self.header, self.claims = json.loads(decode(head)), json.loads(decode(body))
        keys = {key["kid"]: key for key in server.get("/oauth/jwks.json").json["keys"]}
        key = keys[self.header["kid"]]
        numbers = ec.EllipticCurvePublicNumbers(
            *(int.from_bytes(decode(key[name])) for name in "xy"), ec.SECP256R1())
        signature = decode(signature)
        numbers.public_key().verify(
            encode_dss_signature(int.from_bytes(signature[:32]), int.from_bytes(signature[32:])),
            f"{head}.{body}".encode(), ES256)
