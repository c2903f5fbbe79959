"""Logins, sessions and accounts of browsers."""
import re
import urllib.parse

import pytest

import parts
from parts import BASE, IOS, App, Browser, approve


# covers: C3
def test_login_gives_a_cookie_and_no_token(browser, sandbox):
    answer = browser.log_in()
    assert answer.location == "/accounts"
    (cookie,) = answer.cookies
    assert re.fullmatch(
        r"__Host-sid=[\w-]{80,300}; Path=/; Max-Age=(1209600|12095\d\d); Secure; HttpOnly; SameSite=Lax", cookie)
    session = browser.get("/api/auth/session").json
    assert session["authenticated"] is True
    assert session["did"] == sandbox.dids["alice.test"]
    assert session["handle"] == "alice.test"
    assert session["app"] == "browser"
    assert "session" not in session


def test_login_cookie_flags(browser):
    (cookie,) = browser.get("/login?handle=alice.test").cookies
    assert re.fullmatch(r"__Host-login=[\w-]{43}; Path=/; Max-Age=600; Secure; HttpOnly; SameSite=Lax", cookie)


def test_login_is_a_confidential_client(browser, sandbox):
    sandbox.control("POST", "journal/reset")
    browser.log_in()
    pushes = sandbox.journal(path="/oauth/par")
    assert pushes[-1]["client_id"] == f"{BASE}/oauth-client-metadata.json"
    assert pushes[-1]["assertion"]["payload"]["iss"] == f"{BASE}/oauth-client-metadata.json"


def test_two_logins_of_one_person_are_two_sessions(server, sandbox):
    one, other = Browser(server), Browser(server)
    one.log_in()
    first = one.get("/api/auth/session").json["account"]
    other.log_in()
    assert other.get("/api/auth/session").json["account"] != first
    assert one.get("/api/auth/session").json["account"] == first
    assert one.post("/api/auth/logout").status == 200
    assert one.get("/api/auth/session").status == 401
    assert other.post("/api/auth/refresh").status == 200


# covers: C3
def test_callback_in_another_browser_is_refused(server, browser):
    start = browser.get("/login?handle=alice.test")
    redirect = approve(start.location, "alice.test")
    for stranger in Browser(server), Browser(server):
        answer = stranger.follow(redirect)
        assert answer.status == 400 and "another browser" in answer.body
        assert not answer.cookies
        stranger.get("/login?handle=bob.test")
    # The login of the right browser is not harmed.
    assert browser.follow(redirect).status == 303


def test_the_end_of_a_login_that_is_opened_again_shows_the_result(server, browser, sandbox):
    redirect = approve(browser.get("/login?handle=alice.test&redirect=/board").location, "alice.test")
    stranger = Browser(server)
    stranger.get("/login?handle=alice.test")
    assert browser.follow(redirect).location == "/board"
    session = browser.cookies["__Host-sid"]
    sandbox.control("POST", "journal/reset")
    for _ in range(2):
        answer = browser.follow(redirect)
        assert answer.status == 200 and "You are logged in" in answer.body and 'href="/accounts"' in answer.body
        assert answer.cookies == [] and "/board" not in answer.body
    assert sandbox.journal(path="/oauth/token") == [] and browser.cookies["__Host-sid"] == session
    for other in stranger, Browser(server):
        answer = other.follow(redirect)
        assert answer.status == 400 and "expired" in answer.body and "logged in" not in answer.body
    # The logout ends what the login began, and the page says nothing about it.
    assert browser.post("/api/auth/logout").status == 200
    assert browser.follow(redirect).status == 200
    assert browser.get("/api/auth/session").status == 401


def test_the_end_of_a_login_of_an_app_shows_no_code_again(server):
    app, browser = App(server), Browser(server)
    app.verifier = "x" * 43
    form = {"handle": "alice.test", "redirect": IOS, "code_challenge": parts.challenge(app.verifier)}
    page = browser.post("/login", form, type="form")
    redirect = approve(re.search(r'content="0;url=([^"]*)"', page.body)[1].replace("&amp;", "&"), "alice.test")
    answer = browser.follow(redirect)
    code = urllib.parse.parse_qs(urllib.parse.urlsplit(answer.location).query)["code"][0]
    answer = browser.follow(redirect)
    assert answer.status == 200 and "Go back to the app" in answer.body
    assert code not in answer.body and answer.location is None and IOS not in answer.body
    assert Browser(server).follow(redirect).status == 400
    assert app.exchange(code).status == 200


