"""A mobile app of ATProtoBackendClient. Each step is a new process of it, so whatever it knows comes from its folder."""
import json
import os
import stat
import subprocess
import urllib.parse

import pytest

import parts
from parts import CLIENTS, IOS, App, Browser, approve


class MobileApp:
    """The program `bskyauth-backend-app` with one folder. It talks to the server, as it does behind a proxy."""

    def __init__(self, server, folder):
        self.server, self.folder = server, folder

    def run(self, *words, status=0):
        """The lines that the app wrote."""
        command = [CLIENTS / "bskyauth-backend-app", self.folder, f"http://127.0.0.1:{self.server.port}", *words]
        environment = {"PATH": os.environ["PATH"]}
        result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
        assert result.returncode == status, result.stdout + result.stderr
        parts.SAID += [result.stdout, result.stderr]
        return [json.loads(line) for line in result.stdout.splitlines()]

    def one(self, *words, **options):
        (line,) = self.run(*words, **options)
        return line

    def redirect(self, page, handle="alice.test", decision="accept"):
        """Where the person's browser ends, which knows nothing of the app."""
        answer = Browser(self.server).follow(approve(page, handle, decision))
        assert answer.status == 303, answer.body
        return answer.location

    def log_in(self, handle="alice.test"):
        return self.one("redirect", self.redirect(self.one("start", handle)["page"], handle))

    def call(self):
        answer = self.one("call")
        return {**json.loads(answer["body"]), "status": answer["status"]}

    @property
    def files(self):
        return sorted(path.name for path in self.folder.iterdir())

    @property
    def token(self):
        return json.loads((self.folder / "backend-session").read_text())["session"]


@pytest.fixture
def mobile(server, tmp_path):
    return MobileApp(server, tmp_path / "app")


# covers: C4
def test_whole_life(mobile, sandbox):
    count = len(sandbox.sessions())
    page = mobile.one("start", "alice.test")["page"]
    assert mobile.files == ["backend-login"]
    redirect = mobile.redirect(page)
    assert redirect.startswith(IOS + "?")
    session = mobile.one("redirect", redirect)
    assert session["did"] == sandbox.dids["alice.test"] and session["shown"] == "the session of @alice.test"
    assert mobile.files == ["backend-session"]
    answer = mobile.call()
    assert answer["status"] == 200 and answer["handle"] == "alice.test" and answer["app"] == "ios"
    assert mobile.one("xrpc") == {"did": session["did"], "handle": "alice.test"}
    assert mobile.one("post", "hello")["uri"].startswith(f"at://{session['did']}/app.bsky.feed.post/")
    assert mobile.one("session") == session
    assert len(sandbox.sessions()) == count + 1
    assert mobile.one("logout") == {}
    assert mobile.files == [] and len(sandbox.sessions()) == count
    assert mobile.one("call", status=1)["failure"] == "showLogin"


# covers: C4
def test_what_it_keeps_is_private_and_no_token_of_oauth(mobile):
    page = mobile.one("start", "alice.test")["page"]
    login = mobile.folder / "backend-login"
    verifier = json.loads(login.read_text())["verifier"]
    assert verifier not in page
    kept = [login.read_text()]
    assert stat.S_IMODE(login.stat().st_mode) == 0o600
    mobile.one("redirect", mobile.redirect(page))
    session = mobile.folder / "backend-session"
    assert stat.S_IMODE(session.stat().st_mode) == 0o600
    kept.append(session.read_text())
    # The scan of the run looks through them.
    parts.SAID += kept
    assert verifier not in kept[1]


def test_redirects_that_do_not_answer_the_login(mobile):
    page = mobile.one("start", "alice.test")["page"]
    redirect = mobile.redirect(page)
    code = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(redirect).query))["code"]
    for foreign in [
        IOS, redirect.replace("com.example.ios", "com.example.other"), redirect.replace(":/auth", ":/other"),
        f"{redirect}&code={code}", redirect.replace("code=", "kode="), redirect.replace("did=", "dit="),
        f"{redirect}&error=access_denied",
    ]:
        assert mobile.one("redirect", foreign) == {"waiting": True}
        assert mobile.files == ["backend-login"]
    denied = mobile.one("redirect", IOS + "?error=access_denied", status=1)
    assert denied["error"] == "access_denied" and mobile.files == ["backend-login"]
    assert mobile.one("redirect", redirect)["handle"] == "alice.test"
    assert mobile.one("redirect", redirect) == {"waiting": True}
    assert mobile.files == ["backend-session"]


def test_session_of_another_person_is_refused_and_ended(mobile, sandbox):
    count = len(sandbox.sessions())
    alice, bob = (urllib.parse.quote(sandbox.dids[handle], safe="") for handle in ("alice.test", "bob.test"))
    redirect = mobile.redirect(mobile.one("start", "alice.test")["page"])
    assert alice in redirect
    mobile.one("redirect", redirect.replace(alice, bob), status=1)
    assert mobile.files == ["backend-login"] and len(sandbox.sessions()) == count
    # Added to a session that has another account, which stays.
    mobile.log_in("alice.test")
    redirect = mobile.redirect(mobile.one("start", "bob.test")["page"], "bob.test")
    mobile.one("redirect", redirect.replace(bob, alice), status=1)
    (account,) = mobile.run("accounts")
    assert account["handle"] == "alice.test" and account["active"] is False
    assert mobile.one("activate", account["account"])["handle"] == "alice.test"
    assert len(sandbox.sessions()) == count + 1
    mobile.one("logout-all")


