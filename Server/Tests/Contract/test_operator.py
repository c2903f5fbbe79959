"""The operator's side: the commands, the sweep, the audit log, the metrics and backups."""
import contextlib
import datetime
import http.client
import json
import shutil
import signal
import socket
import stat
import subprocess

import pytest
from parts import App, Browser, Server
from proxied_sites import Visitor


@pytest.fixture
def living(sandbox):
    """How many OAuth sessions of a server the sandbox has."""
    def count(server):
        client = f"{server.base}/oauth-client-metadata.json"
        return len([session for session in sandbox.sessions() if session["client_id"] == client])
    return count


def later(server, time, *arguments):
    """A command that runs with a clock which is ahead."""
    return subprocess.run(
        ["faketime", "-f", time, server.program, *arguments, "--config", server.config], capture_output=True, text=True)


def report(result):
    assert result.returncode == 0, result.stderr
    return {name: int(count) for name, count in (line.split("\t") for line in result.stdout.splitlines())}


def events(server, *arguments):
    result = server.run("audit", *arguments)
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_sessions_are_listed_and_ended(own_server, living):
    before = living(own_server)
    phone, browser = App(own_server), Browser(own_server)
    phone.log_in("alice.test")
    browser.log_in("alice.test")
    browser.log_in("bob.test")
    lines = [line.split("\t") for line in own_server.run("sessions", "list").stdout.splitlines()]
    alice, bob = (own_server.sandbox.dids[name] for name in ("alice.test", "bob.test"))
    assert {(line[1], line[5]) for line in lines} == {("ios", alice), ("browser", f"{alice},{bob}")}
    assert len(own_server.run("sessions", "list", "--did", bob).stdout.splitlines()) == 1

    session = next(line[0] for line in lines if line[1] == "browser")
    assert own_server.run("sessions", "end", session).returncode == 0
    assert browser.get("/api/auth/session").status == 401
    assert phone.send("GET", "/api/auth/session").status == 200
    assert living(own_server) == before + 1
    ended = [event for event in events(own_server) if event["event"] == "ended_by_operator"]
    assert {event["did"] for event in ended} == {alice, bob}

    for wrong in session, "x":
        result = own_server.run("sessions", "end", wrong)
        assert result.returncode == 1 and "bskyauth-server sessions list" in result.stderr


def test_a_person_is_forgotten(own_server, living):
    before = living(own_server)
    phone, browser = App(own_server), Browser(own_server)
    phone.log_in("alice.test")
    browser.log_in("alice.test")
    browser.log_in("bob.test")
    alice, bob = (own_server.sandbox.dids[name] for name in ("alice.test", "bob.test"))
    assert len(events(own_server, "--did", alice)) == 2
    result = own_server.run("forget", alice)
    assert (result.returncode, result.stdout) == (0, "2 of 2 logins removed\n"), result.stderr
    assert phone.send("GET", "/api/auth/session").status == 401
    assert [item["did"] for item in browser.get("/api/accounts").json["accounts"]] == [bob]
    assert living(own_server) == before + 1
    # The lines stay, and belong to somebody unknown.
    assert events(own_server, "--did", alice) == []
    lines = [event for event in events(own_server) if event["event"] in ("login", "forgotten")]
    assert len(lines) == 4 and len([line for line in lines if line.get("did") == bob]) == 1
    for file in (own_server.folder / "state/audit").iterdir():
        assert alice not in file.read_text()
    assert App(own_server).log_in("alice.test").status == 200


def test_a_server_that_was_away_is_told_later(own_server, sandbox, living):
    before = living(own_server)
    phone = App(own_server)
    phone.log_in("alice.test")
    sandbox.faults({"match": {"path": "/oauth/revoke"}, "action": {"drop": "before"}})
    result = own_server.run("forget", sandbox.dids["alice.test"])
    assert (result.returncode, result.stdout) == (1, "0 of 1 logins removed\n")
    assert "bskyauth-server sweep" in result.stderr
    assert phone.send("GET", "/api/auth/session").status == 401
    assert living(own_server) == before + 1
    assert report(later(own_server, "+11m", "sweep"))["waiting"] == 1
    sandbox.faults()
    assert report(later(own_server, "+11m", "sweep"))["logged out"] == 1
    assert living(own_server) == before
    # A server that never comes back is told for 30 days.
    phone = App(own_server)
    phone.log_in("alice.test")
    sandbox.faults({"match": {"path": "/oauth/revoke"}, "action": {"drop": "before"}})
    assert phone.post("/api/auth/logout").status == 200
    assert report(later(own_server, "+29d", "sweep"))["waiting"] == 1
    assert report(later(own_server, "+31d", "sweep"))["logged out"] == 1
    assert report(later(own_server, "+31d", "sweep")) == {
        "kept": 0, "logged out": 0, "waiting": 0, "refreshed": 0, "not refreshed": 0, "ended": 0}


