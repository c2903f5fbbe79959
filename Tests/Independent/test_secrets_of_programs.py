"""What a child of `bskyauth exec`, and everything around it, could tell of the account's secrets: nothing."""
import pathlib
import subprocess

import pytest

import names
import vault

PASSPHRASE = "correct horse & staple"
EVERYTHING = {"passphrase", "vault key", "access_token", "refresh_token", "dpop key", "client key"}

#: Posts, says so, and waits. What a test plants comes in between.
CHILD = """
curl -sSf -o /dev/null -H "Authorization: Bearer $BSKYAUTH_PROXY_SECRET" -H 'Content-Type: application/json' \
    "$BSKYAUTH_PROXY_URL/xrpc/com.atproto.repo.createRecord" \
    --data "{\\"repo\\":\\"$BSKYAUTH_PROXY_HANDLE\\",\\"collection\\":\\"app.bsky.feed.post\\",\\"record\\":{}}"
env
%s
echo "waiting $$"
read -r line
"""

#: The options of the program: each way of telling a child about the proxy.
WAYS = [["--for", "env"], ["--for", "goat"], ["--set", "A=url", "--set", "B=handle", "--set", "C=secret"]]


def content(file):
    """Nothing of a file or a process that is gone in the meantime."""
    try:
        return file.read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


class Run:
    """One run, whose processes strace writes down, looked at while the child waits and after its end."""

    def __init__(self, home, room, options, planted="", arguments=(), **environment):
        self._home, self._room = home, room
        before = self._read_secrets()
        self.places = {}
        (room / "tmp").mkdir()
        command = [
            "strace", "-f", "-qq", "-v", "-s", "1000000", "-e", "trace=execve", "-o", str(room / "trace"),
            home.program, "exec", "-v", "--log", str(room / "tmp/log"), *options,
            "--", "sh", "-c", CHILD % planted, "sh", *arguments,
        ]
        own = {"TMPDIR": str(room / "tmp"), "XDG_STATE_HOME": str(room / "tmp/state")}
        with open(room / "stderr", "wb") as errors:
            running = subprocess.Popen(
                command, env=home.environment | own | environment, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=errors,
            )
            self._look(running)
            running.communicate(b"go on\n", timeout=600)
        assert running.returncode == 0, (room / "stderr").read_text()
        self.places["stderr"] = (room / "stderr").read_bytes()
        # The first line is the program's own start, by somebody who has the passphrase.
        self.places["processes"] = (room / "trace").read_bytes().partition(b"\n")[2]
        self._read_files()
        after = self._read_secrets()
        #: Before and after a refresh.
        self.secrets = {secret: before[secret] + after[secret] for secret in after}

    def _read_secrets(self):
        secrets = vault.secrets(pathlib.Path(self._home.environment["BSKYAUTH_HOME"]), PASSPHRASE)
        assert secrets.keys() == EVERYTHING
        return secrets

    def _look(self, running):
        words, output = [b""], b""
        while words[0] != b"waiting":
            line = running.stdout.readline()
            assert line, (self._room / "stderr").read_text()
            words, output = line.split() or [b""], output + line
        self.places["stdout"] = output
        self.places["environ"] = pathlib.Path(f"/proc/{int(words[1])}/environ").read_bytes()
        self.places["cmdline"] = b"".join(map(content, pathlib.Path("/proc").glob("[0-9]*/cmdline")))
        self._read_files()

    def _read_files(self):
        for folder in (self._room / "tmp", pathlib.Path(self._home.environment["HOME"])):
            files = [file for file in folder.rglob("*") if file.is_file()]
            self.places |= {f"file {file.name}": content(file) for file in files}

    def found(self):
        """Each secret that is somewhere, and where."""
        return {
            (secret, place)
            for secret, forms in self.secrets.items()
            for place, text in self.places.items()
            if any(form in text for form in forms)
        }


@pytest.fixture(autouse=True)
def passphrase(home):
    del home.environment["BSKYAUTH_KEY_FILE"]
    home.environment["BSKYAUTH_PASSPHRASE"] = PASSPHRASE


@pytest.fixture
def account(home, network, client):
    """An account with a client of the user's own, so that there is a client key, too."""
    home.succeed("login", names.ALICE, "--client", "bot")
    return home


@pytest.mark.parametrize("options", WAYS, ids=["env", "goat", "set"])
# covers: B21
def test_nothing_of_the_account_is_anywhere(network, home, client, tmp_path, options):
    # The first token has ended when the child begins: a keeper refreshes.
    network.sandbox.fault({"amend": {"set": {"/expires_in": 0}}}, grant="authorization_code")
    home.succeed("login", names.ALICE, "--client", "bot")
    run = Run(home, tmp_path, options)
    assert run.found() == set()
    assert [line["grant"] for line in network.sandbox.journal() if line["consumed"]][1:] == ["refresh_token"]
    assert b"---keeper" in run.places["processes"]
    assert b" 200 " in run.places["file log"] and b"bskyauth-run-" in run.places["environ"]
    assert ("file auth-session.json" in run.places) == ("goat" in options)


@pytest.fixture
def token(account):
    """The real access token, as the user can have it printed."""
    url = f"{names.PDS_ORIGIN}/xrpc/com.atproto.server.getSession"
    headers = account.succeed("token", "--dpop", "GET", url)["headers"]
    return headers["Authorization"].removeprefix("DPoP ")


@pytest.mark.parametrize(
    "planted, places",
    [
        ("A=%s /bin/true", {"processes"}),
        ("/bin/true %s", {"processes"}),
        ("echo %s >$TMPDIR/note", {"file note"}),
        ("echo %s >>$TMPDIR/log", {"file log"}),
        ("echo %s", {"stdout"}),
        ("echo %s >&2", {"stderr"}),
    ],
    ids=["environment", "argument", "file", "log", "stdout", "stderr"],
)
def test_a_token_that_a_child_tells_is_found(account, token, tmp_path, planted, places):
    (tmp_path / "planted").write_text(token)
    run = Run(account, tmp_path, ["--for", "env"], planted % f"$(cat '{tmp_path}/planted')")
    assert run.found() == {("access_token", place) for place in places}


def test_a_token_that_a_child_is_given_is_found(account, token, tmp_path):
    given = Run(account, tmp_path, ["--for", "env"], arguments=[token], GIVEN=token)
    assert given.found() == {("access_token", place) for place in ("processes", "cmdline", "environ", "stdout")}


def test_each_planted_secret_is_found_in_each_form(account, tmp_path):
    run = Run(account, tmp_path, ["--for", "env"])
    for secret, forms in run.secrets.items():
        for form in forms:
            run.places["note"] = b"before" + form + b"after"
            assert run.found() == {(secret, "note")}
