"""The examples of the articles, and the bridge to ATProtoKit, on a network with real names and TLS.

The program is `bskyauth-guide`. Its articles are compared with its source in DocumentationTests.
"""
import json
import os
import subprocess

import pytest

import names
import people
import processes


class Guide:
    """The program with one vault."""

    def __init__(self, network, directory):
        self.network, self.directory = network, directory
        self.folder = directory / "guide"
        self.folder.mkdir()

    def run(self, *words, answer=None):
        """What the program wrote. ``answer`` gives it lines for one of its lines."""
        command = [
            processes.client("bskyauth-guide"), str(self.folder), str(self.network.authority.file), *words,
        ]
        with subprocess.Popen(
            command, env={"PATH": os.environ["PATH"]}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, bufsize=1,
        ) as program:
            lines = []
            for line in map(json.loads, program.stdout):
                lines.append(line)
                for reply in (answer(line) if answer and "page" in line else []):
                    program.stdin.write(reply + "\n")
            errors = program.stderr.read()
        assert program.returncode == 0, errors
        return lines

    def approve(self, line):
        return people.approve(line["page"], self.network.authority, self.directory)

    def log_in(self):
        return self.run("web", names.ALICE, answer=lambda line: [self.approve(line)])

    def grants(self):
        return [line["grant"] for line in self.network.sandbox.journal() if line["consumed"]]


@pytest.fixture
def guide(network, tmp_path):
    return Guide(network, tmp_path)


def test_web_login_waits_after_the_redirect_of_somebody_else(guide, network):
    def redirects(line):
        redirect = guide.approve(line)
        return [redirect.replace("state=", "state=x"), redirect]

    _, foreign, account = guide.run("web", names.ALICE, answer=redirects)
    assert foreign == {"foreign": True, "waiting": 1}
    assert account == {"did": network.did(names.ALICE), "waiting": 0}


def test_key_of_a_session_stays_in_a_device(guide, network):
    page, private, session = guide.run("device", names.ALICE, answer=lambda line: [guide.approve(line)])
    assert private == {"private": False} and session == {"session": network.did(names.ALICE)}


def test_key_of_a_client(guide):
    line, = guide.run("keys")
    [published] = json.loads(line["document"])["jwks"]["keys"]
    assert line["kid"] == [published["kid"]] and "d" not in published


def test_uploads_a_file_piece_by_piece(guide, tmp_path):
    guide.log_in()
    file = tmp_path / "picture.png"
    file.write_bytes(os.urandom(300_000))
    line, = guide.run("blob", str(file))
    assert line["size"] == 300_000 and line["type"] == "image/png" and line["cid"].startswith("bafkrei")


def test_refreshes_here_and_in_another_process(guide):
    guide.log_in()
    assert guide.run("refresh") == [{"tokens": 3}]
    assert guide.grants() == ["authorization_code", "refresh_token", "refresh_token"]


def test_moves_a_session_to_another_store(guide, network):
    guide.log_in()
    assert guide.run("move") == [{"left": 0, "session": network.did(names.ALICE)}]
    assert guide.grants() == ["authorization_code"]


def test_atprotokit_calls_with_an_agent(guide, network):
    guide.log_in()
    did = network.did(names.ALICE)
    # The access token has expired, so the first of its requests makes the bridge refresh the session.
    network.sandbox.control("POST", "clock", {"advance": "7200s"})
    context, profile, record, blob, open_call, refused, left = guide.run("atprotokit", names.ISSUER)
    assert context == {"did": did, "server": names.PDS_ORIGIN, "scopes": ["atproto", "transition:generic"]}
    assert profile["status"] == 200 and profile["type"].startswith("application/json")
    assert json.loads(profile["body"])["did"] == did
    assert record["made"] == record["read"] == 200
    assert json.loads(record["record"])["value"]["text"] == "a+b & c"
    assert blob == {"blob": 200, "missing": 400}
    assert refused == {"refused": True} and left == {"left": 0}
    assert guide.grants() == ["authorization_code", "refresh_token"]
    # The account's calls had a proof each for its server. Neither the stale token nor a proof went elsewhere.
    calls = [line for line in network.sandbox.journal() if line["path"].startswith("/xrpc/")]
    assert {line["auth"] for line in calls} == {"oauth", None}
    assert len({line["jkt"] for line in calls if line["auth"]}) == 1
    assert all(
        line["proof"]["payload"]["htu"] == names.PDS_ORIGIN + line["path"] for line in calls if line["auth"]
    )
    assert [line["auth"] for line in calls if "describeServer" in line["path"]] == [None]
    assert [line["status"] for line in calls if "getSession" in line["path"]] == [401, 401, 200]