def test_a_login_that_failed_is_not_shown_as_done(browser):
    redirect = approve(browser.get("/login?handle=alice.test").location, "alice.test", "reject")
    for _ in range(2):
        answer = browser.follow(redirect)
        assert answer.status == 400 and "logged in" not in answer.body


def test_callback_without_a_known_state_is_refused(browser, sandbox):
    browser.get("/login?handle=alice.test")
    sandbox.control("POST", "journal/reset")
    for query in "", "?state=x&code=y", "?code=y", "?state=a&state=b&code=c", "?error=access_denied", "?state=%zz":
        answer = browser.get("/oauth/callback" + query, site="cross-site")
        assert answer.status == 400 and "expired" in answer.body, query
    assert sandbox.journal(path="/oauth/token") == []


def test_redirect_of_another_issuer_is_refused(browser, sandbox):
    start = browser.get("/login?handle=alice.test")
    redirect = approve(start.location, "alice.test")
    sandbox.control("POST", "journal/reset")
    answer = browser.follow(re.sub("iss=[^&]*", "iss=https%3A%2F%2Fevil.example", redirect))
    assert answer.status == 400 and "does not belong" in answer.body
    assert browser.follow(redirect).status == 400
    assert sandbox.journal(path="/oauth/token") == []


def test_denied_consent_saves_nothing(browser):
    start = browser.get("/login?handle=alice.test")
    answer = browser.follow(approve(start.location, "alice.test", "reject"))
    assert answer.status == 400 and "cancelled" in answer.body
    assert "__Host-sid" not in browser.cookies


def test_another_person_than_asked_for_is_refused(browser, sandbox):
    start = browser.get("/login?handle=alice.test")
    answer = browser.follow(approve(start.location, "bob.test"))
    assert answer.status == 400 and "Another account" in answer.body
    assert "__Host-sid" not in browser.cookies


@pytest.mark.parametrize("redirect", [
    "//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)", "evil", "/%0d%0aa:b c",
    "data:text/html,x", "com.example.other:/auth", IOS + "x", "", "/ü",
])
def test_open_redirects_are_refused(browser, sandbox, redirect):
    sandbox.control("POST", "journal/reset")
    answer = browser.post("/api/auth/start", {"handle": "alice.test", "redirect": redirect})
    assert answer.status == 400 and answer.json["error"] == "invalid_redirect"
    assert browser.get(f"/login?handle=alice.test&redirect={urllib.parse.quote(redirect)}").status == 400
    form = browser.post("/login", {"handle": "alice.test", "redirect": redirect}, type="form")
    assert form.status == 400
    assert sandbox.journal(path="/oauth/par") == []


def test_a_page_may_choose_where_the_login_ends(browser):
    start = browser.post("/api/auth/start", {"handle": "@alice.test ", "redirect": "/board?x=1#y"})
    assert start.status == 200 and start.json["handle"] == "alice.test"
    assert browser.follow(approve(start.json["authUrl"], "alice.test")).location == "/board?x=1#y"


def test_form_leads_on_with_a_page(browser, sandbox):
    page = browser.get("/login?redirect=/board")
    assert page.status == 200 and 'value="/board"' in page.body
    answer = browser.post("/login", {"handle": "alice.test", "redirect": "/board"}, type="form")
    assert answer.status == 200
    url = re.search(r'http-equiv="refresh" content="0;url=([^"]*)"', answer.body)[1].replace("&amp;", "&")
    assert url.startswith(sandbox.address + "/oauth/authorize?")
    assert browser.follow(approve(url, "alice.test")).location == "/board"


def test_form_shows_what_went_wrong(browser):
    answer = browser.post("/login", {"handle": '<b>"x"', "redirect": "/board"}, type="form")
    assert answer.status == 400
    assert "This is no handle" in answer.body and 'role="alert"' in answer.body
    assert 'value="&lt;b&gt;&quot;x&quot;"' in answer.body and "<b>" not in answer.body
    unknown = browser.post("/login", {"handle": "nobody.test"}, type="form")
    assert unknown.status == 400 and "No account has this handle" in unknown.body


def test_link_of_another_site_only_fills_the_form_in(browser, sandbox):
    sandbox.control("POST", "journal/reset")
    answer = browser.get("/login?handle=alice.test", site="cross-site")
    assert answer.status == 200 and 'value="alice.test"' in answer.body
    assert sandbox.journal(path="/oauth/par") == []


POSTS = ["/api/auth/refresh", "/api/auth/logout", "/api/auth/logout-everywhere", "/api/accounts/switch", "/accounts"]


