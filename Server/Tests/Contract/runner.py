"""The program bskyauth on a machine that has no key of a client, and what is between it and a server."""
import http.client
import http.server
import json
import os
import pathlib
import subprocess
import sys
import threading
import urllib.parse

import parts
from prover import decode, encode

BINARY = pathlib.Path(os.environ.get("BSKYAUTH_TEST_BINARY", parts.ROOT / ".build/debug/bskyauth")).absolute()
PASSPHRASE = "correct horse & staple"

#: Signs in, and goes where the redirect leads: over the server, which is at the port that is given.
BROWSER = """
import http.client, sys, urllib.parse, urllib.request
sys.path.append({support!r})
from browser import approve
redirect = urllib.parse.urlsplit(approve(sys.argv[-1], {handle!r}))
assert redirect.path == "/oauth/loopback", redirect
connection = http.client.HTTPConnection("127.0.0.1", {port})
connection.request("GET", redirect.path + "?" + redirect.query, headers={{"host": redirect.netloc}})
answer = connection.getresponse()
assert answer.status == 303, answer.read()
urllib.request.urlopen(answer.headers["location"]).read()
"""


class Runner:
    """A home of its own. Each command is a new process, which works in a new folder."""

    def __init__(self, folder, server, handle="alice.test", **variables):
        folder.mkdir()
        self.folder, self.server, self.handle = folder, server, handle
        script = folder / "person.py"
        script.write_text(BROWSER.format(
            support=str(parts.ROOT / "Tests/EndToEndSupport"), handle=handle, port=server.port))
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(folder), "BSKYAUTH_HOME": str(folder / "vault"),
            "XDG_CACHE_HOME": str(folder / "cache"), "BSKYAUTH_DEV_NETWORK": server.sandbox.address,
            "BSKYAUTH_NO_INPUT": "1", "BSKYAUTH_PASSPHRASE": PASSPHRASE,
            "BSKYAUTH_BROWSER": f"{sys.executable} {script}", **variables}

    def run(self, *arguments, cwd=None, **options):
        return subprocess.run(
            [BINARY, *arguments], env=self.environment, cwd=cwd or self.folder, capture_output=True, text=True,
            timeout=120, **options)

    def succeed(self, *arguments, **options):
        result = self.run(*arguments, **options)
        assert result.returncode == 0, result.stderr
        return result.stdout

    def fail(self, status, words, *arguments, **options):
        result = self.run(*arguments, **options)
        assert (result.returncode, words in result.stderr) == (status, True), result.stderr
        return result.stderr

    def log_in(self, address, *options, **more):
        return self.succeed("login", self.handle, "--timeout", "60s", "--client-assertions", address, *options, **more)

    def enrol(self, address, code):
        """Logs in with a one-time code."""
        file = self.folder / "code"
        file.write_text(code + "\n")
        file.chmod(0o600)
        self.log_in(address, "--enrol-code-file", str(file))
        file.unlink()

    def accounts(self):
        return json.loads(self.succeed("accounts", "--json"))["accounts"]


class Relay:
    """Stands between a program and a server. It keeps the requests, and may change the answers or give none."""

    def __init__(self, server):
        self.server, self.forms, self.mode = server, [], None
        relay = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                relay.answer(self)

            def log_message(self, *arguments):
                pass

        self._http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._http.server_address[1]}"
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def answer(self, request):
        body = request.rfile.read(int(request.headers["content-length"]))
        self.forms.append(dict(urllib.parse.parse_qsl(body.decode())))
        if self.mode == "drop":
            return
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port)
        headers = {name: request.headers[name] for name in ("content-type", "dpop")}
        connection.request("POST", request.path, body, headers)
        answer = connection.getresponse()
        content = answer.read()
        if callable(self.mode) and answer.status == 200:
            content = json.dumps(changed(json.loads(content), self.mode)).encode()
        request.send_response(answer.status)
        for name in "dpop-nonce", "content-type":
            request.send_header(name, answer.headers[name])
        request.send_header("content-length", str(len(content)))
        request.end_headers()
        request.wfile.write(content)

    def stop(self):
        self._http.shutdown()
        self._http.server_close()


def changed(answer, change):
    """The answer with what `change` does to it, the header and the claims. The signature stays."""
    head, claims, signature = answer["client_assertion"].split(".")
    header, claims = json.loads(decode(head)), json.loads(decode(claims))
    change(answer, header, claims)
    answer["client_assertion"] = f"{encode(header)}.{encode(claims)}.{signature}"
    return answer
