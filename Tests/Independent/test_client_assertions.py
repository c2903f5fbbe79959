"""Client assertions on the wire, as joserfc reads them, and other people's clients with a key added."""
import copy
import time

import pytest
import requests
import time_machine
from joserfc import jwt
from joserfc.jwk import ECKey
from requests_oauth2client import DPoPToken, InvalidClient, OAuth2Client, PrivateKeyJwt

import assertions
import names
import people
import proofs
import recorder as wire

SCOPE = "atproto repo:app.bsky.feed.post"
WHO_AM_I = f"{names.PDS_ORIGIN}/xrpc/com.atproto.server.getSession"


def published():
    """The document, fetched as a server fetches it."""
    answer = requests.get(names.CLIENT_ID, allow_redirects=False)
    assert answer.status_code == 200 and answer.headers["content-type"] == "application/json"
    return answer.json()


def test_whole_sessions_with_two_keys(trusted, home, client, site, recorder):
    """Every request to the issuer, of two sessions with a key each."""
    home.succeed("client", "rotate", "bot", "--key-label", "next")
    site.publish(client)
    for handle, label in ((names.ALICE, "main"), (names.BOB, "next")):
        key = ["--client", "bot", "--client-key", label]
        home.succeed("login", handle, *key, BSKYAUTH_TEST_BROWSER=f"as {handle}")
        home.succeed("call", "-a", handle, "com.atproto.server.getSession")
        home.succeed("refresh", handle, "--force")
    home.succeed("logout", "--all", "--yes")

    exchanges, document = recorder.exchanges(), published()
    sent = assertions.verify_recording(exchanges, document, names.ISSUER)
    assert set(sent) == {key["kid"] for key in document["jwks"]["keys"]} and len(set(sent)) == 2
    sessions = proofs.verify_recording(exchanges, names.PDS)
    assert len(sessions) == 2
    for own in sessions.values():
        at_issuer = [exchange for exchange in own if exchange.path in proofs.ENDPOINTS]
        assert {exchange.path for exchange in at_issuer} == proofs.ENDPOINTS
        # A session has one key, and the key of its proofs is another one.
        assert len(set(assertions.verify_recording(at_issuer, document, names.ISSUER))) == 1
    assert sessions.keys().isdisjoint(sent)


@pytest.fixture
def foreign_client(trusted, foreign_key):
    """A client with that key, made from the documents alone."""
    document = published()
    assert foreign_key.thumbprint() in {key["kid"] for key in document["jwks"]["keys"]}
    private = foreign_key.as_dict(private=True) | {"kid": foreign_key.thumbprint()}
    return OAuth2Client.from_discovery_endpoint(
        url=f"{names.ISSUER}/.well-known/oauth-authorization-server", issuer=names.ISSUER,
        auth=PrivateKeyJwt(document["client_id"], private, alg="ES256", aud=names.ISSUER),
        redirect_uri=document["redirect_uris"][0], dpop_bound_access_tokens=True,
    )


def log_in(client, network, directory):
    request = client.authorization_request(scope=SCOPE, login_hint=names.ALICE)
    pushed = client.pushed_authorization_request(request)
    redirect = people.approve(pushed.uri, network.authority, directory)
    assert redirect.startswith(f"{names.CALLBACK}?")
    return client.authorization_code(request.validate_callback(redirect))


def test_another_client_with_its_own_key(recorder, foreign_client, foreign_key, trusted, tmp_path):
    token = log_in(foreign_client, trusted, tmp_path)
    assert isinstance(token, DPoPToken) and token.sub == trusted.did(names.ALICE)
    assert requests.get(WHO_AM_I, auth=token).json()["did"] == trusted.did(names.ALICE)
    fresh = foreign_client.refresh_token(token)
    assert fresh.refresh_token != token.refresh_token
    assert requests.get(WHO_AM_I, auth=fresh).json()["handle"] == names.ALICE
    used = assertions.verify_recording(recorder.exchanges(), published(), names.ISSUER)
    assert set(used) == {foreign_key.thumbprint()}


class Time:
    """The time of the servers and of this process's clients, moved together."""

    def __init__(self, sandbox, traveller):
        self._sandbox, self._traveller = sandbox, traveller

    def pass_minutes(self, minutes):
        self._sandbox.control("POST", "clock", {"advance": f"{minutes}m"})
        self._traveller.shift(minutes * 60)


