"""Programs that nobody changed for bskyauth, as children of `bskyauth exec`."""
import dataclasses
import re
import subprocess
import sys

import pytest

import names
import people

GUIDE = (people.REPOSITORY / "docs/other-programs.md").read_text()
#: What the guide has in a program with the SDK: it logs in.
(SDK,) = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)

#: Posts once for each line that it is told, and tells that it did.
POSTS = SDK + """
import sys
for line in sys.stdin:
    print(client.send_post(line.strip()).uri, flush=True)
"""

PAGES = SDK + """
for number in range(250):
    client.send_post(f"number {number}")
cursor, texts, pages = None, [], 0
while True:
    page = client.app.bsky.feed.post.list(client.me.did, cursor=cursor, limit=100)
    texts += [record.text for record in page.records.values()]
    cursor, pages = page.cursor, pages + bool(page.records)
    if cursor is None or not page.records:
        break
print(pages, len(texts), len(set(texts)))
"""

BLOB = SDK + """
import hashlib, random
content = random.Random(1).randbytes(50_000_000)
blob = client.upload_blob(content).blob
back = client.com.atproto.sync.get_blob({"did": client.me.did, "cid": blob.cid.encode()})
print(blob.size, len(back), hashlib.sha256(back).digest() == hashlib.sha256(content).digest())
"""

POST = SDK + 'print(client.send_post("within the limit").uri)\n'

#: Asks for the token with which a video is uploaded, as programs do: for the server that the SDK is at.
VIDEO = SDK + """
import base64, json
from urllib.parse import quote, urlsplit
server = urlsplit(client._base_url).netloc
token = client.com.atproto.server.get_service_auth(
    {"aud": "did:web:" + quote(server), "lxm": "com.atproto.repo.uploadBlob"}).token
payload = token.split(".")[1]
print(json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))["aud"])
"""

#: Begins with the session that an earlier run left in a file, and logs in again if it is told to.
SAVED = """
import os, pathlib
from atproto import Client
from atproto_client.exceptions import BadRequestError
client, file = Client(os.environ["BSKYAUTH_PROXY_URL"]), pathlib.Path(os.environ["HOME"], "session")
def login():
    client.login(os.environ["BSKYAUTH_PROXY_HANDLE"], os.environ["BSKYAUTH_PROXY_SECRET"])
try:
    if file.exists():
        # The port is another one in each run.
        handle, did, access, refresh = file.read_text().split(":::")[:4]
        client.login(session_string=":::".join([handle, did, access, refresh, os.environ["BSKYAUTH_PROXY_URL"]]))
        print("kept")
    else:
        login()
except BadRequestError as error:
    print(error.response.content.error)
    login()
file.write_text(client.export_session_string())
print(client.me.handle)
"""

#: For the SDK, its own token has ended.
LATER = SDK + """
import time, time_machine
with time_machine.travel(time.time() + 2 * 3600):
    print(client.send_post("later").uri)
"""

ASYNC = """
import asyncio, os
from atproto import AsyncClient

async def main():
    client = AsyncClient(os.environ["BSKYAUTH_PROXY_URL"])
    await client.login(os.environ["BSKYAUTH_PROXY_HANDLE"], os.environ["BSKYAUTH_PROXY_SECRET"])
    posts = await asyncio.gather(*(client.send_post(f"at once {number}") for number in range(20)))
    print(len({post.uri for post in posts}))

asyncio.run(main())
"""

#: The text of a member of a JSON object.
MEMBER = """
set -eu
member() { sed "s/.*\\"$1\\":\\"\\([^\\"]*\\)\\".*/\\1/"; }
"""

CURL = MEMBER + """
say() { printf '%s' "$1" | curl -sSf --json @- $2 "$BLUESKY_PDS_URL/xrpc/$3"; }
login=$(say "{\\"identifier\\":\\"$BLUESKY_HANDLE\\",\\"password\\":\\"$BLUESKY_APP_PASSWORD\\"}" '' \
    com.atproto.server.createSession)
did=$(printf %s "$login" | member did)
printf 'header = "Authorization: Bearer %s"\\n' "$(printf %s "$login" | member accessJwt)" >"$HOME/curlrc"
record='{"$type":"app.bsky.feed.post","text":"by curl","createdAt":"2026-01-01T00:00:00Z"}'
say "{\\"repo\\":\\"$did\\",\\"collection\\":\\"app.bsky.feed.post\\",\\"record\\":$record}" "-K $HOME/curlrc" \
    com.atproto.repo.createRecord | member uri
"""

HTTPIE = MEMBER + """
http() { "$PYTHON" -m httpie --ignore-stdin --check-status --pretty=none --print=b "$@"; }
login=$(http "$BLUESKY_PDS_URL/xrpc/com.atproto.server.createSession" \
    identifier="$BLUESKY_HANDLE" password="$BLUESKY_APP_PASSWORD")
http -A bearer -a "$(printf %s "$login" | member accessJwt)" "$BLUESKY_PDS_URL/xrpc/com.atproto.repo.createRecord" \
    repo="$(printf %s "$login" | member did)" collection=app.bsky.feed.post \
    record:='{"$type":"app.bsky.feed.post","text":"by httpie","createdAt":"2026-01-01T00:00:00Z"}' | member uri
"""


