"""Calls of XRPC through the server, as an account of a session."""
import concurrent.futures
import hashlib
import random

import pytest

from parts import BASE, App, Browser

GET_SESSION = "/xrpc/com.atproto.server.getSession"
CREATE = "/xrpc/com.atproto.repo.createRecord"
SCRIPT = [("sec-fetch-dest", "empty")]


@pytest.fixture
def phone(server):
    app = App(server)
    app.log_in("alice.test")
    return app


@pytest.fixture
def page(server):
    browser = Browser(server)
    browser.log_in("alice.test")
    return browser


def post(did, text="Hello"):
    return {
        "repo": did, "collection": "app.bsky.feed.post",
        "record": {"$type": "app.bsky.feed.post", "text": text, "createdAt": "2026-11-25T00:00:00Z"}}


def records(did):
    return f"/xrpc/com.atproto.repo.listRecords?repo={did}&collection=app.bsky.feed.post"


def respond(sandbox, headers, body, status=200):
    """Has the server of the accounts answer listRecords as it pleases."""
    sandbox.faults({
        "match": {"path": "/xrpc/com.atproto.repo.listRecords"},
        "action": {"respond": {"status": status, "headers": headers, "body": body}}})


# covers: C4
def test_app_calls_as_its_account(phone, sandbox):
    did = sandbox.dids["alice.test"]
    session = phone.send("GET", GET_SESSION)
    assert session.status == 200 and session.json == {"did": did, "handle": "alice.test", "active": True}
    written = phone.post(CREATE, post(did))
    assert written.status == 200, written.body
    listed = phone.send("GET", records(did)).json["records"]
    assert written.json["uri"] in [record["uri"] for record in listed]


def test_one_call_is_one_request(phone, sandbox):
    did = sandbox.dids["alice.test"]
    phone.post(CREATE, post(did))
    sandbox.control("POST", "journal/reset")
    assert phone.post(CREATE, post(did)).status == 200
    (line,) = sandbox.journal()
    assert line["auth"] == "oauth" and line["status"] == 200


# covers: C3
def test_script_of_a_page_calls_with_the_cookie(page, sandbox):
    did = sandbox.dids["alice.test"]
    assert page.get(GET_SESSION, site="same-origin", headers=SCRIPT).json["did"] == did
    assert page.post(CREATE, post(did), headers=SCRIPT).status == 200
    assert page.post(CREATE, post(did), site=None, origin=BASE).status == 200


@pytest.mark.parametrize("source", [
    {"site": "cross-site", "headers": SCRIPT}, {"site": "same-site", "headers": SCRIPT},
    {"site": "none", "headers": [("sec-fetch-dest", "document")]},
    {"site": "same-origin"}, {"site": None}, {"site": None, "origin": "https://evil.example"},
    {"site": None, "origin": BASE, "headers": [("sec-fetch-dest", "document")]},
    *[{"site": "same-origin", "headers": [("sec-fetch-dest", destination)]}
      for destination in ("document", "iframe", "image", "script", "serviceworker", "object", "style", "")],
    {"site": "same-origin", "headers": SCRIPT + [("sec-fetch-dest", "document")]},
])
def test_cookie_counts_for_no_page_and_no_other_site(page, sandbox, source):
    did = sandbox.dids["alice.test"]
    sandbox.control("POST", "journal/reset")
    assert page.get(records(did), **source).status == 403
    assert page.post(CREATE, post(did), **source).status == 403
    assert sandbox.journal(role="pds") == []


def test_without_a_good_session_nothing_is_sent(server, phone, sandbox):
    did = sandbox.dids["alice.test"]
    changed = phone.session[:-1] + ("A" if phone.session[-1] != "A" else "Q")
    sandbox.control("POST", "journal/reset")
    for token in changed, "x", "alice":
        assert phone.send("GET", records(did), session=token).status == 401
    answer = server.get(records(did))
    assert answer.status == 401 and answer.json["error"] == "no_session"
    assert server.get(records(did), [("authorization", "Basic YTpi")]).status == 401
    assert server.get(records(did), [("authorization", f"DPoP {phone.session}")]).status == 401
    phone.post("/api/auth/logout", {"all": True})
    assert phone.send("GET", records(did)).status == 401
    assert sandbox.journal(path="/xrpc/com.atproto.repo.listRecords") == []


