"""Logins and sessions of apps, which hold a sealed session."""
import concurrent.futures

import pytest

from parts import ANDROID, IOS, App, Browser, approve, challenge


# covers: C4
def test_login(app, sandbox):
    answer = app.log_in()
    assert answer.json["did"] == sandbox.dids["alice.test"] and answer.json["app"] == "ios"
    assert not answer.cookies
    session = app.send("GET", "/api/auth/session").json
    assert session["authenticated"] is True and session["handle"] == "alice.test"


def test_redirect_with_a_query_keeps_it(server):
    app = App(server, ANDROID)
    app.log_in()
    assert app.send("GET", "/api/auth/session").json["app"] == "android"


# covers: C4
def test_code_works_once(app):
    code = app.code()
    assert app.exchange(code).status == 200
    answer = app.exchange(code)
    assert answer.status == 400
    assert answer.json["message"].startswith("Invalid or expired code")


def test_of_many_exchanges_of_one_code_one_works(app):
    code = app.code()
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        statuses = list(pool.map(lambda _: app.exchange(code).status, range(20)))
    assert sorted(statuses) == [200] + [400] * 19


# covers: C4
def test_wrong_verifier_is_refused_and_spends_nothing(app):
    code = app.code()
    right = app.verifier
    for wrong in "x" * 43, right[:-1], right + "A", "", challenge(right):
        app.verifier = wrong
        assert app.exchange(code).status == 400, wrong
    app.verifier = right
    assert app.exchange(code).status == 200


@pytest.mark.parametrize("body", [
    {}, {"code": "x"}, {"code_verifier": "x" * 43}, {"code": "x", "code_verifier": "x" * 43},
    {"code": "x" * 5000, "code_verifier": "x" * 43}, {"code": 1, "code_verifier": 2},
])
def test_wrong_codes(app, body):
    assert app.post("/api/auth/tokens", body).status == 400


def test_app_without_a_challenge_is_refused(app, browser, sandbox):
    sandbox.control("POST", "journal/reset")
    for more in {}, {"code_challenge": "short"}, {"code_challenge": challenge("x"), "code_challenge_method": "plain"}:
        answer = app.post("/api/auth/start", {"handle": "alice.test", "redirect": IOS, **more})
        assert answer.status == 400 and answer.json["error"] == "challenge_required"
    assert browser.get("/login?handle=alice.test&mobile=true").status == 400
    assert browser.get("/mobile-auth").status == 400
    assert sandbox.journal(path="/oauth/par") == []


@pytest.mark.parametrize("redirect", [
    "javascript:alert(1)", "com.example.other:/auth", IOS + "/", IOS.upper(), "https://evil.example/", "/accounts", None])
def test_redirects_are_compared_byte_for_byte(app, redirect):
    body = {"handle": "alice.test", "code_challenge": challenge("x")}
    if redirect is not None:
        body["redirect"] = redirect
    answer = app.post("/api/auth/start", body)
    assert answer.status == 400 and answer.json["error"] == "invalid_redirect"


def test_handle_is_required(app):
    for handle in None, "", "  ":
        body = {"redirect": IOS, "code_challenge": challenge("x")} | ({} if handle is None else {"handle": handle})
        answer = app.post("/api/auth/start", body)
        assert answer.status == 400 and answer.json["message"] == "Handle is required"
    answer = app.start("nobody.test")
    assert answer.status == 400 and answer.json["error"] == "unknown_handle"
    assert app.start("no handle!").status == 400


def test_denied_consent_is_told_to_the_app(app, server):
    start = app.start()
    answer = Browser(server).follow(approve(start.json["authUrl"], "alice.test", "reject"))
    assert answer.status == 303 and answer.location == IOS + "?error=access_denied"


# covers: C4
def test_one_changed_bit_ends_the_session(app):
    app.log_in()
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    for index in range(0, len(app.session), 7):
        changed = alphabet[alphabet.index(app.session[index]) ^ 1]
        token = app.session[:index] + changed + app.session[index + 1:]
        answer = app.send("GET", "/api/auth/session", session=token)
        assert answer.status == 401 and answer.json["error"] == "session_ended"
    assert app.send("GET", "/api/auth/session").status == 200


