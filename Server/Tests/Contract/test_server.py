"""The server as a program: documents, headers, limits, keys, settings and restarts."""
import base64
import json
import re
import socket
import stat

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

import parts
import raw
import scan
from parts import BASE, IOS, App, Browser, approve, challenge


def test_client_metadata(server):
    document = server.get("/oauth-client-metadata.json").json
    assert document["client_id"] == f"{BASE}/oauth-client-metadata.json"
    assert document["redirect_uris"] == [f"{BASE}/oauth/callback"]
    assert document["dpop_bound_access_tokens"] is True
    assert document["token_endpoint_auth_method"] == "private_key_jwt"
    keys = server.get("/oauth/jwks.json").json
    assert keys == document["jwks"]
    assert all(set(key) == {"kty", "crv", "x", "y", "kid", "use", "alg"} for key in keys["keys"])


def test_health(server):
    answer = server.get("/health")
    assert answer.status == 200 and answer.json == {"status": "ok"}


@pytest.mark.parametrize("path", ["/login", "/accounts", "/api/auth/session", "/nothing", "/oauth/callback", "/health"])
def test_headers_that_hold_browsers_back(server, path):
    headers = server.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'") and "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy and "script" not in policy
    assert "access-control-allow-origin" not in headers


def test_page_is_plain(server):
    page = server.get("/login").body
    assert '<html lang="en">' in page and '<label for="handle">' in page and 'id="handle"' in page
    assert "Example &lt;app&gt;" in page
    assert not re.search(r"<script|<link|<img|\son\w+=|style=", page)


def test_unknown_addresses(server):
    for method, path in ("GET", "/nothing"), ("POST", "/api"), ("DELETE", "/.well-known/nothing"):
        answer = server.send(method, path, b"" if method == "POST" else None)
        assert answer.status == 404 and answer.json["error"] == "not_found"


def test_a_person_who_opens_an_unknown_address_sees_a_page(server):
    accept = [("accept", "text/html,application/xhtml+xml,*/*;q=0.8")]
    for path in "/nothing", "/oauth/nothing", "/Login":
        answer = server.get(path, accept)
        assert answer.status == 404 and answer.headers["content-type"].startswith("text/html")
        assert "There is nothing at this address" in answer.body and 'href="/"' in answer.body
    # What programs ask for stays JSON.
    for path in "/api/nothing", "/xrpc/x", "/api/accounts":
        assert server.get(path, accept).json["error"]
    for method in "GET", "HEAD":
        answer = server.send(method, "/")
        assert answer.status == 303 and answer.location == "/accounts"


def test_a_broken_link_says_so_to_people(server):
    for query in "redirect=https://evil.example", "redirect=com.example.ios:/auth", "mobile=true&redirect=com.example.ios:/auth":
        answer = server.get(f"/login?{query}")
        assert answer.status == 400 and "This link to the login is broken" in answer.body
        assert "configuration" not in answer.body and "code_challenge" not in answer.body


@pytest.mark.parametrize("method, path, allow", [
    ("GET", "/api/auth/logout", "POST"), ("DELETE", "/api/accounts", "GET, HEAD"), ("POST", "/health", "GET, HEAD"),
    ("OPTIONS", "/api/auth/start", "POST"), ("PROPFIND", "/login", "GET, HEAD, POST"),
])
def test_other_methods(server, method, path, allow):
    answer = server.send(method, path, b"" if method == "POST" else None)
    assert answer.status == 405 and answer.headers["allow"] == allow
    if path != "/login":
        assert answer.json["error"] == "method_not_allowed"


def test_without_a_session(app, browser):
    for method, path in [
        ("GET", "/api/auth/session"), ("GET", "/api/accounts"), ("POST", "/api/auth/refresh"),
        ("POST", "/api/auth/logout"), ("POST", "/api/auth/logout-everywhere"), ("POST", "/api/accounts/switch"),
    ]:
        answer = app.send(method, path)
        assert answer.status == 401 and answer.json["error"] == "no_session"
        assert answer.json["authenticated"] is False
        for header in "Bearer", "Bearer x", "Basic eDp5", "Bearer " + "x" * 5000:
            answer = app.send(method, path, headers=[("authorization", header)])
            assert answer.status == 401 and answer.json["error"] == "session_ended"