def test_account_of_a_call(page, sandbox):
    alice = page.get("/api/auth/session").json["account"]
    page.log_in("bob.test")
    bob = page.get("/api/auth/session").json["account"]

    def caller(*accounts):
        answer = page.get(
            GET_SESSION, site="same-origin",
            headers=SCRIPT + [("bskyauth-account", account) for account in accounts])
        return answer.json["did"] if answer.status == 200 else answer.status

    assert caller() == caller(bob) == sandbox.dids["bob.test"]
    assert caller(alice) == sandbox.dids["alice.test"]
    assert caller("x") == caller("00000000-0000-4000-8000-000000000000") == caller(alice, bob) == 404
    stranger = App(page.server)
    stranger.log_in("alice.test")
    assert stranger.send("GET", GET_SESSION, headers=[("bskyauth-account", bob)]).status == 404
    page.post("/api/auth/logout")
    assert caller() == 409 and caller(alice) == sandbox.dids["alice.test"]


@pytest.mark.parametrize("body, type, shown", [
    ({"records": []}, "application/json", None), ('{"records":[]}', "Application/JSON; charset=utf-7", "application/json"),
    ("GIF89a", "image/gif", None), ("x", "application/vnd.ipld.car", None),
    *[("<script>alert(1)</script>", type, "application/octet-stream") for type in (
        "text/html", "image/svg+xml", "text/javascript", "application/javascript", "text/xml", "application/xhtml+xml",
        "text/plain", "application/pdf", "multipart/x-mixed-replace", "application/json, text/html", "x", "")],
])
def test_answer_is_nothing_that_a_browser_runs(page, sandbox, body, type, shown):
    respond(sandbox, {
        "content-type": type, "set-cookie": "__Host-sid=evil; Path=/; Secure", "location": "https://evil.example/",
        "refresh": "0;url=https://evil.example/", "link": "<https://evil.example/>; rel=preload",
        "clear-site-data": '"*"', "access-control-allow-origin": "*", "service-worker-allowed": "/",
        "content-security-policy": "default-src *", "x-frame-options": "ALLOWALL", "sourcemap": "https://evil.example/",
        "content-disposition": "inline; filename=x.html", "strict-transport-security": "max-age=0",
        "dpop-nonce": "nonce", "www-authenticate": "Basic", "report-to": "{}", "nel": "{}", "alt-svc": "clear",
    }, body)
    answer = page.get(records("did:web:x"), site="same-origin", headers=SCRIPT)
    assert answer.status == 200
    assert answer.headers["content-type"] == (shown or type)
    assert answer.headers["content-disposition"] == ("attachment" if shown == "application/octet-stream" else None)
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers.get_all("content-security-policy") == ["default-src 'none'; frame-ancestors 'none'; sandbox"]
    for name in (
            "set-cookie", "location", "refresh", "link", "clear-site-data", "access-control-allow-origin",
            "service-worker-allowed", "x-frame-options", "sourcemap", "strict-transport-security", "dpop-nonce",
            "www-authenticate", "report-to", "nel", "alt-svc"):
        assert name not in answer.headers, name
    assert page.get("/api/auth/session").json["handle"] == "alice.test"


HOLDING_BACK = {
    "x-content-type-options": "nosniff", "cross-origin-resource-policy": "same-origin", "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox"}


@pytest.mark.parametrize("status", [200, 204, 302, 304, 400, 401, 500])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_every_answer_holds_browsers_back(page, sandbox, method, status):
    respond(sandbox, {"content-type": "text/html", "etag": '"x"'}, "" if status in (204, 304) else "body", status)
    answer = page.send(method, records("did:web:x"), headers=SCRIPT)
    # A session whose account's server refuses it is asked about, and the refusal is passed.
    assert answer.status == status
    assert {name: answer.headers[name] for name in HOLDING_BACK} == HOLDING_BACK
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.body == ("" if method == "HEAD" or status in (204, 304) else "body")


@pytest.mark.parametrize("path", ["/xrpc/", "/xrpc/x", GET_SESSION])
def test_every_refusal_holds_browsers_back(server, path):
    answer = server.get(path)
    assert answer.status == (404 if path == "/xrpc/" else 401)
    assert {name: answer.headers[name] for name in HOLDING_BACK} == HOLDING_BACK


def test_redirect_leads_nowhere(page, sandbox):
    respond(sandbox, {"location": "https://evil.example/", "content-type": "text/html"}, "moved", status=302)
    answer = page.get(records("did:web:x"), site="same-origin", headers=SCRIPT)
    assert "location" not in answer.headers and answer.headers["content-disposition"] == "attachment"