def test_session_is_for_its_audience(app, server, browser):
    app.log_in()
    assert app.send("GET", "/api/auth/session?app=ios").status == 200
    assert app.send("GET", "/api/auth/session?app=android").status == 401
    browser.log_in()
    # A cookie is no token, and a token is no cookie.
    assert app.send("GET", "/api/auth/session", session=browser.cookies["__Host-sid"]).status == 401
    browser.cookies["__Host-sid"] = app.session
    assert browser.get("/api/auth/session").status == 401


def test_refresh_keeps_the_session_before_for_a_while(app):
    app.log_in()
    first = app.session
    answer = app.post("/api/auth/refresh")
    assert answer.status == 200
    second = answer.json["session"]
    assert second != first
    for token in first, second:
        assert app.send("GET", "/api/auth/session", session=token).status == 200
    # Two holders of the old one: both get one that lasts.
    third = app.post("/api/auth/refresh", session=first).json["session"]
    assert app.send("GET", "/api/auth/session", session=second).status == 200
    assert app.send("GET", "/api/auth/session", session=third).status == 200


def test_refreshes_at_once(app):
    app.log_in()
    with concurrent.futures.ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda _: app.post("/api/auth/refresh"), range(10)))
    assert [answer.status for answer in answers] == [200] * 10
    for answer in answers:
        assert app.send("GET", "/api/auth/session", session=answer.json["session"]).status == 200


def test_several_accounts(app, sandbox):
    app.log_in("alice.test")
    first = app.session
    app.log_in("bob.test")
    assert app.send("GET", "/api/auth/session", session=first).status == 401
    accounts = app.send("GET", "/api/accounts").json["accounts"]
    assert [item["handle"] for item in accounts] == ["alice.test", "bob.test"]
    answer = app.post("/api/accounts/switch", {"account": accounts[0]["account"]})
    assert answer.json["handle"] == "alice.test"
    # The answer may get lost, so the session before it is as good.
    assert app.send("GET", "/api/auth/session").json["handle"] == "alice.test"
    app.session = answer.json["session"]
    answer = app.post("/api/auth/logout", {"all": True})
    assert answer.json["authenticated"] is False and "session" not in answer.json
    assert app.send("GET", "/api/auth/session").status == 401


def test_login_page_for_apps_needs_the_browser_and_the_challenge(app, server, browser):
    app.verifier = "v" * 50
    page = browser.get(f"/mobile-auth?code_challenge={challenge(app.verifier)}&redirect={IOS}")
    assert page.status == 200 and f'name="redirect" value="{IOS}"' in page.body
    fields = f"mobile=true&handle=alice.test&code_challenge={challenge(app.verifier)}&redirect={IOS}"
    start = browser.get(f"/login?{fields}")
    redirect = approve(start.location, "alice.test")
    assert Browser(server).follow(redirect).status == 400
    answer = browser.follow(redirect)
    code = answer.location.split("code=")[1].split("&")[0]
    assert answer.location.startswith(IOS + "?code=")
    assert "__Host-sid" not in browser.cookies
    assert app.exchange(code).status == 200


def test_aliases_of_the_seeds(app, server):
    start = app.start(path="/api/auth/mobile-start").json
    assert start["success"] is True
    redirect = approve(start["authUrl"], "alice.test").replace("/oauth/callback?", "/oauth/mobile-callback?")
    code = Browser(server).follow(redirect).location.split("code=")[1].split("&")[0]
    app.session = app.exchange(code).json["session"]
    answer = app.send("GET", "/mobile/refresh-token")
    payload = answer.json["payload"]
    assert payload["did"] == server.sandbox.dids["alice.test"]
    assert app.send("GET", "/api/auth/session", session=payload["sid"]).status == 200
    redirect = approve(app.start().json["authUrl"], "alice.test").replace("/oauth/callback?", "/callback?")
    assert Browser(server).follow(redirect).status == 303
    documents = [server.get(path).json for path in ("/oauth-client-metadata.json", "/client-metadata.json")]
    assert documents[0] == documents[1]


def test_refresh_by_get_takes_no_cookie(browser):
    browser.log_in()
    assert browser.get("/mobile/refresh-token").status == 401