@dataclasses.dataclass
class Runs:
    """`exec` of an account that is logged in, with a log."""

    home: people.Home
    directory: object
    did: str

    def start(self, *command, options=()):
        more = {"PYTHON": sys.executable, "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.Popen(
            [self.home.program, "exec", "--log", str(self.directory / "log"), *options, "--", *command],
            env=self.home.environment | more, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
        )

    def run(self, *command, options=()):
        """What the program printed. It succeeded, and nothing was said to it with 401."""
        running = self.start(*command, options=options)
        output, errors = running.communicate(timeout=600)
        assert (running.returncode, errors) == (0, ""), output
        assert 401 not in self.statuses()
        return output

    def python(self, script):
        return self.run(sys.executable, "-c", script)

    def log(self):
        return [line.split() for line in (self.directory / "log").read_text().splitlines()]

    def statuses(self):
        return {int(line[3]) for line in self.log()}

    def uri(self):
        return f"at://{self.did}/app.bsky.feed.post/"


@pytest.fixture
def runs(network, home, tmp_path):
    home.succeed("login", names.ALICE)
    network.sandbox.control("POST", "journal/reset")
    return Runs(home, tmp_path, network.did(names.ALICE))


def refreshes(journal):
    """The refreshes that got a token. Each token was used once, and no session ended."""
    assert not any(line["session_ended"] for line in journal)
    asked = [line for line in journal if line["grant"] and line["error"] != "use_dpop_nonce"]
    assert {line["grant"] for line in asked} <= {"refresh_token"}
    assert all(line["consumed"] and line["status"] == 200 for line in asked)
    return len(asked)


def test_the_sdk_pages_through_what_it_wrote(network, runs):
    assert runs.python(PAGES).split() == ["3", "250", "250"]
    journal = network.sandbox.journal()
    assert sum(line["path"].endswith("createRecord") and line["status"] == 200 for line in journal) == 250
    # The SDK's own session never leaves this machine.
    assert not any("Session" in line["path"] for line in journal)


def test_the_guides_program_may_post_and_nothing_else(network, runs):
    # The limit is that of the guide, too.
    assert "--allow 'repo:app.bsky.feed.post?action=create'" in GUIDE
    options = ["--allow", "repo:app.bsky.feed.post?action=create"]
    assert runs.run(sys.executable, "-c", POST, options=options).startswith(runs.uri())
    assert {line["path"] for line in network.sandbox.journal()} == {"/xrpc/com.atproto.repo.createRecord"}


def test_a_token_for_a_video_names_the_accounts_server(network, runs):
    pds = runs.home.succeed("accounts", "current")["account"]["pds"]
    assert runs.python(VIDEO).strip() == "did:web:" + pds.removeprefix("https://")


def test_the_sdk_logs_in_again_in_the_next_run(network, runs):
    assert runs.python(SAVED).split() == [names.ALICE]
    assert runs.python(SAVED).split() == ["ExpiredToken", names.ALICE]
    assert not any("Session" in line["path"] for line in network.sandbox.journal())


def test_the_sdk_sends_50_megabytes_and_reads_them_back(runs):
    assert runs.python(BLOB).split() == ["50000000", "50000000", "True"]


@pytest.mark.parametrize("network", [["--access-token-ttl", "3s"]], indirect=True, ids=["3s"])
def test_the_sdk_goes_on_when_tokens_end(network, runs):
    running = runs.start(sys.executable, "-c", POSTS)
    count = 0
    while refreshes(network.sandbox.journal()) < 3:
        count += 1
        running.stdin.write(f"number {count}\n")
        running.stdin.flush()
        assert running.stdout.readline().startswith(runs.uri())
    output, errors = running.communicate()
    assert (running.returncode, output, errors) == (0, "", "")
    assert runs.statuses() == {200}


def test_the_sdk_refreshes_its_own_session(network, runs):
    assert runs.python(LATER).startswith(runs.uri())
    assert [line[2] for line in runs.log()].count("com.atproto.server.refreshSession") == 1
    # That is one with the proxy. The account's token is good for an hour.
    assert refreshes(network.sandbox.journal()) == 0


def test_the_asynchronous_sdk_does_20_things_at_once(runs):
    assert runs.python(ASYNC).split() == ["20"]


@pytest.mark.parametrize("script", [CURL, HTTPIE], ids=["curl", "httpie"])
def test_a_script_with_a_handle_and_an_app_password(network, runs, script):
    output = runs.run("sh", "-c", script, options=["--for", "env"])
    assert output.startswith(runs.uri())
    assert [line[2] for line in runs.log()] == ["com.atproto.server.createSession", "com.atproto.repo.createRecord"]
    # One request arrived, perhaps twice because of the nonce.
    made = network.sandbox.journal()
    assert {line["path"] for line in made} == {"/xrpc/com.atproto.repo.createRecord"}
    assert [line["account"] for line in made if line["status"] == 200] == [runs.did]
