"""OAuthDPoP alone at a server of plain OAuth 2.1 with PAR and DPoP, which sends no `iss` and knows no AT Protocol.

The program is `bskyauth-plain-login`, of a package of its own, which sees what is public and links nothing of AT Protocol
either. requests_oauth2client, which knows the RFCs alone, shows that the server takes what is right and refuses what is
wrong.
"""
import dataclasses
import json
import os
import pathlib
import subprocess
import threading
import urllib.parse

import pytest
import requests
from requests_oauth2client import DPoPKey, DPoPToken, InvalidGrant, OAuth2Client

import names
import network as parts
import people
import plain_server
import processes

SCOPE = "notes.read notes.write"
REDIRECT = "http://127.0.0.1:49152/done"
HELLO = f"https://{names.PLAIN_RESOURCE}/hello"
PUSH, TOKEN = f"{names.PLAIN_ISSUER}/par", f"{names.PLAIN_ISSUER}/token"
METADATA = f"https://{names.PLAIN}/.well-known/oauth-authorization-server/tenant"

# Everything that a request may have, by the RFCs.
FIELDS = {
    "host", "user-agent", "accept", "accept-encoding", "connection", "content-type", "content-length", "dpop",
    "authorization",
}
PUSHED = {
    "client_id": names.PLAIN_CLIENT_ID, "response_type": "code", "redirect_uri": REDIRECT, "scope": SCOPE,
    "code_challenge_method": "S256",
}


@pytest.fixture
def authority(tmp_path, monkeypatch):
    authority = parts.Authority(tmp_path / "ca")
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(authority.file))
    return authority


@pytest.fixture
def server(authority, tmp_path):
    resolver = parts.Resolver(tmp_path / "dns")
    resolver.addresses = {host: [names.PLAIN_ADDRESS] for host in (names.PLAIN, names.PLAIN_RESOURCE)}
    resolver.start()
    server = plain_server.PlainServer(authority)
    yield server
    server.stop()
    resolver.stop()


@dataclasses.dataclass
class Login:
    """What became of one run of the program."""

    status: int
    #: The URL for the browser, and where the browser was sent; both empty if the program ended before.
    url: str
    redirect: str
    lines: list
    errors: str
    #: What the kernel knew of the process before its first step and after its last one; the second is empty if it failed.
    before: dict
    after: dict


def browse(url):
    answer = requests.get(url, allow_redirects=False)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def log_in(amend=lambda redirect: redirect):
    """Runs the program. ``amend`` changes the URL that the browser was sent to."""
    command = [
        processes.client("bskyauth-plain-login"), names.PLAIN_ISSUER, names.PLAIN_CLIENT_ID, REDIRECT, SCOPE, HELLO,
    ]
    environment = {name: os.environ[name] for name in ("PATH", "SSL_CERT_FILE")}
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        bufsize=1,
    ) as program:
        hang = threading.Timer(600, program.kill)
        hang.start()
        assert json.loads(program.stdout.readline()) == {"ready": True}
        before = processes.facts(program.pid)
        program.stdin.write("\n")
        first = program.stdout.readline()
        url = json.loads(first)["url"] if first else ""
        redirect = browse(url) if url else ""
        if url:
            program.stdin.write(amend(redirect) + "\n")
        lines, after = [], {}
        for line in map(json.loads, program.stdout):
            if line == {"done": True}:
                after = processes.facts(program.pid)
                program.stdin.close()
            else:
                lines.append(line)
        errors = program.stderr.read()
        program.wait()
        hang.cancel()
    return Login(program.returncode, url, redirect, lines, errors, before, after)


def require_refused(login, lines=()):
    assert login.status == 1 and login.lines == list(lines)
    assert len(login.errors.splitlines()) == 1, login.errors


def replaced(redirect, **answer):
    """The redirect with other parameters or more of them."""
    return f"{redirect.split('?')[0]}?{urllib.parse.urlencode(people.parameters(redirect) | answer)}"


def test_the_program_links_nothing_of_at_protocol():
    """The names of modules are in the symbols, with their lengths."""
    modules = ["ATProtoOAuth", "ATProtoIdentity", "ATProtoXRPC", "ATProtoVault", "OAuthDPoP"]
    plain = processes.client("bskyauth-plain-login")
    for file, linked in [(plain, modules[-1:]), (os.environ["BSKYAUTH_TEST_SERVER"], modules)]:
        program = pathlib.Path(file).read_bytes()
        assert [name for name in modules if f"{len(name)}{name}".encode() in program] == linked


