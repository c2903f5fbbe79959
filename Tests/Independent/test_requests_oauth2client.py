"""The sandbox as requests_oauth2client sees it, which knows the RFCs and nothing of AT Protocol."""
import urllib.parse

import pytest
import requests
from requests_oauth2client import DPoPKey, DPoPToken, InvalidGrant, OAuth2Client

import names
import people

SCOPE = "atproto transition:generic"
REDIRECT = "http://127.0.0.1:8766/callback"
CLIENT_ID = "http://localhost?" + urllib.parse.urlencode(
    {"scope": SCOPE, "redirect_uri": "http://127.0.0.1/callback"}
)
WHO_AM_I = f"{names.PDS_ORIGIN}/xrpc/com.atproto.server.getSession"


@pytest.fixture
def client(trusted):
    """Made from the documents alone: the PDS names the issuer, the issuer its endpoints."""
    resource = requests.get(f"{names.PDS_ORIGIN}/.well-known/oauth-protected-resource").json()
    (issuer,) = resource["authorization_servers"]
    return OAuth2Client.from_discovery_endpoint(
        url=f"{issuer}/.well-known/oauth-authorization-server", issuer=issuer, client_id=CLIENT_ID,
        redirect_uri=REDIRECT, dpop_bound_access_tokens=True,
    )


def log_in(client, network, directory):
    request = client.authorization_request(scope=SCOPE, login_hint=names.ALICE)
    pushed = client.pushed_authorization_request(request)
    answer = request.validate_callback(people.approve(pushed.uri, network.authority, directory))
    return client.authorization_code(answer)


def test_whole_session(client, trusted, tmp_path):
    did = trusted.did(names.ALICE)
    token = log_in(client, trusted, tmp_path)
    assert isinstance(token, DPoPToken) and token.sub == did
    answer = requests.get(WHO_AM_I, params={"probe": "1"}, auth=token)
    assert answer.status_code == 200 and answer.json()["did"] == did

    fresh = client.refresh_token(token)
    assert fresh.refresh_token != token.refresh_token and fresh.access_token != token.access_token
    assert fresh.dpop_key.dpop_jkt == token.dpop_key.dpop_jkt
    assert requests.get(WHO_AM_I, auth=fresh).json()["handle"] == names.ALICE
    journal = trusted.sandbox.journal()
    assert {line["jkt"] for line in journal if line["jkt"]} == {token.dpop_key.dpop_jkt}
    assert [line["grant"] for line in journal if line["consumed"]] == ["authorization_code", "refresh_token"]
    assert {line["error"] for line in journal} <= {None, "use_dpop_nonce"}


def test_a_code_is_good_once(client, trusted, tmp_path):
    request = client.authorization_request(scope=SCOPE, login_hint=names.ALICE)
    pushed = client.pushed_authorization_request(request)
    answer = request.validate_callback(people.approve(pushed.uri, trusted.authority, tmp_path))
    token = client.authorization_code(answer)
    with pytest.raises(InvalidGrant):
        client.authorization_code(answer)
    assert requests.get(WHO_AM_I, auth=token).status_code == 401


def test_a_code_needs_its_verifier(client, trusted, tmp_path):
    request = client.authorization_request(scope=SCOPE, login_hint=names.ALICE)
    pushed = client.pushed_authorization_request(request)
    answer = request.validate_callback(people.approve(pushed.uri, trusted.authority, tmp_path))
    with pytest.raises(InvalidGrant):
        client.token_request(
            {
                "grant_type": "authorization_code", "code": answer.code, "redirect_uri": REDIRECT,
                "code_verifier": "x" * 43,
            },
            dpop_key=answer.dpop_key,
        )


def test_a_spent_refresh_token_ends_the_session(client, trusted, tmp_path):
    token = log_in(client, trusted, tmp_path)
    fresh = client.refresh_token(token)
    with pytest.raises(InvalidGrant):
        client.refresh_token(token)
    with pytest.raises(InvalidGrant):
        client.refresh_token(fresh)
    assert requests.get(WHO_AM_I, auth=fresh).status_code == 401


def test_a_refresh_needs_the_sessions_key(client, trusted, tmp_path):
    token = log_in(client, trusted, tmp_path)
    with pytest.raises(InvalidGrant):
        client.token_request(
            {"grant_type": "refresh_token", "refresh_token": token.refresh_token}, dpop_key=DPoPKey.generate()
        )
