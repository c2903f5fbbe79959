"""The product's proofs, taken from the wire and verified by other people's libraries."""
import hashlib
import json
import time

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from requests_oauth2client import validate_dpop_proof

import names
import people
import proofs
import recorder as wire


# covers: R49, B5
def test_whole_sessions(network, home, recorder, tmp_path):
    """Two accounts and a second login: every request of theirs, on the wire."""
    blob = tmp_path / "blob"
    blob.write_bytes(bytes(range(256)) * 4000)
    for handle in (names.ALICE, names.BOB, names.ALICE):
        home.succeed("login", handle, BSKYAUTH_TEST_BROWSER=f"as {handle}")
        home.succeed("call", "-a", handle, "com.atproto.server.getSession", "probe==a b&c")
        home.succeed("call", "-a", handle, "com.atproto.repo.uploadBlob", "--input", str(blob))
        home.succeed("refresh", handle, "--force")
        home.succeed("call", "-a", handle, "com.atproto.repo.createRecord", *people.POST)
    home.succeed("logout", "--all", "--yes")

    exchanges = recorder.exchanges()
    sessions = proofs.verify_recording(exchanges, names.PDS)
    assert len(sessions) == 3
    for own in sessions.values():
        assert own[0].path == "/oauth/par" and own[-1].path == "/oauth/revoke" and own[-1].status == 200
        assert {exchange.path for exchange in own} >= {
            "/oauth/par", "/oauth/token", "/oauth/revoke", "/xrpc/com.atproto.server.getSession",
            "/xrpc/com.atproto.repo.uploadBlob", "/xrpc/com.atproto.repo.createRecord",
        }
        tokens = [e.form["refresh_token"] for e in own if "refresh_token" in e.form and e.status == 200]
        assert len(tokens) == len(set(tokens))
    # A third reader of the same proofs; and the journal saw those that were on the wire, each once.
    seen = []
    for exchange in exchanges:
        for proof in exchange.values("dpop"):
            url = f"https://{exchange.host}{exchange.path}"
            seen.append(validate_dpop_proof(proof, htm=exchange.method, htu=url, algs=["ES256"]).jwt_token_id)
    journal = [line["proof"]["payload"]["jti"] for line in network.sandbox.journal() if line["proof"]]
    assert sorted(seen) == sorted(journal)
    # Each session: a push and a call after a challenge each, two grants, two more calls, a revocation.
    assert len(seen) >= 3 * 9


URL = "https://pds.sandbox-net.com/xrpc/com.atproto.server.getSession"
TOKEN = "a.token"
KEY = ec.generate_private_key(ec.SECP256R1())


def sign(header, claims, key=KEY):
    signed = ".".join(proofs.encode(json.dumps(part).encode()) for part in (header, claims))
    r, s = decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
    return signed + "." + proofs.encode(r.to_bytes(32, "big") + s.to_bytes(32, "big"))


def good():
    numbers = KEY.public_key().public_numbers()
    jwk = {
        "kty": "EC", "crv": "P-256",
        "x": proofs.encode(numbers.x.to_bytes(32, "big")), "y": proofs.encode(numbers.y.to_bytes(32, "big")),
    }
    claims = {
        "jti": "0123456789abcdef", "htm": "GET", "htu": URL, "iat": int(time.time()) - 5,
        "ath": proofs.encode(hashlib.sha256(TOKEN.encode()).digest()),
    }
    return {"typ": "dpop+jwt", "alg": "ES256", "jwk": jwk}, claims


def test_the_verifier_takes_a_good_proof():
    proofs.verify(sign(*good()), "GET", URL, time.time(), TOKEN)


@pytest.mark.parametrize(
    "where, name, value, reason",
    [
        ("header", "typ", "JWT", "typ"),
        ("header", "alg", "none", "alg"),
        ("header", "alg", "HS256", "alg"),
        ("header", "jwk", [], "jwk"),
        ("jwk", "d", "AAAA", "jwk members"),
        ("jwk", "crv", "P-384", "jwk curve"),
        ("jwk", "x", lambda x: x[1:] + x[:1], "signature|base64url"),
        ("claims", "jti", None, "jti"),
        ("claims", "htm", "POST", "htm"),
        ("claims", "htu", URL + "?a=b", "htu"),
        ("claims", "htu", URL.replace("pds.", "entryway."), "htu"),
        ("claims", "iat", lambda iat: iat + 10, "iat out of time"),
        ("claims", "iat", float, "iat"),
        ("claims", "ath", None, "ath"),
        ("claims", "ath", lambda ath: ath[::-1], "ath"),
    ],
)
def test_the_verifier_refuses(where, name, value, reason):
    header, claims = good()
    part = {"header": header, "jwk": header["jwk"], "claims": claims}[where]
    if value is None:
        del part[name]
    else:
        part[name] = value(part[name]) if callable(value) else value
    with pytest.raises(proofs.Refused, match=reason):
        proofs.verify(sign(header, claims), "GET", URL, time.time(), TOKEN)


@pytest.mark.parametrize("check", ["joserfc", "cryptography"])
def test_each_library_refuses_a_foreign_signature(check):
    header, claims = good()
    proof = sign(header, claims, ec.generate_private_key(ec.SECP256R1()))
    with pytest.raises(proofs.Refused, match=check):
        if check == "joserfc":
            proofs.verify_with_joserfc(proof, header["jwk"])
        else:
            proofs.verify_with_cryptography(proof.split("."), header["jwk"])


def test_the_verifier_refuses_a_hash_at_the_issuer():
    header, claims = good()
    with pytest.raises(proofs.Refused, match="ath without a token"):
        proofs.verify(sign(header, claims), "GET", URL, time.time())


def exchange():
    proof = sign(*good())
    fields = [("host", names.PDS), ("dpop", proof), ("authorization", f"DPoP {TOKEN}")]
    return wire.Exchange(time.time(), names.PDS, "GET", URL.removeprefix(names.PDS_ORIGIN), fields, b"")


def test_the_verifier_refuses_a_token_of_nobodys_key():
    with pytest.raises(proofs.Refused, match="another session"):
        proofs.verify_recording([exchange()], names.PDS)


def test_the_verifier_refuses_a_request_without_a_proof():
    bare = exchange()
    bare.fields = [field for field in bare.fields if field[0] != "dpop"]
    with pytest.raises(proofs.Refused, match="one proof"):
        proofs.verify_recording([bare], names.PDS)


def test_the_verifier_refuses_a_proof_sent_twice():
    header, claims = good()
    del claims["ath"]
    claims |= {"htm": "POST", "htu": f"{names.ISSUER}/oauth/par"}
    fields = [("host", names.ENTRYWAY), ("dpop", sign(header, claims))]
    challenge = {"status": 400, "answer": b'{"error":"use_dpop_nonce"}'}
    pushed = wire.Exchange(time.time(), names.ENTRYWAY, "POST", "/oauth/par", fields, b"", **challenge)
    proofs.verify_recording([pushed], names.PDS)
    with pytest.raises(proofs.Refused, match="jti"):
        proofs.verify_recording([pushed, pushed], names.PDS)
