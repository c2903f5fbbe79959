"""A person at a browser, and a user of bskyauth."""
import json
import os
import pathlib
import subprocess
import sys
import urllib.parse

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
BROWSER = REPOSITORY / "Tests/EndToEndSupport/browser.py"

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


def parameters(url):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))


class Home:
    """A home directory of a user's own. The environment is all that is told; no dev network."""

    def __init__(self, program, directory, authority):
        self.program = program
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
