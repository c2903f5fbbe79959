"""Sites that the server protects: `/auth`, its pages, and the examples for nginx and Caddy."""
import os
import re
import subprocess
import urllib.parse

import pytest

import parts
from parts import App, Browser, approve
from proxied_sites import AUTH, FILES, WIKI, Proxy, Server, Visitor, next_page
from proxied_sites import App as Site

COOKIE = "__Secure-bskyauth"
PAGE = f"https://{WIKI}/page?a=1&b=%20x"
#: How the test network tells whose a handle is.
RESOLUTION = ["/.well-known/atproto-did", "/xrpc/com.atproto.identity.resolveHandle"]
LOGIN = f"https://{AUTH}/auth/login?rd="


@pytest.fixture(scope="module")
def gate(sandbox, tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("gate"), sandbox)
    yield server
    server.stop()


@pytest.fixture(autouse=True)
def members(gate, sandbox):
    gate.members.write_text(f"# The members\n{sandbox.dids['alice.test']}  # Alice\n")


@pytest.fixture(scope="module")
def site():
    site = Site()
    yield site
    site.stop()


@pytest.fixture(scope="module", params=["nginx", "caddy"])
def proxy(request, gate, site, tmp_path_factory):
    proxy = Proxy(request.param, tmp_path_factory.mktemp(request.param), gate, site)
    yield proxy
    proxy.stop()


@pytest.fixture
def visitor(gate):
    return Visitor(gate)


def ask(visitor, method="GET", **options):
    return visitor.open("/auth", method, **options)


def removals(*places):
    return [f"{COOKIE}=; Path=/{place}; Max-Age=0; Secure; HttpOnly; SameSite=Lax" for place in places]


def sent(answer, name):
    return [value for key, value in answer.json["headers"] if key == name]


# The examples

def test_a_person_logs_in_and_opens_the_page(proxy, sandbox):
    visitor = Visitor(proxy)
    answer = visitor.open(PAGE)
    assert answer.status == 302 and answer.location == LOGIN + PAGE
    visitor.enter(PAGE)
    answer = visitor.open(PAGE)
    assert answer.status == 200 and answer.json["path"] == "/page?a=1&b=%20x"
    assert sent(answer, "x-auth-did") == [sandbox.dids["alice.test"]]
    assert sent(answer, "x-auth-handle") == ["alice.test"]
    # The cookie is good at the second site too.
    assert visitor.open(f"https://{FILES}/").status == 200


def test_nothing_that_a_client_forges_reaches_the_app(proxy, site, sandbox):
    visitor = Visitor(proxy)
    forged = [
        (name, "did:plc:forged") for name in (
            "X-Auth-Did", "x-auth-did", "X-Auth-Handle", "X_Auth_Did", "X-Auth_Did", "x_auth-handle")]
    site.seen.clear()
    assert visitor.open(PAGE, headers=forged).status == 302
    assert site.seen == []
    visitor.enter(PAGE)
    answer = visitor.open(PAGE, headers=forged)
    assert answer.status == 200 and "forged" not in answer.body
    assert sent(answer, "x-auth-did") == [sandbox.dids["alice.test"]]
    assert sent(answer, "x-auth-handle") == ["alice.test"]


def test_our_cookie_does_not_reach_the_app(proxy):
    visitor = Visitor(proxy)
    visitor.enter(PAGE)
    secret = visitor.cookies.pop(COOKIE)
    ours = f"{COOKIE}={secret}"
    for before, after in ([], []), (["a=1"], []), ([], ["b=2"]), (["a=1", "c=x=y"], ["b=2"]):
        answer = visitor.open(PAGE, cookies=[*before, ours, *after])
        assert answer.status == 200 and secret not in answer.body
        kept = "; ".join(sent(answer, "cookie")).split("; ")
        assert [cookie for cookie in kept if cookie not in ("", "bskyauth=removed")] == [*before, *after]
    for strange in [ours, "a=1", ours], [ours + ";a=1;" + ours], ["a=" + ours, ours], [ours, ours, ours]:
        assert secret not in visitor.open(PAGE, cookies=strange).body
    # Without our cookie, the app gets the others as they are, once it is reached.
    assert visitor.open(PAGE, cookies=["a=1"]).status == 302