def test_whole_login(server):
    login = log_in()
    assert login.status == 0, login.errors
    tokens, first, refreshed, second, revoked, third = login.lines
    assert tokens == {"scope": SCOPE, "expires_in": plain_server.EXPIRES_IN}
    for answer in (first, second):
        assert answer["status"] == 200 and json.loads(answer["body"]) == {"hello": names.PLAIN_CLIENT_ID}
    assert refreshed == {"refreshed": True} and revoked == {"revoked": True} and third["status"] == 401
    # The library prints nothing and leaves its process as it was.
    assert login.errors == "" and login.after == login.before
    # Both hosts ask for a nonce at first, and the issuer once more after the person has consented.
    assert server.decisions() == [
        "metadata", "use_dpop_nonce", "pushed", "code", "use_dpop_nonce", "authorization_code", "use_dpop_nonce",
        "greeted", "refresh_token", "greeted", "revoked", "invalid_token",
    ]


def test_nothing_is_sent_that_the_rfcs_do_not_have(server):
    login = log_in()
    assert login.status == 0, login.errors
    assert set(people.parameters(login.url)) == {"client_id", "request_uri"}
    assert set(people.parameters(login.redirect)) == {"code", "state"}
    sent = [entry for entry in server.journal if entry.decision != "code"]
    for entry in sent:
        assert {name for name, _ in entry.fields} <= FIELDS
        assert "?" not in entry.target
    forms = {entry.decision: entry.form for entry in sent if entry.form and entry.decision != "use_dpop_nonce"}
    assert {name: set(form) - {"client_id"} for name, form in forms.items() if name != "pushed"} == {
        "authorization_code": {"grant_type", "code", "redirect_uri", "code_verifier"},
        "refresh_token": {"grant_type", "refresh_token"},
        "revoked": {"token"} | forms["revoked"].keys() & {"token_type_hint"},
    }
    pushed = forms["pushed"]
    assert pushed == PUSHED | {name: pushed[name] for name in ("state", "code_challenge")}


@pytest.mark.parametrize(
    "answer", [{"state": "another"}, {"iss": f"https://{names.PLAIN}"}], ids=["state", "iss"]
)
def test_a_redirect_of_another_login_or_server(server, answer):
    login = log_in(amend=lambda redirect: replaced(redirect, **answer))
    require_refused(login)
    assert server.decisions() == ["metadata", "use_dpop_nonce", "pushed", "code"]


def test_a_redirect_that_lacks_the_iss_that_was_announced(server):
    server.metadata["authorization_response_iss_parameter_supported"] = True
    require_refused(log_in())
    assert server.decisions()[-1] == "code"
    login = log_in(amend=lambda redirect: replaced(redirect, iss=names.PLAIN_ISSUER))
    assert login.status == 0, login.errors


@pytest.mark.parametrize(
    "field, value",
    [
        ("issuer", f"https://{names.PLAIN}"),
        ("issuer", f"{names.PLAIN_ISSUER}/"),
        ("code_challenge_methods_supported", ["plain"]),
        ("code_challenge_methods_supported", None),
        ("dpop_signing_alg_values_supported", ["RS256"]),
        ("dpop_signing_alg_values_supported", None),
    ],
)
def test_metadata_that_is_refused(server, field, value):
    amended = server.metadata | {field: value}
    server.metadata = {name: value for name, value in amended.items() if value is not None}
    login = log_in()
    require_refused(login)
    assert login.url == "" and server.decisions() == ["metadata"]


def test_tokens_that_are_not_bound_to_the_key(server):
    server.token_type = "Bearer"
    login = log_in()
    require_refused(login)
    assert "authorization_code" in server.decisions() and server.decisions()[-1] == "revoked"
    assert "their type is Bearer, not DPoP" in login.errors
    assert {entry.host for entry in server.journal} == {names.PLAIN}


@pytest.fixture
def client(server):
    """Another client, made from the document alone."""
    return OAuth2Client.from_discovery_endpoint(
        url=METADATA, issuer=names.PLAIN_ISSUER, client_id=names.PLAIN_CLIENT_ID, redirect_uri=REDIRECT,
        dpop_bound_access_tokens=True,
    )


def consent(client):
    request = client.authorization_request(scope=SCOPE)
    pushed = client.pushed_authorization_request(request)
    return request.validate_callback(browse(pushed.uri))