@pytest.mark.parametrize("source", [
    {"site": "cross-site"}, {"site": "same-site"}, {"site": "none"}, {"site": None},
    {"site": None, "origin": "https://evil.example"}, {"site": None, "origin": "null"},
    {"site": "cross-site", "origin": BASE},
])
def test_another_site_can_change_nothing(server, source):
    browser = Browser(server)
    browser.log_in()
    for path in POSTS:
        answer = browser.post(path, {"all": True}, **source)
        assert answer.status == 403, path
    assert browser.post("/api/auth/start", {"handle": "alice.test"}, **source).status == 403
    assert browser.post("/login", {"handle": "alice.test"}, type="form", **source).status == 403
    assert browser.get("/api/auth/session").status == 200
    assert browser.post("/api/auth/refresh", site=None, origin=BASE).status == 200


def test_several_accounts(browser, sandbox):
    browser.log_in("alice.test")
    first = dict(browser.cookies)
    browser.log_in("bob.test")
    # The session from before the second login is worth nothing.
    old = Browser(browser.server)
    old.cookies = first
    assert old.get("/api/auth/session").status == 401

    accounts = browser.get("/api/accounts").json
    alice, bob = accounts["accounts"]
    assert (alice["handle"], alice["active"], bob["handle"], bob["active"]) == ("alice.test", False, "bob.test", True)
    assert accounts["active"] == bob["account"]
    old.cookies = dict(browser.cookies)
    switched = browser.post("/api/accounts/switch", {"account": alice["account"]})
    assert switched.json["handle"] == "alice.test" and "session" not in switched.json
    # The answer may get lost, so the cookie before it is as good.
    assert old.get("/api/auth/session").json["handle"] == "alice.test"

    # The active account goes, and none takes its place by itself.
    answer = browser.post("/api/auth/logout")
    assert answer.json["authenticated"] is True and "account" not in answer.json and "did" not in answer.json
    assert [item["handle"] for item in browser.get("/api/accounts").json["accounts"]] == ["bob.test"]
    assert browser.post("/api/auth/logout").status == 409
    assert browser.post("/api/accounts/switch", {"account": bob["account"]}).status == 200
    assert browser.post("/api/auth/logout").json["authenticated"] is False
    assert "__Host-sid" not in browser.cookies


def test_a_look_at_a_link_uses_nothing_up(browser, journal):
    assert browser.send("HEAD", "/login?handle=alice.test", site="none").status == 200
    assert journal(path="/oauth/par") == []
    start = browser.get("/login?handle=alice.test")
    redirect = approve(start.location, "alice.test")
    look = browser.send("HEAD", redirect.removeprefix(browser.server.base), site="cross-site")
    assert look.status == 200 and journal(path="/oauth/token") == []
    assert browser.follow(redirect).status == 303
    assert browser.get("/api/auth/session").json["handle"] == "alice.test"


def test_a_second_login_of_one_person_replaces_the_first(browser, sandbox):
    browser.log_in()
    first = browser.get("/api/auth/session").json["account"]
    count = len(sandbox.sessions())
    browser.log_in()
    (account,) = browser.get("/api/accounts").json["accounts"]
    assert account["account"] != first
    assert len(sandbox.sessions()) == count


def test_accounts_of_others_do_not_exist(server, browser):
    browser.log_in("alice.test")
    other = Browser(server)
    other.log_in("bob.test")
    phone = App(server)
    phone.log_in("bob.test")
    for stranger in other, phone:
        account = browser.get("/api/auth/session").json["account"]
        for path, body in [
            ("/api/accounts/switch", {"account": account}), ("/api/auth/logout", {"account": account}),
            ("/api/accounts/switch", {"account": "nonsense"}), ("/api/auth/logout", {"account": "nonsense"}),
            ("/api/accounts/switch", {"account": "00000000-0000-4000-8000-000000000000"}),
        ]:
            answer = stranger.post(path, body)
            assert answer.status == 404 and answer.json["error"] == "no_such_account", path
    for field in "switch", "logout":
        answer = other.post("/accounts", {field: account}, type="form")
        assert answer.status == 404
    assert [item["handle"] for item in other.get("/api/accounts").json["accounts"]] == ["bob.test"]
    assert browser.post("/api/auth/refresh").status == 200