def test_bodies_are_limited(server, app):
    for path in "/api/auth/start", "/api/auth/tokens":
        answer = app.post(path, {"handle": "x" * 20_000})
        assert answer.status == 413 and answer.json["error"] == "too_large"
    # A body that does not say its length.
    connection = socket.create_connection(("127.0.0.1", server.port))
    connection.sendall(
        b"POST /api/auth/tokens HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n" + b"4000\r\n" + b" " * 0x4000 + b"\r\n10\r\n" + b" " * 16 + b"\r\n0\r\n\r\n")
    assert connection.recv(100).startswith(b"HTTP/1.1 413")
    connection.close()
    answer = server.get("/login", [("x-long", "x" * 40_000)])
    assert answer.status in (400, 431)


def test_other_bodies_are_refused(server):
    json_type, text_type = ("content-type", "application/json"), ("content-type", "text/plain")
    for path in "/api/auth/start", "/api/auth/tokens":
        assert server.send("POST", path, b'{"handle":"x"}', [text_type]).status == 415
        assert server.send("POST", path, b'{"handle":"x"}').status == 415
        for body in b"{", b"[]", b'"x"', b"\xff", b'{"handle":{}}', b'{"handle":1,"code":1}':
            assert server.send("POST", path, body, [json_type]).status == 400


def test_rate_of_logins(sandbox, tmp_path):
    server = parts.Server(tmp_path, sandbox)
    server.stop()
    text = server.config.read_text().replace("logins_per_client = 1000", "logins_per_client = 3")
    server.config.write_text(text)
    server.start()
    try:
        sandbox.control("POST", "journal/reset")
        app = App(server)
        answers = []

        def start(client):
            app.verifier = "x" * 43
            answers.append(app.post(
                "/api/auth/start",
                {"handle": "alice.test", "redirect": IOS, "code_challenge": challenge(app.verifier)},
                headers=[("x-forwarded-for", client)]))
            return answers[-1].status

        # What a client writes itself is before what the proxy adds.
        statuses = [start(f"198.51.100.{number}, 192.0.2.7") for number in range(8)]
        assert statuses.count(429) >= 2 and statuses[0] == 200
        assert int(answers[-1].headers["retry-after"]) >= 1
        assert len(sandbox.journal(path="/oauth/par", status=201)) == statuses.count(200)
        # A port, brackets and quotation marks do not make all clients one.
        for number in range(8):
            assert start(f"192.0.2.{10 + number}:51008") == 200
            assert start(f'"[2001:db8:{number:x}::7]:443"') == 200
        # Those that can't be read are one client. What is left of them, a client may have written.
        statuses = [start(f"198.51.100.{number}, unknown") for number in range(8)]
        assert statuses.count(429) >= 2
        assert len(server.says("X-Forwarded-For that can't be read")) == 1
        # One network of IPv6 is one client.
        statuses = [start(f"2001:db8::{number}") for number in range(8)]
        assert statuses.count(429) >= 2
        assert start("203.0.113.5") == 200
    finally:
        server.stop()


