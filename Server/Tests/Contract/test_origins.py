"""Pages of other origins (CORS), and pages that share the host of the server."""
import pytest

import parts
from parts import App, Browser, Server
from proxied_sites import App as Site
from proxied_sites import Proxy

WEB, OTHER = "https://web.example.org", "https://other.example.org"
GET_SESSION = "/xrpc/com.atproto.server.getSession"
SECTIONS = [f"[[apps]]\nname = '{name}'\nredirects = ['{origin}/callback']\norigins = ['{origin}']"
            for name, origin in (("web", WEB), ("other", OTHER))]


@pytest.fixture(scope="module")
def listed(sandbox, tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("listed"), sandbox, sections=SECTIONS)
    yield server
    server.stop()


@pytest.fixture
def web(listed):
    app = App(listed, f"{WEB}/callback")
    app.log_in()
    return app


def of(origin, site="cross-site"):
    return [("origin", origin), ("sec-fetch-site", site), ("sec-fetch-dest", "empty")]


def assert_closed(answer):
    assert not [name for name in answer.headers if name.lower().startswith("access-control-")]
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"


def assert_open(answer, origin=WEB):
    assert answer.headers.get_all("access-control-allow-origin") == [origin]
    assert answer.headers.get_all("vary") == ["Origin"]
    assert "access-control-allow-credentials" not in answer.headers
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
    assert answer.headers["cache-control"] == "no-store" and answer.headers["x-content-type-options"] == "nosniff"


def preflight(server, path, origin, method="POST"):
    return server.send("OPTIONS", path, headers=[
        *of(origin), ("access-control-request-method", method),
        ("access-control-request-headers", "authorization,content-type")])


def test_a_page_of_an_app_logs_in_and_calls(listed, sandbox):
    app = App(listed, f"{WEB}/callback")
    app.verifier = "x" * 43
    start = app.post("/api/auth/start", {
        "handle": "alice.test", "redirect": app.redirect, "code_challenge": parts.challenge(app.verifier)},
        headers=of(WEB))
    assert start.status == 200
    assert_open(start)
    assert_closed(app.post("/api/auth/start", {}, headers=of("https://evil.example")))
    tokens = app.exchange(app.code())
    assert_closed(tokens)
    answer = app.post("/api/auth/tokens", {"code": "x", "code_verifier": "y"}, headers=of(WEB))
    assert answer.status == 400
    assert_open(answer)
    app.session = tokens.json["session"]
    for path in "/api/auth/session", "/api/accounts", GET_SESSION, "/xrpc/com.atproto.server.createSession", "/api/nothing":
        answer = app.send("GET", path, headers=of(WEB))
        assert_open(answer)
    assert app.send("GET", GET_SESSION, headers=of(WEB)).json["did"] == sandbox.dids["alice.test"]


@pytest.mark.parametrize("path", ["/api/accounts", "/api/auth/tokens", GET_SESSION])
def test_preflight(listed, path):
    for origin in WEB, OTHER:
        answer = preflight(listed, path, origin)
        assert answer.status == 204 and answer.body == ""
        assert_open(answer, origin)
        assert answer.headers["access-control-allow-methods"] == "GET, HEAD, POST"
        assert "Authorization" in answer.headers["access-control-allow-headers"]
        assert "*" not in answer.headers["access-control-allow-headers"]
    for origin in STRANGERS:
        answer = preflight(listed, path, origin)
        assert answer.status in (401, 405)
        assert_closed(answer)
        assert answer.headers["vary"] == "Origin"


STRANGERS = [
    "null", "https://evil.example", WEB + "/", WEB + ":443", WEB.upper(), WEB.replace("https", "http"), WEB + ".evil.example",
    "https://evil" + WEB.removeprefix("https://"), f"{WEB}, {OTHER}", f"{WEB} {OTHER}", "", "*", parts.OTHER_BASE]


@pytest.mark.parametrize("origin", STRANGERS)
def test_other_origins_read_nothing(web, origin):
    for path in "/api/accounts", GET_SESSION:
        answer = web.send("GET", path, headers=of(origin))
        assert answer.status == 200
        assert_closed(answer)


