"""A public address that sends requests for strangers: those that reach other servers are counted."""
import json
from concurrent.futures import ThreadPoolExecutor

from parts import App, Browser, approve


def starts(server, *handles):
    """Begins logins at the same time. Gives the statuses in order."""
    with ThreadPoolExecutor(32) as pool:
        return list(pool.map(lambda handle: App(server).start(handle).status, handles))


def test_unknown_handle_is_looked_up_once_a_minute(own_server, journal):
    assert App(own_server).start("nobody.test").json["error"] == "unknown_handle"
    asked = len(journal())
    assert asked > 0
    assert starts(own_server, *["nobody.test"] * 30) == [400] * 30
    form = Browser(own_server).post("/login", {"handle": "nobody.test"}, type="form")
    assert form.status == 400 and "No account has this handle" in form.body
    assert len(journal()) == asked
    assert App(own_server).start("alice.test").status == 200


def test_server_that_ends_connections_is_left_alone(own_server, sandbox, journal):
    sandbox.faults({"match": {"path": "/oauth/par"}, "action": {"drop": "before"}})
    first = App(own_server).start("alice.test")
    assert first.status == 502 and first.json["error"] == "server_unreachable"
    asked = len(journal())
    # The sandbox is every server, so no other handle can be looked up either.
    assert starts(own_server, *["alice.test", "bob.test"] * 15) == [502] * 30
    assert len(journal()) == asked


def test_login_that_was_begun_completes_while_its_server_is_left_alone(own_server, sandbox):
    browser = Browser(own_server)
    start = browser.get("/login?handle=alice.test")
    redirect = approve(start.location, "alice.test")
    sandbox.faults({"match": {"path": "/oauth/par"}, "action": {"drop": "before"}})
    assert App(own_server).start("bob.test").status == 502
    sandbox.faults()
    assert App(own_server).start("bob.test").status == 502
    assert browser.follow(redirect).status == 303


def test_flood_is_bounded(own_server, journal):
    own_server.stop()
    config = own_server.config.read_text()
    own_server.config.write_text(config.replace("logins = 1000", "logins = 20"))
    own_server.start()
    statuses = starts(own_server, *[f"flood{number}.test" for number in range(200)])
    # The minute may end once between them.
    assert 160 <= statuses.count(429) < 200
    asked = {line["query"] or line["path"] for line in journal() if "flood" in json.dumps(line)}
    assert 1 <= len(asked) <= 40, asked
