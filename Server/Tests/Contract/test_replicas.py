"""Two replicas that share their rows and their vault."""
import concurrent.futures
import json

import pytest
from parts import App, Browser
from replicas import Etcd, Front, Gate, Postgres, Replica

CALL = "/xrpc/app.bsky.feed.getTimeline"


@pytest.fixture(params=[Etcd, Postgres])
def store(request, tmp_path):
    store = request.param(tmp_path)
    yield store
    store.stop()


@pytest.fixture
def replicas(tmp_path, sandbox, store):
    one = Replica(tmp_path / "one", sandbox, store)
    two = Replica(tmp_path / "two", sandbox, store, first=one)
    yield one, two
    for replica in one, two:
        if replica.runs:
            replica.stop()


@pytest.fixture
def front(tmp_path, replicas):
    front = Front(tmp_path, replicas)
    yield front
    front.stop()


@pytest.fixture
def expire(sandbox):
    yield lambda: sandbox.control("POST", "clock", {"advance": "2h"})
    sandbox.control("POST", "clock", {"reset": True})


def grants(journal):
    return [line for line in journal(grant="refresh_token") if line["consumed"]]


def test_a_session_works_at_each_replica(replicas):
    one, two = replicas
    phone = App(one)
    phone.log_in("alice.test")
    phone.server = two
    assert phone.send("GET", CALL).status == 200
    assert phone.post("/api/auth/refresh").status == 200
    browser = Browser(two)
    browser.log_in("bob.test")
    browser.server = one
    assert browser.get("/api/auth/session", site="same-origin").status == 200
    # What one of them ends has ended at the other one.
    assert phone.post("/api/auth/logout").status == 200
    phone.server = one
    assert phone.send("GET", CALL).status == 401


def test_a_login_that_begins_at_one_replica_ends_at_the_other(front):
    for handle in "alice.test", "bob.test":
        phone = App(front)
        phone.log_in(handle)
        assert phone.send("GET", CALL).status == 200


def test_fifty_clients_and_a_replica_that_is_killed(front, replicas, sandbox, journal, expire):
    phone = App(front)
    phone.log_in("alice.test")
    for _ in range(4):
        assert phone.send("GET", CALL).status == 200
    sandbox.control("POST", "journal/reset")
    expire()
    sandbox.faults({"match": {"grant": "refresh_token"}, "action": {"delay": "3s", "when": "after"}})
    with concurrent.futures.ThreadPoolExecutor(50) as pool:
        calls = [pool.submit(phone.send, "GET", CALL) for _ in range(50)]
        while not (names := replicas[0].refreshes()):
            pass
        # The other replica, which waits for this refresh, is killed. nginx asks the one that is left.
        waiting = next(replica for replica in replicas if replica.folder.name not in names)
        waiting.stop(kill=True)
        answers = [call.result() for call in calls]
    assert [answer.status for answer in answers] == [200] * 50, [answer.body for answer in answers]
    assert len(grants(journal)) == 1
    sandbox.faults()
    assert phone.send("GET", CALL).status == 200
    # It comes back with what it has on its disk, and takes the new tokens.
    waiting.start()
    phone.server = waiting
    assert phone.send("GET", CALL).status == 200
    assert len(grants(journal)) == 1


def test_the_replica_that_refreshes_is_killed(replicas, sandbox, journal, expire):
    one, two = replicas
    phone = App(one)
    phone.log_in("alice.test")
    expire()
    sandbox.faults({"match": {"grant": "refresh_token"}, "action": {"delay": "5s", "when": "after"}})
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        call = pool.submit(phone.send, "GET", CALL)
        while not grants(journal):
            pass
        one.stop(kill=True)
        with pytest.raises(OSError):
            call.result()
    sandbox.faults()
    # The token may be spent, so the other replica does not send it, and nobody is logged out for that.
    other = App(two)
    other.session = phone.session
    answer = other.send("GET", CALL)
    assert answer.status == 503 and answer.headers["retry-after"], answer.body
    sent = [line for line in journal(grant="refresh_token") if line["error"] != "use_dpop_nonce"]
    assert len(sent) == 1


@pytest.fixture
def gated(tmp_path, sandbox):
    """Two replicas, of which the second is killed when the row of a login is in the store. Then its gate lets all through."""
    store = Etcd(tmp_path)
    one = Replica(tmp_path / "one", sandbox, store)
    gate = Gate(store, "app/vault/logins/", lambda: two.stop(kill=True))
    two = Replica(tmp_path / "two", sandbox, gate, first=one)
    yield one, two, gate
    for replica in one, two:
        if replica.runs:
            replica.stop()
    gate.stop()
    store.stop()


def test_a_replica_is_killed_between_the_row_of_a_login_and_its_account(gated):
    one, two, gate = gated
    with pytest.raises(OSError):
        App(two).log_in("alice.test")
    gate.acted.wait()
    rows = gate.store.content()
    assert rows.count(b"app/vault/logins/") == 1 and b"app/vault/accounts/" not in rows
    # The next logins work, also at the replica that starts again. Each has an account of its own.
    phones = App(one), App(two)
    phones[0].log_in("alice.test")
    two.start()
    phones[1].log_in("alice.test")
    for phone in phones:
        assert phone.send("GET", CALL).status == 200
    for replica in one, two:
        replica.vault("verify")
        accounts = json.loads(replica.command("accounts", "--json").stdout)["accounts"]
        assert [(account["handle"], account["state"]) for account in accounts] == [("alice.test", "ok")] * 2


def operate(replica, *arguments):
    result = replica.run(*arguments)
    assert result.returncode == 0, result.stderr
    return result.stdout


def keys(replica):
    return operate(replica, "keys", "list").splitlines()


def test_the_keys_of_one_replica_are_those_of_the_other(replicas):
    one, two = replicas
    assert keys(one) == keys(two)
    for replica in one, two:
        replica.stop()
    operate(one, "keys", "add", "sealing")
    (two.keys / "client-keys.json").unlink()
    for replica in one, two:
        replica.start()
    assert keys(one) == keys(two) and len(keys(one)) == 3
    phone = App(one)
    phone.log_in("alice.test")
    phone.server = two
    assert phone.send("GET", CALL).status == 200
    # The store has them sealed.
    secret = json.loads((one.keys / "sealing-keys.json").read_text())["keys"][0]["secret"]
    content = one.shared.content()
    assert b"keys/sealing" in content and secret.encode() not in content
    two.stop()
    oldest = keys(one)[0].split("\t")
    operate(two, "keys", "retire", oldest[0], "--now", "--", oldest[1])
    one.stop()
    one.start()
    assert keys(one) == keys(two) and len(keys(one)) == 2


def test_a_replica_without_its_part_does_not_start(replicas):
    one, two = replicas
    one.stop()
    config = one.config.read_text()
    one.config.write_text(config.split("[store]")[0])
    assert "have no [store]" in one.fail()
    one.config.write_text(config)
    one.vault("unshare", "--yes")
    assert "is not shared" in one.fail()
