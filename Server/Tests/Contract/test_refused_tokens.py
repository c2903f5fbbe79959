"""A server refuses an access token, and accounts stay in their sessions unless an OAuth session has ended."""
import concurrent.futures
import email.utils
import os
import random
import time

import pytest
from parts import App
from replicas import Etcd, Replica

CALL = "/xrpc/app.bsky.feed.getTimeline"
# A longer run by hand sets BSKYAUTH_TEST_ROUNDS.
ROUNDS = int(os.environ.get("BSKYAUTH_TEST_ROUNDS", "2"))


def refusal(headers=()):
    return {"respond": {
        "status": 401, "body": {"error": "invalid_token"},
        "headers": {"www-authenticate": 'DPoP error="invalid_token"', **dict(headers)}}}


@pytest.fixture
def phone(own_server, sandbox):
    phone = App(own_server)
    phone.log_in("alice.test")
    assert phone.send("GET", CALL).status == 200
    sandbox.control("POST", "journal/reset")
    return phone


def accounts(phone):
    return [item["handle"] for item in phone.send("GET", "/api/accounts").json["accounts"]]


def test_a_server_two_hours_ahead(phone, sandbox):
    date = email.utils.formatdate(time.time() + 7200, usegmt=True)
    sandbox.faults({"match": {"role": "pds", "path_prefix": "/xrpc/"}, "action": refusal({"date": date})})
    for _ in range(2):
        answer = phone.send("GET", CALL)
        assert answer.status == 502 and answer.json["error"] == "UpstreamFailure", answer.body
        answer = phone.post("/api/auth/refresh")
        assert answer.status == 502 and answer.json["error"] == "account_refused", answer.body
    sandbox.faults()
    assert accounts(phone) == ["alice.test"] and sandbox.journal(path="/oauth/revoke") == []
    assert phone.send("GET", CALL).status == 200
    assert phone.post("/api/auth/refresh").status == 200


def test_a_refresh_that_is_refused_without_a_reason(phone, own_server, sandbox):
    sandbox.faults(
        {"match": {"role": "pds", "path_prefix": "/xrpc/"}, "action": refusal()},
        {"match": {"grant": "refresh_token"}, "action": {"respond": {"status": 400, "body": {"error": "a sentence"}}}})
    answer = phone.post("/api/auth/refresh")
    assert answer.status == 502 and answer.json["error"] == "account_refused", answer.body
    result = own_server.sweep_idle()
    assert (result["not refreshed"], result["ended"], result["kept"]) == (1, 0, 1)
    assert accounts(phone) == ["alice.test"] and sandbox.journal(path="/oauth/revoke") == []


def test_the_words_of_a_service(phone, sandbox):
    sandbox.faults({"match": {"path": CALL}, "action": refusal()})
    answer = phone.send("GET", CALL)
    assert answer.status == 401 and answer.json["error"] == "invalid_token", answer.body
    assert phone.post("/api/auth/refresh").status == 200
    assert accounts(phone) == ["alice.test"] and sandbox.journal(path="/oauth/revoke") == []


def test_another_process_spends_the_token_that_a_call_has_just_got(phone, own_server, sandbox):
    late = {"match": {"path": CALL}, "skip": 1, "times": 1}
    sandbox.faults(
        {"match": {"path": CALL}, "times": 1, "action": refusal()},
        {**late, "action": refusal()}, {**late, "action": {"delay": "8s", "when": "after"}},
        {"match": {"grant": "refresh_token"}, "skip": 1, "times": 1, "action": {"delay": "10s", "when": "after"}})
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        call = pool.submit(phone.send, "GET", CALL)
        while len(sandbox.journal(path=CALL)) < 2:
            pass
        own_server.sweep_idle()
        answer = call.result()
    assert answer.status == 200, answer.body
    assert [line["status"] for line in sandbox.journal(path=CALL)] == [401, 401, 200]
    assert accounts(phone) == ["alice.test"]


@pytest.fixture
def replicas(tmp_path, sandbox):
    store = Etcd(tmp_path)
    one = Replica(tmp_path / "one", sandbox, store)
    two = Replica(tmp_path / "two", sandbox, store, first=one)
    yield one, two
    for replica in one, two:
        if replica.runs:
            replica.stop()
    store.stop()
    sandbox.control("POST", "clock", {"reset": True})


def test_two_replicas_of_which_one_is_two_hours_behind(replicas, sandbox):
    one, two = replicas
    two.stop()
    two.start(ahead="-2h")
    phone = App(one)
    phone.log_in("alice.test")
    phone.server = two
    answer = phone.send("GET", CALL)
    assert answer.status == 200, answer.body
    # The first one gets a newer token, which the second one sees only after it has ended.
    phone.server = one
    sandbox.faults({"match": {"path": CALL}, "times": 1, "action": refusal()})
    assert phone.send("GET", CALL).status == 200
    sandbox.control("POST", "clock", {"advance": "2h"})
    phone.server = two
    sandbox.control("POST", "journal/reset")
    answer = phone.send("GET", CALL)
    assert answer.status == 200, answer.body
    refused = [line for line in sandbox.journal(path=CALL, status=401) if line["error"] == "invalid_token"]
    assert len(refused) == 2 and len(sandbox.journal(grant="refresh_token", status=200)) == 1
    phone.server = one
    assert phone.post("/api/auth/refresh").status == 200
    assert sandbox.journal(path="/oauth/revoke") == []


def test_two_replicas_that_refresh_all_the_time(replicas, sandbox):
    phone = App(replicas[0])
    phone.log_in("alice.test")
    sandbox.control("POST", "clock", {"advance": "2h"})
    sandbox.control("POST", "journal/reset")

    def call(place):
        here = App(replicas[place])
        here.session = phone.session
        return [here.send("GET", CALL) for _ in range(3)]

    def sweep(place):
        replicas[place].sweep_idle()
        return []

    gave_way = 0
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        for number in range(ROUNDS):
            # Calls come late, some have their token refused, and the answers to refreshes come late.
            sandbox.faults(
                {"match": {"path": CALL}, "skip": random.randrange(6), "times": 1, "action": refusal()},
                {"match": {"path": CALL}, "action": {"delay": f"{random.randrange(2000)}ms"}},
                {"match": {"grant": "refresh_token"},
                 "action": {"delay": f"{random.randrange(2000)}ms", "when": "after"}})
            work = [pool.submit(call, 0), pool.submit(call, 1), pool.submit(random.choice([call, sweep]), number % 2)]
            for answer in [answer for done in work for answer in done.result()]:
                # Constant refreshes may keep a request from its turn, which is no verdict.
                assert answer.status in (200, 503), f"round {number}: {answer.status} {answer.body}"
                gave_way += answer.status != 200
    sandbox.faults()
    assert phone.send("GET", CALL).status == 200 and accounts(phone) == ["alice.test"]
    assert sandbox.journal(path="/oauth/revoke") == []
    spent = [line for line in sandbox.journal(grant="refresh_token") if line["consumed"]]
    refused = [line for line in sandbox.journal(path=CALL, status=401) if line["error"] == "invalid_token"]
    assert spent and refused and gave_way < 6 * ROUNDS
    print(f"{ROUNDS} rounds: {len(spent)} rotations, {len(refused)} tokens were refused, {gave_way} had to give way")
