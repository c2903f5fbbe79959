"""The SDK of others, as the guide of bskyauth-server has it, through the gateway of the server."""
import re
import subprocess
import sys

import pytest

import people

sys.path.append(str(people.REPOSITORY / "Server/Tests/Contract"))
import parts  # noqa: E402

GUIDE = (people.REPOSITORY / "Server/README.md").read_text()
(SDK,) = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)

WRITES = """
import hashlib, random
me = client.com.atproto.server.get_session().did
post = {"$type": "app.bsky.feed.post", "text": "by the SDK", "createdAt": "2026-01-01T00:00:00Z"}
made = client.com.atproto.repo.create_record({"repo": me, "collection": "app.bsky.feed.post", "record": post})
listed = client.com.atproto.repo.list_records({"repo": me, "collection": "app.bsky.feed.post"})
print(made.uri in [record.uri for record in listed.records])
content = random.Random(1).randbytes(5_000_000)
blob = client.com.atproto.repo.upload_blob(content).blob
back = client.com.atproto.sync.get_blob({"did": me, "cid": blob.cid.encode()})
print(hashlib.sha256(back).digest() == hashlib.sha256(content).digest())
"""


@pytest.fixture
def app(tmp_path):
    sandbox = parts.Sandbox()
    server = parts.Server(tmp_path, sandbox)
    app = parts.App(server)
    app.log_in("alice.test")
    yield app
    server.stop()
    sandbox.stop()


def run(app, script):
    """Runs a script that has the session in `session`, and gives what it printed."""
    script = script.replace("https://auth.example.com", f"http://127.0.0.1:{app.server.port}")
    return subprocess.run(
        [sys.executable, "-c", "session = input()\n" + script], input=app.session, capture_output=True, text=True,
        timeout=600)


def test_sdk_works_through_the_gateway(app):
    result = run(app, SDK + WRITES)
    assert (result.returncode, result.stderr) == (0, ""), result.stderr
    assert result.stdout.split() == ["alice.test", "True", "True"]


def test_sdk_hears_that_the_session_has_ended(app):
    app.post("/api/auth/logout", {"all": True})
    result = run(app, SDK)
    assert result.returncode != 0 and "Unauthorized" in result.stderr