def test_only_pages_are_led_to_the_login(proxy, sandbox):
    visitor = Visitor(proxy)
    for method, mode, status in [
            ("GET", "navigate", 302), ("HEAD", "navigate", 302), ("GET", "cors", 401), ("GET", "no-cors", 401),
            ("GET", "websocket", 401), ("POST", "navigate", 401), ("POST", None, 401)]:
        fields = [("sec-fetch-mode", mode)] if mode else []
        answer = visitor.open(PAGE, method, headers=fields)
        assert answer.status == status, (method, mode)
        assert (answer.location == LOGIN + PAGE) == (status == 302)
    visitor.enter(PAGE)
    # A WebSocket of a member is passed on.
    answer = visitor.open(PAGE, headers=[("upgrade", "websocket"), ("connection", "Upgrade"), ("sec-fetch-mode", "websocket")])
    assert sent(answer, "upgrade") == ["websocket"] and sent(answer, "connection")[0].lower() == "upgrade"
    assert sent(answer, "x-auth-did") == [sandbox.dids["alice.test"]]
    assert sent(visitor.open(PAGE), "upgrade") == []
    # After another upgrade, the proxy would not see the requests of the client any more.
    for other in ["h2c", "websocket, h2c", "TLS/1.0"]:
        answer = visitor.open(PAGE, headers=[("upgrade", other), ("connection", "Upgrade, HTTP2-Settings"), ("http2-settings", "")])
        assert answer.status == 200 and sent(answer, "upgrade") == [], other


def test_removed_member_is_refused_at_the_next_request(proxy, gate, sandbox):
    visitor = Visitor(proxy)
    visitor.enter(PAGE)
    assert visitor.open(PAGE).status == 200
    gate.members.write_text(sandbox.dids["bob.test"] + "\n")
    answer = visitor.open(PAGE)
    assert answer.status == 302 and answer.location == LOGIN + PAGE
    page = visitor.get(answer.location.removeprefix(proxy.base))
    assert page.status == 200 and "@alice.test may not open this site" in page.body
    # Somebody else may log in in the same browser.
    visitor.enter(PAGE, "bob.test")
    assert sent(visitor.open(PAGE), "x-auth-handle") == ["bob.test"]


def test_logout(proxy):
    visitor = Visitor(proxy)
    visitor.enter(PAGE)
    kept = f"{COOKIE}={visitor.cookies[COOKIE]}"
    assert "You are logged in as @alice.test" in visitor.get("/auth/logout").body
    assert visitor.post("/auth/logout", {}, type="form", site="same-site").status == 403
    assert visitor.open(PAGE).status == 200
    answer = visitor.post("/auth/logout", {}, type="form")
    assert answer.status == 200 and "You are logged out" in answer.body and f'href="https://{WIKI}"' in answer.body
    # A stranger need not know the sites.
    page = Visitor(proxy).get("/auth/logout")
    assert "You are logged out" in page.body and WIKI not in page.body
    assert answer.cookies == removals("", f"; Domain={AUTH}", "; Domain=example.com")
    assert visitor.open(PAGE, cookies=[kept]).status == 302


def test_site_fails_closed_without_a_list(proxy, gate, site):
    visitor = Visitor(proxy)
    visitor.enter(PAGE)
    gate.members.unlink()
    site.seen.clear()
    assert visitor.open(PAGE).status == 500
    assert site.seen == []
    check = gate.run("check")
    assert check.returncode == 0 and "Until it can be read, every visitor is refused." in check.stderr


# The server

