"""The sandbox as atproto-oauth sees it, which resolves, discovers, pushes, refreshes and revokes."""
import asyncio
import json
import urllib.parse

import pytest
from atproto_oauth import OAuthClient
from atproto_oauth.exceptions import OAuthTokenError
from atproto_oauth.stores import MemorySessionStore, MemoryStateStore
from joserfc.jwk import ECKey

import names
import people

SCOPE = "atproto transition:generic"
REDIRECT = "http://127.0.0.1:8765/callback"
HOSTED = "https://app.sandbox-net.com/oauth-client-metadata.json"
LOOPBACK = "http://localhost?" + urllib.parse.urlencode({"scope": SCOPE, "redirect_uri": REDIRECT})


def client_of(client_id, redirect=REDIRECT, scope=SCOPE, **more):
    return OAuthClient(
        client_id=client_id, redirect_uri=redirect, scope=scope,
        state_store=MemoryStateStore(), session_store=MemorySessionStore(), **more,
    )


async def log_in(client, network, directory, handle=names.ALICE):
    url, state = await client.start_authorization(handle)
    answer = people.parameters(people.approve(url, network.authority, directory))
    assert answer["state"] == state and answer["iss"] == names.ISSUER
    return await client.handle_callback(answer["code"], answer["state"], answer["iss"])


async def call(client, session, method="GET", nsid="com.atproto.server.getSession", **more):
    return await client.make_authenticated_request(
        session, method, f"{names.PDS_ORIGIN}/xrpc/{nsid}", **more
    )


@pytest.mark.parametrize("client_id", [LOOPBACK, HOSTED], ids=["loopback", "hosted"])
@pytest.mark.parametrize(
    "handle", [names.ALICE, names.BOB, names.CAROL_DID], ids=["dns", "well-known", "web"]
)
def test_whole_session(trusted, tmp_path, client_id, handle):
    trusted.sandbox.control(
        "POST", "clients",
        {
            "client_id": HOSTED, "client_name": "An app", "application_type": "native", "scope": SCOPE,
            "redirect_uris": ["http://127.0.0.1/callback"], "dpop_bound_access_tokens": True,
            "response_types": ["code"], "grant_types": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_method": "none",
        },
    )
    did = trusted.sandbox.dids.get(handle, handle)

    async def session():
        client = client_of(client_id)
        session = await log_in(client, trusted, tmp_path, handle)
        assert session.did == did and session.pds_url == names.PDS_ORIGIN
        assert session.authserver_iss == names.ISSUER and set(session.scope.split()) == set(SCOPE.split())
        first = await call(client, session)
        assert first.status_code == 200 and first.json()["did"] == did

        spent = session.refresh_token, session.access_token
        session = await client.refresh_session(session)
        assert session.refresh_token != spent[0] and session.access_token != spent[1]
        record = {"$type": "app.bsky.feed.post", "text": "hello", "createdAt": "2026-01-01T00:00:00Z"}
        body = {"repo": did, "collection": "app.bsky.feed.post", "record": record}
        made = await call(client, session, "POST", "com.atproto.repo.createRecord", json=body)
        assert made.status_code == 200 and made.json()["uri"].startswith(f"at://{did}/app.bsky.feed.post/")

        await client.revoke_session(session)
        assert (await call(client, session)).status_code == 401

    asyncio.run(session())
    journal = trusted.sandbox.journal()
    assert len({line["jkt"] for line in journal if line["jkt"]}) == 1
    assert [line["grant"] for line in journal if line["consumed"]] == ["authorization_code", "refresh_token"]
    assert {line["error"] for line in journal} <= {None, "use_dpop_nonce", "invalid_token"}


def test_a_client_of_a_users_own_with_a_key_added(foreign_key, trusted, tmp_path):
    secret = {"client_secret_key": foreign_key.private_key, "client_secret_kid": foreign_key.thumbprint()}

    async def session():
        scope = "atproto repo:app.bsky.feed.post"
        client = client_of(names.CLIENT_ID, names.CALLBACK, scope, **secret)
        session = await client.refresh_session(await log_in(client, trusted, tmp_path))
        assert (await call(client, session)).json()["did"] == trusted.did(names.ALICE)

    asyncio.run(session())
    asked = [line for line in trusted.sandbox.journal() if line["assertion"]]
    assert {line["assertion"]["header"]["kid"] for line in asked} == {foreign_key.thumbprint()}
    assert [line["grant"] for line in asked if line["consumed"]] == ["authorization_code", "refresh_token"]


def test_a_spent_refresh_token_ends_the_session(trusted, tmp_path):
    async def session():
        client = client_of(LOOPBACK)
        session = await log_in(client, trusted, tmp_path)
        spent = session.refresh_token
        session = await client.refresh_session(session)
        assert (await call(client, session)).status_code == 200
        session.refresh_token = spent
        with pytest.raises(OAuthTokenError, match="invalid_grant"):
            await client.refresh_session(session)
        assert (await call(client, session)).status_code == 401

    asyncio.run(session())


def test_a_key_that_is_not_the_sessions_is_refused(trusted, tmp_path):
    async def session():
        client = client_of(LOOPBACK)
        session = await log_in(client, trusted, tmp_path)
        session.dpop_private_key = client._dpop.generate_keypair()
        assert (await call(client, session)).status_code == 401
        with pytest.raises(OAuthTokenError):
            await client.refresh_session(session)

    asyncio.run(session())


def as_node_saves(session):
    """A session in the form of @atproto/oauth-client-node."""
    return {
        "dpopJwk": ECKey.import_key(session.dpop_private_key).as_dict(private=True),
        "authMethod": {"method": "none"},
        "tokenSet": {
            "iss": session.authserver_iss, "sub": session.did, "aud": session.pds_url,
            "scope": session.scope, "access_token": session.access_token,
            "refresh_token": session.refresh_token, "token_type": "DPoP",
        },
    }


def test_bskyauth_takes_the_session_over(trusted, home, tmp_path):
    async def session():
        client = client_of(LOOPBACK)
        session = await log_in(client, trusted, tmp_path)
        file = tmp_path / "session.json"
        file.write_text(json.dumps(as_node_saves(session)))
        command = "accounts", "import", "--from", "oauth-client-node", str(file)
        other = LOOPBACK.replace("generic", "email")
        assert home.fail(13, *command, "--client-id", other)["code"] == "client_mismatch"
        taken = home.succeed(*command, "--client-id", LOOPBACK)["account"]
        assert taken["did"] == trusted.did(names.ALICE) and taken["active"]
        assert home.succeed("call", "com.atproto.server.getSession")["did"] == taken["did"]
        home.succeed("refresh", "--force")
        with pytest.raises(OAuthTokenError, match="invalid_grant"):
            await client.refresh_session(session)

    asyncio.run(session())
