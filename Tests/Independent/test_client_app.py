"""An app of ATProtoSessions, with a transport, a store and a user agent of its own, on a network with real names and TLS.

The program is `bskyauth-client-app`, of a package of its own, whose modules have names that apps like to use. Each run is a
new process, so a session comes from the store.
"""
import json
import os
import shutil
import subprocess
import threading

import pexpect
import pytest

import names
import people
import processes


ENDED = ["says: Invalid refresh token", "ended it"]


class App:
    """The app with one folder of sessions."""

    def __init__(self, network, directory):
        self.network, self.directory = network, directory
        self.folder = directory / "sessions"
        self.later = 0

    def start(self, *words):
        environment = {"PATH": os.environ["PATH"]}
        command = [processes.client("bskyauth-client-app"), str(self.folder), *words]
        if self.later:
            command = ["faketime", "-f", f"+{self.later}s", *command]
        return subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, bufsize=1,
        )

    def run(self, *words, status=0, answer=None):
        """What the app wrote. ``answer`` gives it a line for one of its lines, or None."""
        with self.start(*words) as program:
            hang = threading.Timer(600, program.kill)
            hang.start()
            lines = []
            for line in map(json.loads, program.stdout):
                lines.append(line)
                reply = answer and answer(line, program.pid)
                if reply is not None:
                    program.stdin.write(reply + "\n")
            errors = program.stderr.read()
            program.wait()
            hang.cancel()
        assert program.returncode == status, errors
        return lines if status == 0 else errors

    def log_in(self, handle=names.ALICE, amend=lambda redirect: redirect, status=0):
        def answer(line, _):
            if "page" in line:
                return amend(people.approve(line["page"], self.network.authority, self.directory))
            return None

        return self.run("login", handle, answer=answer, status=status)

    def advance(self, seconds):
        """Time goes by for the servers and for the app."""
        self.later += seconds
        self.network.sandbox.control("POST", "clock", {"advance": f"{seconds}s"})

    def grants(self):
        return [line["grant"] for line in self.network.sandbox.journal() if line["consumed"]]

    def stored(self):
        return sorted(file.suffix for file in self.folder.iterdir())


@pytest.fixture
def app(network, tmp_path):
    """Foundation trusts the system's authorities, whatever the environment says."""
    system = "/etc/ssl/certs/ca-certificates.crt"
    subprocess.run(["mount", "--bind", network.authority.file, system], check=True)
    yield App(network, tmp_path)
    subprocess.run(["umount", system], check=True)


@pytest.mark.parametrize("handle", [names.ALICE, names.BOB, names.CAROL], ids=["dns", "well-known", "web"])
def test_logs_in_and_calls(app, network, handle):
    did = network.did(handle)
    page, account, session = app.log_in(handle)
    assert page["redirect_uri"] == "http://127.0.0.1/callback"
    assert account == {"did": did, "handle": handle} and session == {"session": did}
    assert app.stored() == [".account", ".session"]
    assert all(file.stat().st_mode & 0o777 == 0o600 for file in app.folder.iterdir())


def test_restarts_from_the_store_and_50_tasks_make_one_grant(app, network):
    app.log_in()
    facts = []

    def answer(line, pid):
        facts.append(processes.facts(pid))
        return ""

    assert app.run("calls", answer=answer)[-1] == {"answers": {network.did(names.ALICE): 50}, "rotations": 0}
    assert app.grants() == ["authorization_code"]
    # The library leaves its process as it was.
    assert facts[0] == facts[1]

    app.advance(7200)
    assert app.run("calls", answer=lambda *_: "")[-1] == {
        "answers": {network.did(names.ALICE): 50}, "rotations": 1,
    }
    assert app.grants() == ["authorization_code", "refresh_token"]
    assert app.stored() == [".account", ".session"]
    # The refreshed session was saved.
    assert app.run("calls", answer=lambda *_: "")[-1]["rotations"] == 0


