"""A person at a browser, and a user of bskyauth."""
import json
import os
import pathlib
import select
import subprocess
import sys
import urllib.parse

import pexpect

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
BROWSER = REPOSITORY / "Tests/EndToEndSupport/browser.py"

# Debian's Python has Selenium, and the first one of PATH may not.
CHROMIUM = ["/usr/bin/python3", "-B", pathlib.Path(__file__).with_name("chromium_person.py")]
HAS_CHROMIUM = all(
    os.access(file, os.X_OK)
    for file in (
        "/usr/bin/chromium", "/usr/bin/chromedriver", "/usr/bin/certutil", "/usr/lib/python3/dist-packages/selenium"
    )
)

# Arguments of a call that makes a post.
POST = [
    "collection=app.bsky.feed.post",
    'record:={"$type":"app.bsky.feed.post","text":"hello","createdAt":"2026-01-01T00:00:00Z"}',
]


def approve(url, authority, directory):
    """Signs in and consents through the HTML pages; the URL the browser is sent back to."""
    file = directory / "redirect"
    environment = {
        "PATH": os.environ["PATH"],
        "SSL_CERT_FILE": str(authority.file),
        "BSKYAUTH_TEST_BROWSER": "accept keep",
        "BSKYAUTH_TEST_REDIRECT": str(file),
    }
    subprocess.run([sys.executable, BROWSER, url], env=environment, check=True, timeout=600)
    return file.read_text()


class Chromium:
    """A person at Chromium, who may go on looking when the program has ended."""

    def __init__(self, directory):
        self._report = directory / "report"
        os.mkfifo(self._report)
        # Without a reader, the person could not begin.
        self._reader = os.open(self._report, os.O_RDONLY | os.O_NONBLOCK)

    def environment(self):
        """Has the program open this browser."""
        return {
            "BSKYAUTH_BROWSER": " ".join(map(str, CHROMIUM)), "BSKYAUTH_TEST_REPORT": str(self._report),
        }

    def open(self, url, environment):
        """Comes to the end of the pages, for a program that opens no browser."""
        subprocess.Popen([*CHROMIUM, url], env=environment | self.environment())

    def seen(self):
        """What the person has seen at the end."""
        ready, _, _ = select.select([self._reader], [], [], 150)
        assert ready, "nobody came to the browser"
        os.set_blocking(self._reader, True)
        with open(self._reader) as file:
            return json.load(file)


def at_terminal(home, *arguments):
    """One command at a terminal, with somebody there to answer it."""
    environment = {name: value for name, value in home.environment.items() if name != "BSKYAUTH_NO_INPUT"}
    return pexpect.spawn(
        home.program, list(arguments), env=environment, dimensions=(24, 1000), timeout=120, encoding="utf-8"
    )


def parameters(url):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))


class Home:
    """A home directory of a user's own. The environment is all that is told; no dev network."""

    def __init__(self, program, directory, authority):
        self.program = program
        self.authority = authority
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(directory),
            "BSKYAUTH_HOME": str(directory / "vault"),
            "XDG_CACHE_HOME": str(directory / "cache"),
            "BSKYAUTH_KEY_FILE": str(directory / "key"),
            "BSKYAUTH_NO_INPUT": "1",
            "BSKYAUTH_BROWSER": f"{sys.executable} {BROWSER}",
            "SSL_CERT_FILE": str(authority.file),
        }

    def run(self, *arguments, **environment):
        """One command to its end, with --json."""
        return subprocess.run(
            [self.program, *arguments, "--json"], env=self.environment | environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600,
        )

    def succeed(self, *arguments, **environment):
        result = self.run(*arguments, **environment)
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout) if result.stdout.strip() else None

    def fail(self, status, *arguments, **environment):
        """The error that a command tells which ends with this status and says nothing on stdout."""
        result = self.run(*arguments, **environment)
        assert result.returncode == status, (result.returncode, result.stderr)
        assert result.stdout == ""
        return json.loads(result.stderr.splitlines()[-1])["error"]