def test_answers_of_auth(visitor, gate, sandbox):
    answer = ask(visitor)
    assert answer.status == 401 and answer.json["error"] == "no_session"
    answer = visitor.enter(PAGE)
    *removed, cookie = answer.cookies
    assert removed == removals("", f"; Domain={AUTH}")
    assert re.fullmatch(
        rf"{COOKIE}=[\w-]{{80,300}}; Path=/; Domain=example.com; Max-Age=(604800|6047\d\d); Secure; HttpOnly; SameSite=Lax",
        cookie)
    for method in "GET", "HEAD":
        answer = ask(visitor, method)
        assert answer.status == 202 and answer.body == "" and answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-auth-did"] == sandbox.dids["alice.test"]
        assert answer.headers["x-auth-handle"] == "alice.test"
    gate.members.write_text("# nobody\n")
    answer = ask(visitor)
    assert answer.status == 403 and answer.json["error"] == "not_a_member"
    assert "x-auth-did" not in answer.headers
    assert ask(visitor, "HEAD").body == ""
    assert ask(visitor, "POST").status == 405


def test_a_person_who_is_forgotten_is_logged_out_of_sites(visitor, gate, sandbox):
    visitor.enter(PAGE)
    assert ask(visitor).status == 202
    result = gate.run("forget", sandbox.dids["alice.test"])
    assert result.returncode == 0 and not result.stdout.startswith("0 of"), result
    assert ask(visitor).status == 401


def test_login_keeps_no_tokens(visitor, sandbox):
    visitor.enter(PAGE)
    client = f"https://{AUTH}/oauth-client-metadata.json"
    assert [session for session in sandbox.sessions() if session["client_id"] == client] == []


def test_a_member_by_handle(visitor, gate):
    visitor.enter(PAGE)
    for line in "alice.test", "@Alice.Test":
        gate.members.write_text(line)
        assert ask(visitor).status == 202
    gate.members.write_text("bob.test")
    assert ask(visitor).status == 403


def test_a_handle_that_is_not_verified_does_not_count(sandbox, tmp_path):
    server = Server(tmp_path, sandbox, "handles.example.com")
    try:
        server.members.write_text(sandbox.dids["alice.test"])
        visitor = Visitor(server)
        visitor.enter(PAGE)
        # The server has verified no handle yet.
        sandbox.faults(*({"match": {"path": path}, "action": {"respond": {"status": 500}}} for path in RESOLUTION))
        answer = ask(visitor)
        assert answer.status == 202 and answer.headers["x-auth-handle"] == "handle.invalid"
        server.members.write_text("alice.test")
        assert ask(visitor).status == 403
        # It asks again after a minute, and when it has just started.
        sandbox.faults()
        server.stop()
        server.start()
        assert ask(visitor).status == 202
    finally:
        server.stop()


def test_a_list_in_another_encoding_names_the_problem(visitor, gate, sandbox):
    visitor.enter(PAGE)
    line = sandbox.dids["alice.test"] + "\n"
    for encoding, words in ("utf-16", "is UTF-16"), ("utf-16-be", "is UTF-16"), ("utf-16-le", "is UTF-16"), (None, "is not UTF-8"):
        gate.members.write_bytes(line.encode(encoding) if encoding else line.encode() + b"# \xe4\n")
        assert ask(visitor).status == 500
        check = gate.run("check")
        assert check.returncode == 0 and f"{gate.members} {words}" in check.stderr and "Save it as UTF-8" in check.stderr
        assert gate.says(f"{gate.members} {words}")
    # Some programs begin UTF-8 with a mark.
    gate.members.write_bytes(line.encode("utf-8-sig"))
    assert ask(visitor).status == 202 and str(gate.members) not in gate.run("check").stderr
    gate.members.unlink()
    assert f"{gate.members} can't be read. Check" in gate.run("check").stderr


def test_settings_in_another_encoding_name_the_problem(gate):
    other = gate.config.with_name("utf16.toml")
    other.write_text(gate.config.read_text(), "utf-16")
    result = subprocess.run([gate.program, "check", "--config", other], capture_output=True, text=True)
    assert result.returncode == 64 and f"{other} is UTF-16" in result.stderr


@pytest.mark.parametrize("text", [None, "alice.test\nno handle\n", "did:plc:\n", "alice.test bob.test", "\xff"])
def test_a_list_that_can_not_be_read_refuses_everybody(visitor, gate, text):
    visitor.enter(PAGE)
    gate.members.unlink()
    if text is not None:
        gate.members.write_bytes(text.encode("latin-1"))
    answer = ask(visitor)
    assert answer.status == 500 and "x-auth-did" not in answer.headers
    assert visitor.get("/auth/logout").status == 200
    gate.members.write_text("alice.test")
    assert ask(visitor).status == 202