# covers: C3
def test_logout_ends_the_session_at_its_server(browser, sandbox):
    count = len(sandbox.sessions())
    browser.log_in("alice.test")
    browser.log_in("bob.test")
    assert len(sandbox.sessions()) == count + 2
    kept = dict(browser.cookies)
    assert browser.post("/api/auth/logout", {"all": True}).json["authenticated"] is False
    assert len(sandbox.sessions()) == count
    browser.cookies = kept
    answer = browser.get("/api/auth/session")
    assert answer.status == 401 and answer.json["error"] == "session_ended"


def test_logout_everywhere(server, sandbox):
    one, other, phone = Browser(server), Browser(server), App(server)
    one.log_in("alice.test")
    other.log_in("alice.test")
    other.log_in("bob.test")
    phone.log_in("alice.test")
    assert one.post("/api/auth/logout-everywhere").json["authenticated"] is False
    alice = sandbox.dids["alice.test"]
    client = f"{BASE}/oauth-client-metadata.json"
    assert (alice, client) not in [(session["did"], session["client_id"]) for session in sandbox.sessions()]
    assert phone.send("GET", "/api/auth/session").status == 401
    # The other person stays logged in there.
    assert [item["handle"] for item in other.get("/api/accounts").json["accounts"]] == ["bob.test"]


def test_ended_session_is_told_apart_from_an_unreachable_server(browser, sandbox):
    browser.log_in("bob.test")
    sandbox.faults({"match": {"role": "pds"}, "action": {"drop": "before"}})
    answer = browser.post("/api/auth/refresh")
    assert answer.status == 503 and answer.json["error"] == "server_unreachable"
    assert int(answer.headers["retry-after"]) >= 1
    sandbox.faults()
    assert browser.post("/api/auth/refresh").status == 200
    sandbox.control("POST", "sessions/end", {"did": sandbox.dids["bob.test"]})
    sandbox.control("POST", "clock", {"advance": "2h"})
    try:
        answer = browser.post("/api/auth/refresh")
    finally:
        sandbox.control("POST", "clock", {"reset": True})
    assert answer.status == 401 and answer.json["error"] == "session_ended"
    assert browser.get("/api/auth/session").status == 401


def test_account_that_has_ended_leaves_the_others(server, sandbox):
    app, browser = App(server), Browser(server)
    for holder in app, browser:
        holder.log_in("alice.test")
        holder.log_in("bob.test")
    sandbox.control("POST", "sessions/end", {"did": sandbox.dids["bob.test"]})
    sandbox.control("POST", "clock", {"advance": "2h"})
    try:
        answer = app.post("/api/auth/refresh")
        assert answer.status == 200 and "did" not in answer.json and "account" not in answer.json
        app.session = answer.json["session"]
        assert browser.post("/api/auth/refresh").status == 200
    finally:
        sandbox.control("POST", "clock", {"reset": True})
    for accounts in app.send("GET", "/api/accounts").json, browser.get("/api/accounts").json:
        (alice,) = accounts["accounts"]
        assert alice["handle"] == "alice.test" and "active" not in accounts
    assert browser.post("/api/accounts/switch", {"account": alice["account"]}).json["handle"] == "alice.test"


def test_log_out_everywhere_asks(server, browser):
    browser.log_in("alice.test")
    other = Browser(server)
    other.log_in("alice.test")
    page = browser.get("/accounts")
    field = re.search(r'name="everywhere" value="([^"]*)"', page.body)[1]
    page = browser.post("/accounts", {"everywhere": field}, type="form")
    assert page.status == 200 and "Log @alice.test out everywhere?" in page.body and 'href="/accounts"' in page.body
    assert other.get("/api/auth/session").status == 200
    field = re.search(r'name="everywhere" value="([^"]*)"', page.body)[1]
    assert browser.post("/accounts", {"everywhere": field}, type="form").location == "/login"
    for holder in browser, other:
        assert holder.get("/api/auth/session").status == 401


def test_pages(browser):
    page = browser.get("/accounts")
    assert page.status == 303 and page.location == "/login"
    browser.log_in("alice.test")
    browser.log_in("bob.test")
    page = browser.get("/accounts")
    assert page.status == 200 and "@alice.test" in page.body and "@bob.test" in page.body
    alice = re.search(r'name="switch" value="([^"]*)"', page.body)[1]
    assert browser.post("/accounts", {"switch": alice}, type="form").location == "/accounts"
    assert browser.get("/api/auth/session").json["handle"] == "alice.test"
    assert browser.post("/accounts", {"logout": alice}, type="form").location == "/accounts"
    assert "@alice.test" not in browser.get("/accounts").body
    assert browser.post("/accounts", {"all": "yes"}, type="form").location == "/login"
    assert browser.get("/api/auth/session").status == 401