def test_the_time_limit_begins_with_the_first_attempt(own_server, sandbox):
    App(own_server).log_in("alice.test")
    # The session has ended long ago, and no sweep has seen it since.
    sandbox.faults({"match": {"path": "/oauth/revoke"}, "action": {"drop": "before"}})
    assert report(later(own_server, "+60d", "sweep"))["waiting"] == 1
    assert report(later(own_server, "+89d", "sweep"))["waiting"] == 1
    assert report(later(own_server, "+91d", "sweep"))["logged out"] == 1


def test_a_sweep_after_forget_knows_nobody(own_server, sandbox):
    App(own_server).log_in("alice.test")
    sandbox.faults({"match": {"path": "/oauth/revoke"}, "action": {"drop": "before"}})
    assert own_server.run("forget", sandbox.dids["alice.test"]).returncode == 1
    sandbox.faults()
    assert report(later(own_server, "+11m", "sweep"))["logged out"] == 1
    assert events(own_server)[-1]["event"] == "session_expired" and "person" not in events(own_server)[-1]
    assert not any("did" in event for event in events(own_server))


def test_commands_make_no_vault(own_server):
    own_server.stop()
    shutil.rmtree(own_server.folder / "state")
    result = own_server.run("sessions", "list")
    assert result.returncode == 1 and "bskyauth-server serve" in result.stderr
    assert not (own_server.folder / "state/vault").exists()
    own_server.start()


def test_expired_sessions_and_unused_codes_are_logged_out(sandbox, tmp_path, living):
    with serving(tmp_path, sandbox, session_idle="20m") as server:
        before = living(server)
        phone = App(server)
        phone.log_in("alice.test")
        App(server).code("bob.test")
        # The session goes on, and the code may still be exchanged.
        quiet = {"kept": 1, "logged out": 0, "waiting": 0, "refreshed": 0, "not refreshed": 0, "ended": 0}
        assert report(server.run("sweep")) == quiet
        assert report(later(server, "+11m", "sweep")) == {**quiet, "logged out": 1}
        assert report(later(server, "+21m", "sweep")) == {**quiet, "kept": 0, "logged out": 1}
        assert living(server) == before
        assert [event["event"] for event in events(server)][-2:] == ["session_expired", "session_expired"]


def test_idle_accounts_are_refreshed(own_server, sandbox, journal):
    phone, other = App(own_server), App(own_server)
    phone.log_in("alice.test")
    other.log_in("bob.test")
    sandbox.control("POST", "sessions/end", {"did": sandbox.dids["bob.test"]})
    sandbox.control("POST", "journal/reset")
    total = {"refreshed": 0, "ended": 0}
    while 0 in total.values():
        result = own_server.sweep_idle()
        total = {name: count + result[name] for name, count in total.items()}
        assert result["not refreshed"] == 0
    assert total["ended"] == 1 and len(journal(grant="refresh_token", status=200)) == total["refreshed"]
    assert phone.send("GET", "/xrpc/com.atproto.repo.describeRepo?repo=alice.test").status == 200
    assert other.send("GET", "/api/auth/session").status == 401
    assert [event["event"] for event in events(own_server)].count("account_ended") == 1
    # A server that can't be reached now is asked by the next sweep.
    sandbox.faults({"match": {"path": "/oauth/token"}, "action": {"drop": "before"}})
    result = own_server.sweep_idle()
    assert (result["not refreshed"], result["kept"]) == (1, 1)


def test_a_damaged_account_is_in_nobodys_way(own_server):
    phone = App(own_server)
    for handle in "alice.test", "bob.test":
        phone.log_in(handle)
    (damaged,) = [item["account"] for item in phone.send("GET", "/api/accounts").json["accounts"]
                  if item["handle"] == "alice.test"]
    profile = next(own_server.folder.rglob(f"{damaged.lower()}/profile"))
    content = profile.read_bytes()
    profile.write_bytes(b"damage")
    assert report(own_server.run("sweep"))["kept"] == 1
    # A day later, its owner row is still there. So it is no account without a session when it was restored.
    assert report(later(own_server, "+1d", "sweep"))["kept"] == 1
    profile.write_bytes(content)
    assert report(later(own_server, "+1d", "sweep")) == {
        "kept": 2, "logged out": 0, "waiting": 0, "refreshed": 0, "not refreshed": 0, "ended": 0}