def test_the_cookie_opens_nothing_else(visitor, gate, sandbox):
    visitor.enter(PAGE)
    secret = visitor.cookies[COOKIE]
    sandbox.control("POST", "journal/reset")
    for path in "/api/auth/session", "/api/accounts", "/xrpc/com.atproto.server.getSession":
        for headers in (
                [("cookie", f"{COOKIE}={secret}")], [("cookie", f"__Host-sid={secret}")],
                [("authorization", f"Bearer {secret}")], [("cookie", f"__Host-sid={secret}; {COOKIE}={secret}")]):
            answer = gate.get(path, [*headers, ("sec-fetch-site", "same-origin"), ("sec-fetch-dest", "empty")])
            assert answer.status == 401, (path, headers)
    assert sandbox.journal(role="pds") == []


def test_no_other_session_opens_a_site(visitor, gate):
    visitor.log_in()
    app = App(gate)
    app.log_in()
    secrets = visitor.cookies["__Host-sid"], app.session
    for secret in secrets:
        for headers in (
                [("cookie", f"__Host-sid={secret}")], [("cookie", f"{COOKIE}={secret}")],
                [("authorization", f"Bearer {secret}")]):
            assert gate.get("/auth", headers).status == 401


def test_a_changed_bit_is_refused(visitor):
    visitor.enter(PAGE)
    secret = visitor.cookies.pop(COOKIE)
    for index in 0, len(secret) // 2, len(secret) - 2:
        other = "A" if secret[index] != "A" else "B"
        changed = secret[:index] + other + secret[index + 1:]
        assert ask(visitor, cookies=[f"{COOKIE}={changed}"]).status == 401
    assert ask(visitor, cookies=[f"{COOKIE}={secret}"]).status == 202


def login_cookies(gate, *handles):
    """The cookie of a login of each, in the order of their logins."""
    cookies = []
    for handle in handles:
        person = Visitor(gate)
        person.enter(PAGE, handle)
        cookies.append(f"{COOKIE}={person.cookies[COOKIE]}")
    return cookies


def test_another_cookie_of_the_name_hides_no_login(gate, sandbox):
    # The domain was another one before, or another site has set the name, too.
    (good,) = login_cookies(gate, "alice.test")
    junk = [f"{COOKIE}={text}" for text in ("", "x", "A" * 200)]
    for cookies in [good, good], [junk[0], good], [good, junk[1]], [junk[2], good, *junk[:2]], ["a=1", good, "b=2", junk[0]]:
        answer = ask(Visitor(gate), cookies=cookies)
        assert answer.status == 202 and answer.headers["x-auth-did"] == sandbox.dids["alice.test"]
    for cookies in junk, [*junk, f"{COOKIE}=y", good], [good, *junk, f"{COOKIE}=y"]:
        assert ask(Visitor(gate), cookies=cookies).status == 401


def test_two_logins_of_one_person_count(gate, sandbox):
    one, other = login_cookies(gate, "alice.test", "alice.test")
    for cookies in [one, other], [other, one]:
        assert ask(Visitor(gate), cookies=cookies).status == 202


def test_no_login_of_two_people_counts(gate, visitor, sandbox):
    gate.members.write_text("\n".join(sandbox.dids.values()))
    alice, bob = login_cookies(gate, "alice.test", "bob.test")
    for cookies in [alice, bob], [bob, alice]:
        assert ask(visitor, cookies=cookies).status == 401
        page = visitor.open(f"/auth/login?rd={PAGE}", cookies=cookies)
        assert page.status == 200 and "logins of several people" in page.body and 'action="/auth/login"' in page.body
    page = visitor.open("/auth/logout", cookies=[alice, bob])
    assert "@alice.test" in page.body and "@bob.test" in page.body
    # A new login ends both, and the person is not sent back to the form.
    redirect = approve(visitor.start(PAGE), "alice.test")
    visitor.cookies[COOKIE] = f"{bob.split('=')[1]}; {alice}"
    assert next_page(visitor.follow(redirect)) == PAGE
    assert ask(visitor).status == 202
    for cookie in alice, bob:
        assert ask(Visitor(gate), cookies=[cookie]).status == 401