def test_two_origins_are_none(web):
    assert_closed(web.send("GET", "/api/accounts", headers=[("origin", WEB), ("origin", OTHER)]))


def test_the_origin_of_one_app_does_not_take_the_session_of_another(web):
    answer = web.send("GET", "/api/accounts", headers=of(OTHER))
    assert answer.status == 401 and answer.json["error"] == "session_ended"
    assert web.send("GET", "/api/accounts", headers=of(WEB)).status == 200


def test_cookies_are_for_this_origin_alone(listed):
    browser = Browser(listed)
    browser.log_in()
    for site in "cross-site", "same-site":
        for path in "/api/accounts", "/api/auth/session":
            assert_closed(browser.get(path, site=site, origin=WEB))
        for path in "/api/auth/start", "/api/auth/tokens", "/api/auth/logout":
            answer = browser.post(path, {"handle": "alice.test"}, site=site, origin=WEB)
            assert answer.status in (400, 403)
            assert_closed(answer)
        answer = browser.get(GET_SESSION, site=site, origin=WEB, headers=[("sec-fetch-dest", "empty")])
        assert answer.status == 403
        assert_closed(answer)
    assert browser.get("/api/auth/session").status == 200


@pytest.mark.parametrize("path", ["/login", "/health", "/oauth/jwks.json", "/openapi.json", "/accounts", "/mobile/refresh-token"])
def test_only_the_api_is_for_other_origins(web, path):
    answer = web.send("GET", path, headers=of(WEB))
    assert_closed(answer)
    assert "vary" not in answer.headers
    assert_closed(preflight(web.server, path, WEB))


def test_no_origin_is_listed_by_default(server, app):
    app.log_in()
    answer = app.send("GET", "/api/accounts", headers=of(WEB))
    assert answer.status == 200 and "vary" not in answer.headers
    assert_closed(answer)
    assert_closed(preflight(server, "/api/accounts", WEB))


# Pages on the same host

#: Addresses of the server, and of the pages.
OWN = ["/login", "/login?handle=x", "/mobile-auth", "/accounts", "/callback", "/oauth/callback?state=x", "/oauth/jwks.json",
       "/oauth-client-metadata.json", "/client-metadata.json", "/api/auth/session", "/api/accounts", "/api/accounts/switch",
       "/xrpc/com.atproto.server.getSession?x=y", "/mobile/refresh-token", "/health", "/openapi.json"]
PAGES = ["/", "/index.html", "/api/other", "/loginx", "/accounts/me", "/healthy", "/auth0", "/xrpcs", "/oauthx"]


class SharedHost(Proxy):
    """A proxy whose host has the server and pages, as an example of the README shows."""
    sites = [["pages.example.com"]]
    beginnings = {"nginx": "```nginx\n# The addresses", "caddy": "```caddyfile\napp.example.com"}
    host = "app.example.com"

    def whole(self, text):
        if self.kind == "caddy":
            return text
        return f"""server {{
    listen 443 ssl;
    server_name {self.host};
    ssl_certificate /etc/ssl/example.com.pem;
    ssl_certificate_key /etc/ssl/example.com.key;
{text}}}
"""


@pytest.mark.parametrize("kind", ["nginx", "caddy"])
def test_pages_on_the_host_of_the_server(sandbox, tmp_path, kind):
    (tmp_path / "server").mkdir()
    server = Server(tmp_path / "server", sandbox, base="https://pages.example.com")
    site = Site()
    proxy = SharedHost(kind, tmp_path, server, site)
    try:
        for path in OWN:
            assert proxy.send("GET", path).headers["x-content-type-options"] == "nosniff", path
        for path in PAGES:
            assert proxy.send("GET", path).json["path"] == path
        browser = Browser(proxy)
        browser.log_in()
        assert browser.get("/api/auth/session").json["handle"] == "alice.test"
        assert browser.post("/api/auth/logout").status == 200
    finally:
        proxy.stop()
        site.stop()
        server.stop()