def test_methods_and_paths(phone):
    for method in "PUT", "DELETE", "PATCH", "OPTIONS":
        answer = phone.send(method, GET_SESSION)
        assert answer.status == 405 and "access-control-allow-origin" not in answer.headers
    head = phone.send("HEAD", GET_SESSION)
    assert head.status == 200 and head.body == ""
    for path in "/xrpc/", "/xrpc/x", "/xrpc/com.atproto.server.getSession/", "/xrpc/com.atproto.server%2egetSession":
        assert phone.send("GET", path).status in (400, 404), path
    for name in "createSession", "refreshSession", "deleteSession":
        assert phone.post(f"/xrpc/com.atproto.server.{name}", {}).status == 403, name


def test_errors_of_the_account_server_are_passed(phone):
    answer = phone.send("GET", "/xrpc/com.atproto.repo.getRecord?repo=x")
    assert answer.status == 400 and answer.json["error"] == "InvalidRequest"


def test_ended_session_is_told_apart_from_an_unreachable_server(server, sandbox):
    phone = App(server)
    phone.log_in("bob.test")
    did = sandbox.dids["bob.test"]
    sandbox.faults({"match": {"role": "pds"}, "action": {"drop": "before"}})
    assert phone.send("GET", records(did)).status == 502
    sandbox.faults()
    assert phone.send("GET", records(did)).status == 200
    sandbox.control("POST", "sessions/end", {"did": did})
    sandbox.control("POST", "clock", {"advance": "2h"})
    try:
        answer = phone.post(CREATE, post(did))
        assert answer.status == 401 and answer.json["error"] == "AuthenticationRequired"
        refreshed = phone.post("/api/auth/refresh")
    finally:
        sandbox.control("POST", "clock", {"reset": True})
    assert refreshed.status == 401 and refreshed.json["error"] == "session_ended"


def test_fifty_clients_with_one_ended_token_make_one_grant(phone, sandbox):
    did = sandbox.dids["alice.test"]
    sandbox.control("POST", "clock", {"advance": "2h"})
    try:
        sandbox.control("POST", "journal/reset")
        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            answers = list(pool.map(lambda _: phone.post(CREATE, post(did)).status, range(50)))
        assert answers == [200] * 50
        assert len(sandbox.journal(grant="refresh_token", consumed=True)) == 1
    finally:
        sandbox.control("POST", "clock", {"reset": True})


def upload(phone, body, length=True):
    headers = [("authorization", f"Bearer {phone.session}"), ("content-type", "application/octet-stream")]
    if length:
        return phone.server.send("POST", "/xrpc/com.atproto.repo.uploadBlob", body, headers)
    chunks = [body[start:start + 100_000] for start in range(0, len(body), 100_000)]
    chunked = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"
    return phone.server.stream(
        "POST", "/xrpc/com.atproto.repo.uploadBlob", chunked, headers + [("transfer-encoding", "chunked")])


@pytest.mark.parametrize("size", [0, 1, 65_536, 65_537, 20_000_000])
@pytest.mark.parametrize("has_length", [True, False])
def test_uploads_of_all_sizes(phone, sandbox, size, has_length):
    content = random.Random(size).randbytes(size)
    # The first sending is refused for its nonce, so the body is sent again.
    sandbox.control("POST", "clock", {"advance": "30m"})
    try:
        answer = upload(phone, content, has_length)
        assert answer.status == 200, answer.body
        blob = answer.json["blob"]
        assert blob["size"] == size
        back = phone.server.read(
            f"/xrpc/com.atproto.sync.getBlob?did={sandbox.dids['alice.test']}&cid={blob['ref']['$link']}",
            [("authorization", f"Bearer {phone.session}")])
    finally:
        sandbox.control("POST", "clock", {"reset": True})
    assert hashlib.sha256(back).digest() == hashlib.sha256(content).digest()
    assert not list((phone.server.folder / "state").glob("body-*"))


def test_body_limit(own_server):
    own_server.stop()
    own_server.config.write_text(own_server.config.read_text().replace("[limits]", "[limits]\nupload_megabytes = 1"))
    own_server.start()
    phone = App(own_server)
    phone.log_in("alice.test")
    assert upload(phone, bytes(1 << 20)).status == 200
    for has_length in True, False:
        answer = upload(phone, bytes((1 << 20) + 1), has_length)
        assert answer.status == 413 and answer.json["error"] == "too_large"