def test_an_address_that_is_in_use(own_server):
    address = f"127.0.0.1:{own_server.port}"
    text = own_server.config.read_text()
    config = own_server.folder / "second.toml"
    config.write_text(text.replace('listen = "127.0.0.1:0"', f'listen = "{address}"'))
    assert config.read_text() != text
    result = subprocess.run([own_server.program, "serve", "--config", config], capture_output=True, text=True)
    assert result.returncode == 1 and f"another program listens at {address} already" in result.stderr
    assert f"change listen in {config}" in result.stderr


def test_a_sweep_that_is_interrupted_keeps_what_it_has_sent(own_server, sandbox, journal):
    phone = App(own_server)
    phone.log_in("alice.test")
    own_server.sweep_idle()
    sandbox.control("POST", "journal/reset")
    sandbox.faults({"match": {"grant": "refresh_token"}, "action": {"delay": "2s", "when": "before"}})
    config = own_server.folder / "impatient.toml"
    while True:
        sweep = subprocess.Popen([own_server.program, "sweep", "--config", config], stdout=subprocess.PIPE, text=True)
        while sweep.poll() is None and not sandbox.journal(path="/oauth/token"):
            pass
        if sweep.poll() is None:
            break
    sweep.send_signal(signal.SIGINT)
    out, _ = sweep.communicate()
    assert sweep.returncode == 0 and "refreshed\t1\n" in out
    sandbox.faults()
    assert len(journal(grant="refresh_token", consumed=True)) == 1
    assert phone.post("/api/auth/refresh").status == 200


def test_accounts_are_not_refreshed_before_they_are_idle(own_server, journal):
    App(own_server).log_in()
    assert report(own_server.run("sweep"))["kept"] == 1
    assert journal(grant="refresh_token") == []


def test_two_sweeps_exclude_each_other(own_server, sandbox):
    phone = App(own_server)
    phone.log_in("alice.test")
    assert phone.post("/api/auth/logout").status == 200
    App(own_server).code("bob.test")
    sandbox.faults({"match": {"path": "/oauth/revoke"}, "action": {"delay": "2s", "when": "before"}})
    first = subprocess.Popen(
        ["faketime", "-f", "+11m", own_server.program, "sweep", "--config", own_server.config], stdout=subprocess.PIPE,
        text=True)
    sandbox.control("POST", "journal/reset")
    while not sandbox.journal(path="/oauth/revoke") and first.poll() is None:
        pass
    result = later(own_server, "+11m", "sweep")
    out, _ = first.communicate()
    assert first.returncode == 0 and "logged out\t1" in out
    assert result.returncode == 1 and "another process sweeps now" in result.stderr


def test_audit_log(sandbox, tmp_path):
    with serving(tmp_path, sandbox) as server:
        phone, browser = App(server), Browser(server)
        phone.log_in("alice.test")
        assert phone.post("/api/auth/logout-everywhere").status == 200
        browser.log_in("bob.test")
        assert browser.post("/accounts", {"all": "yes"}, type="form").status == 303
        assert browser.follow(server.base + "/oauth/callback?state=x&code=y").status == 400
        lines = events(server)
        assert [line["event"] for line in lines] == [
            "login", "logout_everywhere", "login", "logout_all", "login_failed"]
        assert lines[0]["did"] == sandbox.dids["alice.test"] and lines[0]["app"] == "ios"
        assert lines[0]["person"] == lines[1]["person"] != lines[2]["person"]
        assert lines[4]["reason"] == "login_expired"
        assert not any("client" in line for line in lines)
        (file,) = (tmp_path / "state/audit").iterdir()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert "did:" not in file.read_text()


def test_a_logout_has_the_account_and_the_session_of_its_login(sandbox, tmp_path):
    sections = ["[auth]", f'members = "{tmp_path}/members"', 'hosts = ["https://wiki.example.com"]',
                'cookie_domain = "example.com"']
    with serving(tmp_path, sandbox, sections=sections) as server:
        phone, browser, visitor = App(server), Browser(server), Visitor(server)
        (tmp_path / "members").write_text("alice.test")
        phone.log_in("alice.test")
        assert phone.post("/api/auth/logout").status == 200
        browser.log_in("bob.test")
        assert browser.post("/api/auth/logout").status == 200
        visitor.enter("https://wiki.example.com/")
        assert visitor.post("/auth/logout", {}, type="form").status == 200
        lines = events(server)
        assert [line["event"] for line in lines] == ["login", "logout"] * 3
        for login, logout in zip(lines[::2], lines[1::2], strict=True):
            assert login["account"] == logout["account"] and login["person"] == logout["person"]
        assert "session" not in lines[0]
        for login, logout in zip(lines[2::2], lines[3::2], strict=True):
            assert login["session"] == logout["session"]


