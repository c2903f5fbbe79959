"""Verifies client assertions (RFC 7523 §3 and the AT Protocol profile) with joserfc.

Written from the RFC and the protocol, sharing nothing with the product or the sandbox.
"""
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from proofs import ENDPOINTS, Refused, require

TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


def verify(assertion, document, issuer, arrived):
    """The key's id and the claims; raises ``Refused`` otherwise.

    ``document`` is the client's, as it is published. ``arrived`` is the server's time.
    """
    published = KeySet.import_key_set(document["jwks"])
    try:
        token = jwt.decode(assertion, published, algorithms=["ES256"])
    except (JoseError, ValueError) as error:
        raise Refused(f"signature, says joserfc: {error}") from error
    kid, claims = token.header.get("kid"), token.claims
    require(kid in {key.thumbprint() for key in published.keys}, "kid is no thumbprint")
    require(claims.get("iss") == claims.get("sub") == document["client_id"], "iss or sub")
    require(claims.get("aud") == issuer, "aud")
    require(isinstance(claims.get("jti"), str) and len(claims["jti"]) >= 16, "jti")
    require(type(claims.get("iat")) is int, "iat")
    require(arrived - 50 <= claims["iat"] <= arrived, "iat out of time")
    require(type(claims.get("exp")) is int, "exp")
    require(arrived < claims["exp"] <= claims["iat"] + 60, "exp out of time")
    return kid, claims


def verify_recording(exchanges, document, issuer):
    """Verifies the assertion of every request to the issuer; the ids of the keys, one a request."""
    keys, identifiers = [], set()
    for exchange in exchanges:
        if exchange.path not in ENDPOINTS:
            require("client_assertion" not in exchange.form, "an assertion where none belongs")
            continue
        form = exchange.form
        require(form.get("client_id") == document["client_id"], "client_id")
        require(form.get("client_assertion_type") == TYPE, "client_assertion_type")
        kid, claims = verify(form.get("client_assertion", ""), document, issuer, exchange.arrived)
        require(claims["jti"] not in identifiers, "jti used again")
        identifiers.add(claims["jti"])
        keys.append(kid)
    return keys
