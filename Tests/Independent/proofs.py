"""Verifies DPoP proofs (RFC 9449 §4.3 and the AT Protocol profile) with joserfc and with cryptography alone.

Written from the RFC, sharing nothing with the product or the sandbox.
"""
import base64
import hashlib
import json

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import ECKey


# Where a client of the authorization server proves its key.
ENDPOINTS = {"/oauth/par", "/oauth/token", "/oauth/revoke"}

# What a public key of P-256 consists of.
MEMBERS = {"kty", "crv", "x", "y"}


class Refused(Exception):
    pass


def require(condition, reason):
    if not condition:
        raise Refused(reason)


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    require(encode(data) == text, "base64url")
    return data


def verify(proof, method, url, arrived, token=None, members=MEMBERS):
    """The thumbprint of the key and the claims; raises ``Refused`` otherwise.

    ``url`` is where the request went, without its query; ``token`` is the access token it carried.
    ``members`` are those that the key may have.
    """
    parts = proof.split(".")
    require(len(parts) == 3, "not a compact JWS")
    header, claims = json.loads(decode(parts[0])), json.loads(decode(parts[1]))
    require(header.get("typ") == "dpop+jwt", "typ")
    require(header.get("alg") == "ES256", "alg")
    key = header.get("jwk")
    require(isinstance(key, dict), "jwk")
    require(MEMBERS <= set(key) <= members, "jwk members")
    require(key["kty"] == "EC" and key["crv"] == "P-256", "jwk curve")
    verify_with_joserfc(proof, key)
    verify_with_cryptography(parts, key)
    required = json.dumps({name: key[name] for name in ("crv", "kty", "x", "y")}, separators=(",", ":"))
    thumbprint = encode(hashlib.sha256(required.encode()).digest())
    require(thumbprint == ECKey.import_key(key).thumbprint(), "thumbprint")

    require(isinstance(claims.get("jti"), str) and len(claims["jti"]) >= 16, "jti")
    require(claims.get("htm") == method, "htm")
    require(claims.get("htu") == url, "htu")
    require(type(claims.get("iat")) is int, "iat")
    require(arrived - 60 < claims["iat"] <= arrived, "iat out of time")
    if token is None:
        require("ath" not in claims, "ath without a token")
    else:
        require(claims.get("ath") == encode(hashlib.sha256(token.encode()).digest()), "ath")
    return thumbprint, claims


def verify_with_joserfc(proof, key):
    # Its registry knows no header of DPoP's, and is told the one there is.
    registry = jws.JWSRegistry(algorithms=["ES256"], strict_check_header=False)
    try:
        jws.deserialize_compact(proof, ECKey.import_key(key), registry=registry)
    except (JoseError, ValueError) as error:
        raise Refused(f"signature, says joserfc: {error}") from error


def verify_with_cryptography(parts, key):
    signature, x, y = decode(parts[2]), decode(key["x"]), decode(key["y"])
    require(len(signature) == 64 and len(x) == 32 and len(y) == 32, "lengths")
    numbers = [int.from_bytes(bytes_, "big") for bytes_ in (x, y, signature[:32], signature[32:])]
    try:
        public = ec.EllipticCurvePublicNumbers(numbers[0], numbers[1], ec.SECP256R1()).public_key()
        signed = ".".join(parts[:2]).encode()
        public.verify(encode_dss_signature(*numbers[2:]), signed, ec.ECDSA(hashes.SHA256()))
    except (InvalidSignature, ValueError) as error:
        raise Refused("signature, says cryptography") from error


def verify_recording(exchanges, pds):
    """Verifies every proof of a recording, and what they have to do with each other.

    Returns the exchanges of each session, by the thumbprint of its key. ``pds`` is the host of the PDS.
    """
    sessions, identifiers, nonces, owners = {}, set(), {}, {}
    for exchange in exchanges:
        at_pds = exchange.host == pds and exchange.path.startswith("/xrpc/")
        at_issuer = exchange.method == "POST" and exchange.path in ENDPOINTS
        found, credentials = exchange.values("dpop"), exchange.values("authorization")
        if not (at_pds or at_issuer):
            require(not found and not credentials, "a proof or token where none belongs")
            continue
        require(len(found) == 1, "one proof a request")
        require(exchange.values("host") == [exchange.host], "host")
        token = None
        if at_pds:
            require(len(credentials) == 1 and credentials[0].startswith("DPoP "), "authorization")
            token = credentials[0].removeprefix("DPoP ")
        else:
            require(not credentials, "a token at the issuer")
        url = f"https://{exchange.host}{exchange.path}"
        thumbprint, claims = verify(found[0], exchange.method, url, exchange.arrived, token)
        require(claims["jti"] not in identifiers, "jti used again")
        identifiers.add(claims["jti"])
        if token:
            require(owners.get(token) == thumbprint, "a token of another session's key")

        # A nonce is one that this host gave to this session. Without one come a session's first request to a
        # host, and the revocation by a login that replaces the session and knows nothing but its record.
        known = nonces.setdefault((exchange.host, thumbprint), set())
        if "nonce" in claims:
            require(claims["nonce"] in known, "a nonce this host never gave to this session")
        else:
            require(not known or exchange.path == "/oauth/revoke", "no nonce, though one was given")
            require(b"use_dpop_nonce" in exchange.answer, "accepted without a nonce")
        if given := exchange.answer_value("dpop-nonce"):
            known.add(given)
        if exchange.path == "/oauth/token" and exchange.status == 200:
            owners[json.loads(exchange.answer)["access_token"]] = thumbprint
        sessions.setdefault(thumbprint, []).append(exchange)
    return sessions