def test_addresses_are_logged_only_if_the_settings_say_so(sandbox, tmp_path):
    with serving(tmp_path, sandbox, sections=["[audit]", "addresses = true", "days = 1"]) as server:
        App(server).log_in()
        assert events(server)[0]["client"] == "127.0.0.1"
        for forwarded in "203.0.113.9:51008", "198.51.100.1, unknown":
            server.get("/oauth/callback?state=x", [("x-forwarded-for", forwarded)])
        assert [event["client"] for event in events(server)[1:]] == ["203.0.113.9", "unknown"]
        folder = tmp_path / "state/audit"
        (folder / "2020-01-01.jsonl").write_text("{}\n")
        (folder / "notes").write_text("stay")
        server.run("sweep")
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        assert {file.name for file in folder.iterdir()} <= {"notes", f"{today}.jsonl"}


class Socket(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("admin")
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(str(self.path))


def test_metrics(sandbox, tmp_path):
    path = tmp_path / "admin.sock"
    with serving(tmp_path, sandbox, admin_listen=str(path)) as server:
        App(server).log_in()
        assert server.get("/metrics").status == 404
        assert server.get("/no/such/" + "x" * 40).status == 404
        def metrics():
            with contextlib.closing(Socket(path)) as connection:
                connection.request("GET", "/metrics")
                answer = connection.getresponse()
                assert answer.status == 200 and answer.getheader("content-type").startswith("text/plain; version=0.0.4")
                return answer.read().decode().splitlines()
        lines = metrics()
        values = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
        times = [line for line in lines if line.startswith('bskyauth_request_seconds') and '"/api/auth/tokens"' in line]
        assert [line.split('le="')[1].split('"')[0] for line in times[:-2]] == [
            "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "2.5", "5", "10", "30", "+Inf"]
        counts = [int(line.rsplit(" ", 1)[1]) for line in times[:-2]]
        assert counts == sorted(counts) and counts[-1] == 1
        assert values['bskyauth_request_seconds_count{route="/api/auth/tokens"}'] == "1"
        assert float(values['bskyauth_request_seconds_sum{route="/api/auth/tokens"}']) > 0
        for operation in "get", "put", "delete":
            assert int(values[f'bskyauth_store_operations_total{{store="rows",operation="{operation}",result="done"}}']) > 0
        assert values['bskyauth_store_operations_total{store="rows",operation="put",result="failed"}'] == "0"
        assert int(values['bskyauth_outgoing_requests_total{result="ok"}']) > 0
        assert values['bskyauth_refreshes_total{result="refreshed"}'] == "0"
        assert 'bskyauth_requests_total{route="/api/auth/tokens",method="POST",status="200"} 1' in lines
        assert 'bskyauth_logins_total{result="completed"} 1' in lines
        assert "# TYPE bskyauth_requests_total counter" in lines
        # Addresses that clients make up are one series.
        assert len([line for line in lines if 'status="404"' in line]) == 1
        assert not any("x" * 40 in line for line in lines)
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
        server.stop(kill=True)
        server.start()
        assert 'bskyauth_logins_total{result="completed"} 0' in metrics()
    path.unlink(missing_ok=True)
    path.write_text("precious")
    result = server.run("serve")
    assert result.returncode == 1 and "is no socket" in result.stderr
    assert path.read_text() == "precious"


def test_backup(own_server, tmp_path_factory, sandbox):
    phone = App(own_server)
    phone.log_in("alice.test")
    folder = tmp_path_factory.mktemp("backups") / "one"
    result = own_server.run("backup", folder)
    assert result.returncode == 0, result.stderr
    for file in [folder, *folder.rglob("*")]:
        assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file
    result = own_server.run("backup", folder)
    assert result.returncode == 1 and "exists" in result.stderr
    # The machine is lost, and a new one gets the backup.
    own_server.stop(kill=True)
    shutil.rmtree(own_server.folder / "state")
    shutil.copytree(folder, own_server.folder / "state")
    own_server.start()
    assert phone.send("GET", "/xrpc/com.atproto.repo.describeRepo?repo=alice.test").status == 200
    assert phone.post("/api/auth/refresh").status == 200


@contextlib.contextmanager
def serving(folder, sandbox, sections=(), **changes):
    server = Server(folder, sandbox, sections=sections, **changes)
    yield server
    server.stop()
