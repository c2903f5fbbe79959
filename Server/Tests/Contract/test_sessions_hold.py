"""Sessions that survive races, lost answers, kills and what other sites plant."""
import concurrent.futures

import pytest
from parts import App, Browser

CALL = "/xrpc/app.bsky.feed.getTimeline"


@pytest.fixture
def expired(sandbox):
    """Moves the clock, so that every access token has expired."""
    def move():
        sandbox.control("POST", "clock", {"advance": "2h"})
    yield move
    sandbox.control("POST", "clock", {"reset": True})


def test_kill_during_refreshes(own_server, sandbox, journal, expired):
    phones = {App(own_server): ("alice.test", "bob.test")[number % 2] for number in range(12)}
    for phone, handle in phones.items():
        phone.log_in(handle)
    expired()
    sandbox.faults({"match": {"grant": "refresh_token"}, "skip": 3, "action": {"delay": "5s", "when": "after"}})

    def call(phone):
        try:
            return phone.send("GET", CALL).status
        except OSError:
            return None

    with concurrent.futures.ThreadPoolExecutor(len(phones)) as pool:
        calls = {phone: pool.submit(call, phone) for phone in phones}
        # Some refreshes are answered, and the answers to the others are on their way.
        while sum(call.done() for call in calls.values()) < 3:
            pass
        own_server.stop(kill=True)
        before = {phone: call.result() for phone, call in calls.items()}
    saved = [phone for phone, status in before.items() if status == 200]
    assert 3 <= len(saved) < len(phones), before
    sandbox.faults()
    # A lost answer is waited for, so the time has to pass.
    own_server.start(ahead="+2m")
    # A refresh whose answer was on its way may be lost, as it may be for a plain command. It is told, and nothing else is lost.
    for phone in phones:
        answer = phone.send("GET", CALL)
        if phone in saved:
            assert answer.status == 200, answer.body
        if answer.status != 200:
            answer = phone.post("/api/auth/refresh")
            assert answer.status == 401 and answer.json["error"] == "session_ended", answer.body
            phone.session = None
            phone.log_in(phones[phone])
            assert phone.send("GET", CALL).status == 200


def test_a_refresh_after_a_kill_says_when_to_come_back(own_server, sandbox, journal, expired):
    phone = App(own_server)
    phone.log_in("alice.test")
    expired()
    sandbox.faults({"match": {"grant": "refresh_token"}, "action": {"delay": "5s", "when": "after"}})

    def call():
        with pytest.raises(OSError):
            phone.send("GET", CALL)

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        cut = pool.submit(call)
        while not journal(grant="refresh_token"):
            pass
        own_server.stop(kill=True)
        cut.result()
    sandbox.faults()
    own_server.start()
    # The answer may still come for 90 seconds. Nobody has to wait for it in silence.
    for answer in phone.post("/api/auth/refresh"), phone.send("GET", CALL):
        assert answer.status == 503 and 1 <= int(answer.headers["retry-after"]) <= 90, answer.body


def test_two_refreshes_of_an_account_that_has_ended(own_server, sandbox, expired):
    phone = App(own_server)
    phone.log_in("alice.test")
    phone.log_in("bob.test")
    sandbox.control("POST", "sessions/end", {"did": sandbox.dids["bob.test"]})
    expired()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: phone.post("/api/auth/refresh"), range(8)))
    assert {answer.status for answer in answers} == {200}, [answer.body for answer in answers]
    accounts = phone.send("GET", "/api/accounts", session=answers[0].json["session"]).json["accounts"]
    assert [item["handle"] for item in accounts] == ["alice.test"]


def test_a_cookie_that_only_looks_like_ours(server, browser):
    browser.log_in()
    value = browser.cookies["__Host-sid"]

    def status(cookie):
        return server.get("/api/auth/session", [("cookie", cookie)]).status

    assert status(f"__Host-sid={value}") == status(f"a=b;\t __Host-sid={value} ".strip()) == 200
    for name in "\u2000__Host-sid", "\xa0__Host-sid", "__host-sid", "__Host-sid ", "x__Host-sid", '"__Host-sid"':
        assert status(f"{name}={value}".encode()) == 401, name
    # Of two, nobody knows which one is ours.
    assert status(f"__Host-sid={value}; __Host-sid={value}") == 401


@pytest.mark.parametrize("site", ["cross-site", "same-site", None])
def test_a_link_of_another_site_begins_no_login(server, journal, site):
    answer = Browser(server).get("/login?handle=alice.test", site=site)
    assert answer.status == 200 and 'value="alice.test"' in answer.body and not answer.cookies
    assert journal(path="/oauth/par") == []


def test_parameters_of_a_call_are_for_its_server(app, server):
    app.log_in("alice.test")
    answer = app.send("GET", "/xrpc/com.atproto.repo.describeRepo?repo=alice.test&app=x&uris=a&uris=b")
    assert answer.status == 200, answer.body
    assert app.send("GET", "/api/auth/session?app=x").status == 401


def test_pages_take_no_session_of_an_app(app, server):
    app.log_in("alice.test")
    for method in "GET", "POST":
        answer = app.send(method, "/accounts")
        assert answer.status in (303, 401, 403) and not answer.cookies
        assert app.send("GET", "/api/auth/session").status == 200