UNCLEAR = {
    "no Host": ("GET /health HTTP/1.1", []),
    "no Host in HTTP/1.0": ("GET /health HTTP/1.0", []),
    "two Hosts": ("GET /health HTTP/1.1", ["Host: a.example", "Host: b.example"]),
    "the same Host twice": ("GET /health HTTP/1.1", ["Host: a.example", "Host: a.example"]),
    "gzip, chunked": ("POST /login HTTP/1.1", ["Host: x", "Transfer-Encoding: gzip, chunked"]),
    "gzip and chunked": ("POST /login HTTP/1.1", ["Host: x", "Transfer-Encoding: gzip", "Transfer-Encoding: chunked"]),
    "chunked twice": ("POST /login HTTP/1.1", ["Host: x", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked"]),
    "chunked in HTTP/1.0": ("POST /login HTTP/1.0", ["Host: x", "Transfer-Encoding: chunked"]),
    "chunked and a length": ("POST /login HTTP/1.1", ["Host: x", "Transfer-Encoding: chunked", "Content-Length: 5"]),
    "identity": ("POST /login HTTP/1.1", ["Host: x", "Transfer-Encoding: identity"]),
    "a signed length": ("POST /login HTTP/1.1", ["Host: x", "Content-Length: +5"]),
    "two lengths": ("POST /login HTTP/1.1", ["Host: x", "Content-Length: 5", "Content-Length: 6"]),
}


@pytest.mark.parametrize("line, fields", UNCLEAR.values(), ids=UNCLEAR)
def test_a_request_whose_end_is_not_certain_is_refused(server, line, fields):
    head = "\r\n".join([line, *fields, "Cookie: __Host-sid=x", "", ""]).encode()
    before = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
    hidden = b"5\r\nhello\r\n0\r\n\r\nGET /oauth/jwks.json HTTP/1.1\r\nHost: x\r\n\r\n"
    with raw.connect(server) as connection:
        connection.sendall(before + head + hidden)
        answer = raw.read_to_end(connection)
    first, *rest = answer.split(b"HTTP/1.1 ")[1:]
    assert first.startswith(b"200 OK") and b'"keys"' not in answer
    assert [text[:4] for text in rest] == [b"400 "] and b"connection: close" in rest[0].lower(), rest


@pytest.mark.parametrize("head, body, status", [
    ("GET /health HTTP/1.0\r\nHost: x\r\n", b"", 200),
    ("POST /login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\nConnection: close\r\n", b"0\r\n\r\n", 403),
    ("POST /login HTTP/1.0\r\nHost: x\r\nContent-Length: 5\r\n", b"hello", 403),
])
def test_old_and_chunked_requests_are_answered(server, head, body, status):
    with raw.connect(server) as connection:
        connection.sendall(head.encode() + b"\r\n" + body)
        assert raw.read_head(connection)[0].startswith(f"HTTP/1.1 {status} ".encode())


def test_own_address_is_never_asked(app, sandbox):
    answer = app.start(BASE)
    assert answer.status in (400, 502)


def test_restart_keeps_sessions(own_server, sandbox):
    browser, app, late = Browser(own_server), App(own_server), App(own_server)
    browser.log_in()
    app.log_in("bob.test")
    start = late.start()
    own_server.stop(kill=True)
    own_server.start()
    assert browser.get("/api/auth/session").json["handle"] == "alice.test"
    assert app.post("/api/auth/refresh").status == 200
    redirect = approve(start.json["authUrl"], "alice.test")
    code = Browser(own_server).follow(redirect).location.split("code=")[1].split("&")[0]
    assert late.exchange(code).status == 200


def test_what_is_kept_is_private_and_sealed(own_server, sandbox):
    browser, app = Browser(own_server), App(own_server)
    browser.log_in()
    code = app.code()
    state = own_server.folder / "state"
    kept = b""
    for path in [state, *state.rglob("*")]:
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode & 0o077 == 0, path
        if path.is_file():
            kept += path.read_bytes()
    assert code.encode() not in kept
    for word in b'"refresh_token"', b'"access_token"', b'"verifier"', b"eyJhbGciOi":
        assert word not in kept, word


def test_keys(own_server):
    app, browser = App(own_server), Browser(own_server)
    app.log_in()
    listed = [line.split("\t") for line in own_server.run("keys", "list").stdout.splitlines()]
    assert [line[0] for line in listed] == ["sealing", "client"]
    for kind in "sealing", "client":
        added = own_server.run("keys", "add", kind)
        assert added.returncode == 0 and "restart" in added.stderr
    lines = [line.split("\t") for line in own_server.run("keys", "list").stdout.splitlines()]
    assert [line[0] for line in lines] == ["sealing", "sealing", "client", "client"]
    own_server.stop()
    own_server.start()
    document = own_server.get("/oauth-client-metadata.json").json
    assert {key["kid"] for key in document["jwks"]["keys"]} == {line[1] for line in lines if line[0] == "client"}
    own_server.sandbox.control("POST", "clients", document)
    # The session keeps the key of its login, and the old seal opens.
    assert app.post("/api/auth/refresh").status == 200
    browser.log_in()
    early = own_server.run("keys", "retire", "sealing", "--", lines[0][1])
    assert early.returncode == 1 and "--now" in early.stderr
    assert own_server.run("keys", "retire", "sealing", "--now", "--", lines[0][1]).returncode == 0
    newest = own_server.run("keys", "retire", "sealing", "--now", "--", lines[1][1])
    assert newest.returncode == 1 and "keys add sealing" in newest.stderr
    own_server.stop()
    own_server.start()
    assert app.send("GET", "/api/auth/session").status == 401
    assert browser.get("/api/auth/session").status == 200


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def test_another_library_opens_a_token(own_server):
    """The bytes of a token are those of every version, so that a rollback ends no session: version, kid, nonce, AES-256-GCM."""
    app = App(own_server)
    app.log_in()
    key, = json.loads((own_server.folder / "state/keys/sealing-keys.json").read_text())["keys"]
    sealed = decoded(app.session)
    assert sealed[0] == 1 and sealed[1:9] == decoded(key["kid"])
    secret = HKDF(hashes.SHA256(), 32, None, b"bskyauth-server session").derive(decoded(key["secret"]))
    assert AESGCM(secret).decrypt(sealed[9:21], sealed[21:], sealed[:9]).endswith(b"ios")


def test_first_start_says_what_it_made(own_server):
    said = "".join(own_server.said)
    for words in "made the sealing key", "made the client key", "made the vault":
        assert words in said
    assert said.count("backups") == 3


def test_readable_keys_are_refused(own_server):
    own_server.stop()
    file = own_server.folder / "state/keys/sealing-keys.json"
    file.chmod(0o640)
    result = own_server.run("serve")
    assert result.returncode == 1 and f"chmod go= {file}" in result.stderr
    file.chmod(0o600)
    own_server.start()


def test_check_prints_each_value(own_server):
    result = own_server.run("check")
    assert result.returncode == 0
    assert f"base_url = {own_server.base}\n" in result.stdout and "session_idle = 1209600s\n" in result.stdout
    assert f"apps.ios = {IOS}\n" in result.stdout


@pytest.mark.parametrize("line, words", [
    ('base_urll = "x"', "base_urll is no setting of this version"),
    ('listen = "0.0.0.0:80"', "listen is reached by other machines"),
    ("confidential = 1", "confidential is neither true nor false"),
    ('session_idle = "14"', 'session_idle is "14": write a number and a unit'),
    ("x = ", "the file is no TOML"),
])
def test_wrong_settings(own_server, line, words):
    key = line.split(" ")[0]
    kept = [old for old in own_server.config.read_text().splitlines() if not old.startswith(key + " ")]
    own_server.config.write_text("\n".join([line, *kept]))
    for command in "check", "serve":
        result = own_server.run(command)
        assert result.returncode == 64 and words in result.stderr, result.stderr
        assert result.stdout == ""


@pytest.mark.parametrize("planted", [
    '{"access_token": "x"}', '{"refresh_token":"x"}', "Bearer eyJhbGciOiJFUzI1NiJ9.eyJz", "ref-0123456789ab",
    '{"kty":"EC","d":"x"}', "-----BEGIN PRIVATE KEY-----",
])
def test_scan_finds_a_planted_secret(planted):
    """The scan of conftest.py, which looks through every answer of the run, is able to fail."""
    assert scan.secrets(f"HTTP/1.1 200\n\n{planted}")


def test_readme_tells_every_error():
    words = set()
    for file in (parts.ROOT / "Server/Sources/BskyAuthServer").rglob("*.swift"):
        words |= set(re.findall(r'\.[a-z][A-Za-z]+,\s+"([a-z]+(?:_[a-z]+)+)"', file.read_text()))
    told = set(re.findall(r"`([a-z_]+)`", (parts.ROOT / "Server/README.md").read_text()))
    assert {"session_ended", "too_many_uploads", "rate_limited"} <= words
    assert words <= told, words - told