def test_too_many_logins_count_as_none(gate, visitor):
    cookies = login_cookies(gate, *["alice.test"] * 5)
    assert ask(visitor, cookies=cookies[:4]).status == 202
    assert ask(visitor, cookies=cookies).status == 401
    assert "more than 4 logins" in visitor.open(f"/auth/login?rd={PAGE}", cookies=cookies).body


def log_out(visitor, cookies):
    fields = [("cookie", "; ".join(cookies)), ("sec-fetch-site", "same-origin"),
              ("content-type", "application/x-www-form-urlencoded")]
    return visitor.server.send("POST", "/auth/logout", b"", fields)


def test_logout_ends_each_login_or_does_not_say_so(gate, visitor):
    good = login_cookies(gate, "alice.test", "bob.test", "alice.test")
    answer = log_out(visitor, [f"{COOKIE}=x", *good])
    assert answer.status == 200 and "You are logged out" in answer.body
    for cookie in good:
        assert ask(visitor, cookies=[cookie]).status == 401
    # Nothing was good.
    answer = log_out(visitor, [f"{COOKIE}=x", *good])
    assert answer.status == 200 and "You are logged out" in answer.body
    (good,) = login_cookies(gate, "bob.test")
    cookies = [*(f"{COOKIE}={number}" for number in range(4)), good]
    answer = log_out(visitor, cookies)
    assert answer.status == 400 and "You are logged out" not in answer.body and answer.cookies == []
    assert "You are logged out" not in visitor.open("/auth/logout", cookies=cookies).body


@pytest.mark.parametrize("rd", [
    "https://evil.example/", "http://wiki.example.com/", "//wiki.example.com/", "/page", "", "wiki.example.com",
    "https://wiki.example.com@evil.example/", "https://wiki.example.com:8443/", "https://wiki.example.com.evil.example/",
    "https://evil.example/https://wiki.example.com/", "https:/wiki.example.com/", "https://x.wiki.example.com/",
    "https://wiki.example.com\\@evil.example/", "https:\\\\wiki.example.com/", "https://evil.example\\.wiki.example.com/",
    "javascript:alert(1)//https://wiki.example.com/", "https://wiki.example.com/\r\na: b", "https://wiki.example.com/\t",
    "https://sites.example.com/accounts", "https://user:word@wiki.example.com/", "https://wiki.example.com%2eevil.example/",
    "https://wiki.example.com/#x", "https://[::1]/", " https://wiki.example.com/", "https://wiki\u3002example.com/",
])
def test_open_redirects_are_refused(visitor, sandbox, rd):
    sandbox.control("POST", "journal/reset")
    answers = [visitor.get(f"/auth/login?rd={urllib.parse.quote(rd, safe='')}")]
    if re.fullmatch(r"[!-~]*", rd) and "#" not in rd:
        answers.append(visitor.get(f"/auth/login?rd={rd}"))
    answers.append(visitor.post("/auth/login", {"handle": "alice.test", "rd": rd}, type="form"))
    for answer in answers:
        assert answer.status == 400 and "not on a protected site" in answer.body
    assert visitor.cookies == {} and sandbox.journal(path="/oauth/par") == []


def test_a_page_without_a_site_says_what_to_do(visitor):
    for path in "/auth/login", "/auth/login?rd=", "/auth/login?rd=https://evil.example/":
        answer = visitor.get(path)
        assert answer.status == 400 and "Open the site that you want to see" in answer.body
        assert "hosts" not in answer.body and "settings" not in answer.body and 'href="/login"' not in answer.body