def test_code_of_another_login_is_worth_nothing(mobile, server, tmp_path):
    other = MobileApp(server, tmp_path / "other")
    mine, theirs = mobile.one("start", "alice.test"), other.one("start", "alice.test")
    redirect = other.redirect(theirs["page"])
    refused = mobile.one("redirect", redirect, status=1)
    assert refused["error"] == "invalid_code" and mobile.files == ["backend-login"]
    # The code and the login are still good for whom they belong to.
    assert other.one("redirect", redirect)["handle"] == "alice.test"
    assert mobile.one("redirect", mobile.redirect(mine["page"]))["handle"] == "alice.test"


def test_denied_consent(mobile):
    page = mobile.one("start", "alice.test")["page"]
    redirect = mobile.redirect(page, decision="reject")
    assert mobile.one("redirect", redirect, status=1)["error"] == "access_denied"
    assert mobile.one("session") == {}


def test_several_accounts(mobile, sandbox):
    count = len(sandbox.sessions())
    mobile.log_in("alice.test")
    first = mobile.token
    mobile.log_in("bob.test")
    assert mobile.token != first
    alice, bob = mobile.run("accounts")
    assert [(alice["handle"], alice["active"]), (bob["handle"], bob["active"])] == [("alice.test", False), ("bob.test", True)]
    assert mobile.one("activate", alice["account"])["handle"] == "alice.test"
    assert mobile.call()["handle"] == "alice.test"
    stranger = mobile.one("activate", "00000000-0000-4000-8000-000000000000", status=1)
    assert stranger["error"] == "no_such_account"
    assert mobile.one("logout", bob["account"])["handle"] == "alice.test"
    assert [account["handle"] for account in mobile.run("accounts")] == ["alice.test"]
    mobile.log_in("bob.test")
    assert mobile.one("logout")["did"] == ""
    assert [account["active"] for account in mobile.run("accounts")] == [False]
    assert mobile.one("logout-all") == {"told": True}
    assert mobile.files == [] and len(sandbox.sessions()) == count


def test_logout_everywhere_ends_another_device(mobile, server, tmp_path):
    tablet = MobileApp(server, tmp_path / "tablet")
    mobile.log_in()
    tablet.log_in()
    assert mobile.one("logout-everywhere") == {}
    ended = tablet.one("call", status=1)
    assert ended["failure"] == "showLogin" and tablet.files == []
    assert tablet.log_in()["handle"] == "alice.test"
    tablet.one("logout-all")


def test_fifty_tasks_refresh_once(mobile, journal):
    mobile.log_in()
    first = mobile.token
    assert mobile.one("refresh") == {"tokens": 1}
    # The server checks the account at each refresh.
    assert len(journal(path="/xrpc/com.atproto.server.getSession", status=200)) == 1
    assert mobile.token != first and mobile.call()["handle"] == "alice.test"


def test_only_the_end_of_the_session_is_an_end(mobile, sandbox):
    mobile.log_in("bob.test")
    kept = mobile.token
    sandbox.faults({"match": {"role": "pds"}, "action": {"drop": "before"}})
    assert mobile.one("refresh", status=1)["failure"] == "again"
    assert mobile.token == kept
    sandbox.faults()
    assert mobile.one("refresh") == {"tokens": 1}
    sandbox.control("POST", "sessions/end", {"did": sandbox.dids["bob.test"]})
    sandbox.control("POST", "clock", {"advance": "2h"})
    try:
        assert mobile.one("refresh", status=1)["failure"] == "showLogin"
    finally:
        sandbox.control("POST", "clock", {"reset": True})
    assert mobile.files == []
    assert mobile.log_in("bob.test")["handle"] == "bob.test"


def test_call_finds_that_the_account_has_ended(mobile, sandbox):
    mobile.log_in("bob.test")
    mobile.one("post", "hello")
    sandbox.control("POST", "sessions/end", {"did": sandbox.dids["bob.test"]})
    sandbox.control("POST", "clock", {"advance": "2h"})
    try:
        assert mobile.one("post", "hello", status=1)["failure"] == "showLogin"
    finally:
        sandbox.control("POST", "clock", {"reset": True})
    assert mobile.files == []


def test_restart_of_the_server(own_server, tmp_path):
    mobile = MobileApp(own_server, tmp_path / "app")
    page = mobile.one("start", "alice.test")["page"]
    own_server.stop(kill=True)
    unreachable = mobile.one("start", "alice.test", status=1)
    assert unreachable["failure"] == "again"
    own_server.start()
    mobile.one("redirect", mobile.redirect(page))
    kept = mobile.token
    own_server.stop(kill=True)
    assert mobile.one("call", status=1)["failure"] == "again"
    assert mobile.token == kept
    own_server.start()
    assert mobile.call()["handle"] == "alice.test"


def test_its_session_is_that_of_its_app(mobile, server):
    mobile.log_in()
    holder = App(server)
    holder.session = mobile.token
    assert holder.send("GET", "/api/auth/session?app=ios").status == 200
    assert holder.send("GET", "/api/auth/session?app=android").status == 401