@pytest.fixture
def clock(network):
    with time_machine.travel(time.time()) as traveller:
        yield Time(network.sandbox, traveller)


def test_a_removed_key_refreshes_no_more(foreign_client, home, client, site, trusted, tmp_path, clock):
    before = tmp_path / "before"
    before.mkdir()
    document = client / "oauth-client-metadata.json"
    (before / document.name).write_bytes(document.read_bytes())
    token = log_in(foreign_client, trusted, tmp_path)

    home.succeed("client", "keys", "bot", "remove", "server", "--force")
    home.succeed("client", "write", "bot")
    site.publish(client)
    # The server has the old document for ten minutes.
    token = foreign_client.refresh_token(token)
    clock.pass_minutes(11)
    with pytest.raises(InvalidClient, match="no applicable key"):
        foreign_client.refresh_token(token)
    # The session is not ended by that: the same token is good as soon as the key is published again.
    site.publish(before)
    clock.pass_minutes(11)
    assert requests.get(WHO_AM_I, auth=foreign_client.refresh_token(token)).status_code == 200


KEY = ECKey.generate_key("P-256")
DOCUMENT = {
    "client_id": names.CLIENT_ID,
    "jwks": {"keys": [KEY.as_dict(private=False) | {"kid": KEY.thumbprint()}]},
}


def good():
    now = int(time.time())
    claims = {
        "iss": names.CLIENT_ID, "sub": names.CLIENT_ID, "aud": names.ISSUER, "jti": "0123456789abcdef",
        "iat": now - 5, "exp": now + 50,
    }
    return {"alg": "ES256", "kid": KEY.thumbprint()}, claims


def test_the_verifier_takes_a_good_assertion():
    assertions.verify(jwt.encode(*good(), KEY), DOCUMENT, names.ISSUER, time.time())


@pytest.mark.parametrize(
    "name, value, reason",
    [
        ("iss", names.ISSUER, "iss or sub"),
        ("sub", names.CLIENT, "iss or sub"),
        ("aud", f"{names.ISSUER}/oauth/token", "aud"),
        ("aud", [names.ISSUER], "aud"),
        ("jti", "short", "jti"),
        ("iat", lambda iat: iat + 10, "iat out of time"),
        ("iat", lambda iat: iat - 50, "iat out of time"),
        ("iat", float, "iat"),
        ("exp", lambda exp: exp + 10, "exp out of time"),
        ("exp", lambda exp: exp - 60, "exp out of time"),
    ],
)
def test_the_verifier_refuses(name, value, reason):
    header, claims = good()
    claims[name] = value(claims[name]) if callable(value) else value
    with pytest.raises(proofs.Refused, match=reason):
        assertions.verify(jwt.encode(header, claims, KEY), DOCUMENT, names.ISSUER, time.time())


def test_the_verifier_refuses_a_foreign_signature():
    assertion = jwt.encode(*good(), ECKey.generate_key("P-256"))
    with pytest.raises(proofs.Refused, match="signature"):
        assertions.verify(assertion, DOCUMENT, names.ISSUER, time.time())


def test_the_verifier_refuses_a_name_that_is_no_thumbprint():
    document = copy.deepcopy(DOCUMENT)
    document["jwks"]["keys"][0]["kid"] = "main"
    header, claims = good()
    with pytest.raises(proofs.Refused, match="thumbprint"):
        assertions.verify(jwt.encode(header | {"kid": "main"}, claims, KEY), document, names.ISSUER, time.time())


def test_the_verifier_refuses_a_request_without_an_assertion_or_with_a_spent_one():
    form = f"client_id={names.CLIENT_ID}&client_assertion_type={assertions.TYPE}&client_assertion="
    fields = [("content-type", "application/x-www-form-urlencoded")]
    body = (form + jwt.encode(*good(), KEY)).encode()
    sent = wire.Exchange(time.time(), names.ENTRYWAY, "POST", "/oauth/par", fields, body)
    assert assertions.verify_recording([sent], DOCUMENT, names.ISSUER) == [KEY.thumbprint()]
    with pytest.raises(proofs.Refused, match="jti"):
        assertions.verify_recording([sent, sent], DOCUMENT, names.ISSUER)
    sent.body = f"client_id={names.CLIENT_ID}".encode()
    with pytest.raises(proofs.Refused, match="client_assertion_type"):
        assertions.verify_recording([sent], DOCUMENT, names.ISSUER)