def test_addresses_of_sites(visitor):
    for rd in (
            "https://wiki.example.com", "https://wiki.example.com/a?b=//evil.example/&rd=https://evil.example/&c=%0d%0a",
            "HTTPS://WIKI.example.com:443/", "https://files.example.com/?x={a|b}", "https://wiki.example.com//evil.example"):
        for link in rd, urllib.parse.quote(rd, safe=""):
            if link.startswith("HTTPS"):
                continue
            answer = visitor.get(f"/auth/login?rd={link}")
            assert answer.status == 200, link
            site = re.search(r'name="rd" value="([^"]*)"', answer.body)[1]
            assert re.match(r"https://(wiki|files)\.example\.com/", site), site


def test_a_login_is_bound_to_its_browser_and_its_page(gate, visitor, sandbox):
    sandbox.control("POST", "journal/reset")
    for site in "cross-site", "same-site", "none":
        answer = visitor.post("/auth/login", {"handle": "alice.test", "rd": PAGE}, type="form", site=site)
        assert answer.status == 403
    # A link starts nothing.
    assert visitor.get(f"/auth/login?handle=alice.test&rd=https://{WIKI}/").status == 200
    assert visitor.get(f"/auth/login?rd={PAGE}&handle=alice.test", site="cross-site").status == 200
    assert sandbox.journal(path="/oauth/par") == []
    redirect = approve(visitor.start(PAGE), "alice.test")
    stranger = Browser(gate)
    assert stranger.follow(redirect).status == 400 and stranger.cookies == {}
    assert next_page(visitor.follow(redirect)) == PAGE
    answer = visitor.follow(redirect)
    assert answer.status == 200 and "Open the site" in answer.body and WIKI not in answer.body and answer.cookies == []
    assert stranger.follow(redirect).status == 400


def test_a_login_that_fails_shows_the_form_again(visitor):
    answer = visitor.post("/auth/login", {"handle": "nobody.test", "rd": PAGE}, type="form")
    assert answer.status == 400 and 'role="alert"' in answer.body and 'action="/auth/login"' in answer.body
    answer = visitor.follow(approve(visitor.start(PAGE), "alice.test", "reject"))
    assert answer.status == 400 and "cancelled" in answer.body and 'action="/auth/login"' in answer.body
    assert COOKIE not in visitor.cookies


def test_a_new_login_ends_the_one_before(visitor):
    visitor.enter(PAGE)
    first = f"{COOKIE}={visitor.cookies[COOKIE]}"
    visitor.enter(PAGE)
    assert ask(visitor).status == 202
    visitor.cookies.pop(COOKIE)
    assert ask(visitor, cookies=[first]).status == 401


def test_logout_everywhere_ends_the_login_for_sites(visitor):
    visitor.enter(PAGE)
    visitor.log_in()
    assert ask(visitor).status == 202
    assert visitor.post("/api/auth/logout-everywhere").status == 200
    assert ask(visitor).status == 401


def test_it_is_off_without_its_section(server):
    for path in "/auth", "/auth/login", "/auth/logout":
        assert server.get(path).status == 404


# Chromium

@pytest.mark.skipif(
    not os.path.exists("/usr/bin/chromedriver") and not os.environ.get("BSKYAUTH_TEST_CHROMIUM"),
    reason="Chromium is missing")
def test_chromium_opens_a_page_of_a_site(proxy, gate):
    from chromium_site import Chromium
    from selenium.webdriver.common.by import By
    chromium = Chromium(proxy)
    driver = chromium.driver
    try:
        chromium.open(PAGE)
        assert driver.current_url == LOGIN + PAGE
        driver.find_element(By.ID, "handle").send_keys("alice.test")
        chromium.arrive(lambda: chromium.click("button[type=submit]"))
        chromium.until(lambda: driver.find_elements(By.ID, "password"))
        chromium.sign_in()
        chromium.click("button[value=accept]")
        chromium.until(lambda: driver.current_url == PAGE and chromium.is_there())
        assert "alice.test" in driver.page_source and COOKIE not in driver.execute_script("return document.cookie")
        chromium.open(f"https://{FILES}/")
        assert driver.current_url == f"https://{FILES}/"
        chromium.open(proxy.base + "/auth/logout")
        chromium.arrive(lambda: chromium.click("button[type=submit]"))
        chromium.open(PAGE)
        assert driver.current_url == LOGIN + PAGE
    finally:
        driver.quit()