def test_another_client(client, server):
    token = client.authorization_code(consent(client))
    assert requests.get(HELLO, auth=token).json() == {"hello": names.PLAIN_CLIENT_ID}
    fresh = client.refresh_token(token)
    assert requests.get(HELLO, auth=fresh).status_code == 200
    client.revoke_refresh_token(fresh)
    assert requests.get(HELLO, auth=fresh).status_code == 401
    assert [decision for decision in server.decisions() if decision != "use_dpop_nonce"] == [
        "metadata", "pushed", "code", "authorization_code", "greeted", "refresh_token", "greeted", "revoked",
        "invalid_token",
    ]


def test_the_server_takes_a_code_and_a_refresh_token_once(client):
    answer = consent(client)
    token = client.authorization_code(answer)
    fresh = client.refresh_token(token)
    for spent in (token, fresh):
        with pytest.raises(InvalidGrant):
            client.refresh_token(spent)
    assert requests.get(HELLO, auth=fresh).status_code == 401

    answer = consent(client)
    token = client.authorization_code(answer)
    with pytest.raises(InvalidGrant):
        client.authorization_code(answer)
    assert requests.get(HELLO, auth=token).status_code == 401


@pytest.mark.parametrize("wrong", ["code_verifier", "redirect_uri", "key"])
def test_the_server_binds_a_code(client, wrong):
    answer = consent(client)
    form = {
        "grant_type": "authorization_code", "code": answer.code, "redirect_uri": REDIRECT,
        "code_verifier": answer.code_verifier,
    }
    key = DPoPKey.generate() if wrong == "key" else answer.dpop_key
    if wrong != "key":
        form[wrong] = {"code_verifier": "x" * 43, "redirect_uri": "http://127.0.0.1:1/done"}[wrong]
    with pytest.raises(InvalidGrant):
        client.token_request(form, dpop_key=key)


def push(key, form, nonce=None, proof=None):
    fields = {"dpop": proof or key.proof(htm="POST", htu=PUSH, nonce=nonce).value.decode()}
    return requests.post(PUSH, data=form, headers=fields)


def good_request():
    return PUSHED | {"state": "some", "code_challenge": "c" * 43}


def test_the_server_takes_a_nonce_and_a_proof_once(server):
    key = DPoPKey.generate()
    first = push(key, good_request())
    assert first.status_code == 400 and first.json()["error"] == "use_dpop_nonce"
    nonce = first.headers["dpop-nonce"]
    proof = key.proof(htm="POST", htu=PUSH, nonce=nonce).value.decode()
    assert push(key, good_request(), proof=proof).status_code == 201
    assert push(key, good_request(), proof=proof).json()["error"] == "invalid_dpop_proof"
    assert push(key, good_request(), nonce).json()["error"] == "use_dpop_nonce"


@pytest.mark.parametrize(
    "name, value, error",
    [
        ("client_id", "cli-0000", "invalid_client"),
        ("response_type", "token", "unsupported_response_type"),
        ("redirect_uri", "http://localhost:49152/done", "invalid_request"),
        ("redirect_uri", f"{REDIRECT}/elsewhere", "invalid_request"),
        ("code_challenge_method", "plain", "invalid_request"),
        ("code_challenge", "short", "invalid_request"),
        ("request_uri", "urn:x", "invalid_request"),
        ("scope", ["a", "b"], "invalid_request"),
        ("dpop_jkt", "j" * 43, "invalid_dpop_proof"),
    ],
)
def test_the_server_refuses_a_pushed_request(server, name, value, error):
    key = DPoPKey.generate()
    nonce = push(key, good_request()).headers["dpop-nonce"]
    assert push(key, good_request() | {name: value}, nonce).json() == {"error": error}


def test_the_server_takes_a_reference_once_and_alone(client, server):
    pushed = client.pushed_authorization_request(client.authorization_request(scope=SCOPE))
    assert requests.get(f"{pushed.uri}&state=more", allow_redirects=False).status_code == 400
    browse(pushed.uri)
    assert requests.get(pushed.uri, allow_redirects=False).json() == {"error": "invalid_request_uri"}


def test_the_resource_wants_the_tokens_own_key(client, server):
    token = client.authorization_code(consent(client))
    assert requests.get(HELLO, auth=token).status_code == 200
    stolen = DPoPToken(token.access_token, _dpop_key=DPoPKey.generate())
    assert requests.get(HELLO, auth=stolen).status_code == 401
    assert server.decisions()[-2:] == ["use_dpop_nonce", "invalid_token"]
    assert requests.get(HELLO, headers={"authorization": f"Bearer {token.access_token}"}).status_code == 401