def test_writes_and_reads_records(app, network):
    app.log_in()
    first, proof, refused, texts, blob, gone, absent = app.run("records")
    assert first == {"uri": f"at://{network.did(names.ALICE)}/app.bsky.feed.post/one", "text": "hello"}
    assert proof == {"proven": "hello", "same": True} and refused == {"refused": True} and absent == {"absent": True}
    assert texts == {"texts": ["changed"]} and blob == {"size": 5, "type": "text/plain"}
    assert gone == {"gone": "RecordNotFound", "code": True}


def test_passes_on_what_its_limits_allow(app, network):
    did = network.did(names.ALICE)
    app.log_in()
    [session] = app.run("gateway", "GET /xrpc/com.atproto.server.getSession")
    assert json.loads(session["body"]) == {"did": did, "handle": names.ALICE, "active": True}

    def create(collection):
        body = json.dumps({"repo": did, "collection": collection, "record": {"$type": collection, "text": "x"}})
        return app.run("gateway", f"POST /xrpc/com.atproto.repo.createRecord {body}")[0]

    made = create("app.bsky.feed.post")
    assert made["status"] == 200 and json.loads(made["body"])["uri"].startswith(f"at://{did}/app.bsky.feed.post/")
    assert create("app.bsky.graph.follow")["status"] == 403
    assert app.run("gateway", "GET /xrpc/com.atproto.server.getServiceAuth?aud=did:web:x.example")[0]["status"] == 403
    assert app.run("gateway", "POST /xrpc/com.atproto.server.deleteSession")[0]["status"] == 403
    # The account's session is still there.
    assert create("app.bsky.feed.post")["status"] == 200


def test_calls_a_server_without_an_account(app):
    assert app.run("describe", names.PDS_ORIGIN) == [{"server": f"did:web:{names.PDS}"}]
    assert not any(line["jkt"] for line in app.network.sandbox.journal())


def test_logs_out(app):
    app.log_in()
    assert app.run("logout") == [{"told": True}, {"left": 0}]
    assert app.stored() == []


def test_a_session_that_the_server_has_ended(app, tmp_path):
    app.log_in()
    shutil.copytree(app.folder, tmp_path / "copy")
    app.run("logout")
    app.folder = tmp_path / "copy"
    app.advance(7200)
    for _ in range(2):
        errors = app.run("calls", answer=lambda *_: "", status=1)
        # One task hears the server's words, and the others read that the session has ended.
        assert errors in {f"the session has ended: the server {said}\n" for said in ENDED}
    # The second run knew it from the store.
    refusals = [line for line in app.network.sandbox.journal() if line["error"] == "invalid_grant"]
    assert len(refusals) == 1 and app.grants() == ["authorization_code"]


@pytest.mark.parametrize(
    "amend",
    [
        lambda redirect: redirect.replace("state=", "state=x"),
        lambda redirect: redirect.replace("iss=", "iss=x"),
        lambda redirect: redirect.replace("/callback", "/other"),
    ],
    ids=["state", "iss", "address"],
)
def test_a_redirect_of_another_login(app, amend):
    errors = app.log_in(amend=amend, status=1)
    assert "redirect" in errors and len(errors.splitlines()) == 1
    assert app.grants() == [] and app.stored() == []


def test_the_example_of_the_guide_posts_a_line(network, tmp_path):
    words = [names.ALICE, str(network.authority.file)]
    terminal = pexpect.spawn(
        processes.client("bskyauth-example"), words, env={"PATH": os.environ["PATH"]}, dimensions=(24, 1000),
        timeout=120, encoding="utf-8", echo=False,
    )
    terminal.expect(r"Open this page:\s+(\S+)\s+Then paste")
    terminal.sendline(people.approve(terminal.match[1], network.authority, tmp_path))
    terminal.expect(rf"posted at://{network.did(names.ALICE)}/app.bsky.feed.post/\w+")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0
