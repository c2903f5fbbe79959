"""The parts of a contract test: the sandbox network, the server, browsers, apps and a person."""
import base64
import contextlib
import hashlib
import http.client
import json
import os
import pathlib
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "Tests/EndToEndSupport"))
from browser import approve  # noqa: E402

SANDBOX = os.environ.get("BSKYAUTH_TEST_SANDBOX", ROOT / ".build/debug/bskyauth-sandbox")
SERVER = os.environ.get("BSKYAUTH_TEST_SERVER", ROOT / ".build/debug/bskyauth-server")
#: The folder with the programs of Tests/Clients.
CLIENTS = pathlib.Path(os.environ.get("BSKYAUTH_TEST_CLIENTS", ROOT / ".build/clients/debug"))
#: The server that most tests share, and those of one test. A client_id has the keys of one server.
BASE, OTHER_BASE = "https://auth.example.com", "https://other.example.com"
IOS, ANDROID = "com.example.ios:/auth", "com.example.android:/auth?from=login"


class Sandbox:
    def __init__(self, *options):
        self._process = subprocess.Popen(
            [SANDBOX, "serve", "--account", "alice.test", "--account", "bob.test", *options],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = self._process.stdout.readline().strip().split("=")[-1]
        accounts = json.loads(self.control("GET", "accounts"))["accounts"]
        self.dids = {account["handle"]: account["did"] for account in accounts}

    def control(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"{self.address}/_sandbox/{path}", data, {"content-type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()) from error

    def journal(self, **match):
        lines = [json.loads(line) for line in self.control("GET", "journal").splitlines()]
        return [line for line in lines if all(line[name] == value for name, value in match.items())]

    def sessions(self):
        return json.loads(self.control("GET", "sessions"))["sessions"]

    def faults(self, *faults):
        self.control("POST", "faults", list(faults))

    def stop(self):
        self._process.terminate()
        self._process.wait()


class Server:
    """The server in a process of its own. What it says on standard error is in `said`."""

    program = SERVER

    def __init__(self, folder, sandbox, base=OTHER_BASE, sections=(), **changes):
        self.folder, self.sandbox, self.base = folder, sandbox, base
        self.config = folder / "config.toml"
        self.config.write_text(self.toml(**changes) + "".join(f"{line}\n" for line in sections))
        self.said, self._process = [], None
        self.start()
        sandbox.control("POST", "clients", json.loads(self.get("/oauth-client-metadata.json").body))

    def toml(self, **changes):
        values = {
            "base_url": self.base, "app_name": "Example <app>", "listen": "127.0.0.1:0",
            "state": str(self.folder / "state"), "dev_network": self.sandbox.address, **changes}
        lines = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
        lines += ["[limits]", "logins_per_client = 1000", "logins = 1000", "logins_at_once = 64"]
        for name, redirect in ("ios", IOS), ("android", ANDROID):
            lines += ["[[apps]]", f'name = "{name}"', f"redirects = {json.dumps([redirect])}"]
        return "\n".join(lines) + "\n"

    def start(self, ahead=None):
        """Starts the server; `ahead` is how far its clock is ahead."""
        clock = ["faketime", "-f", ahead] if ahead else []
        self._process = subprocess.Popen(
            [*clock, SERVER, "serve", "--config", self.config], stderr=subprocess.PIPE, text=True)
        for line in self._process.stderr:
            self.said.append(line)
            SAID.append(line)
            if "listening at" in line:
                self._pid = self._process.pid
                if ahead:
                    # faketime stays the parent, passes no signal on, and cleans up when the program has ended.
                    children = pathlib.Path(f"/proc/{self._pid}/task/{self._pid}/children").read_text()
                    self._pid = int(children)
                self.port = int(line.split("http://127.0.0.1:")[1].split()[0])
                self._listener = threading.Thread(target=self._listen, args=[self._process.stderr], daemon=True)
                self._listener.start()
                return
        raise AssertionError("".join(self.said))

    def _listen(self, stream):
        for line in stream:
            self.said.append(line)
            SAID.append(line)

    def stop(self, kill=False):
        os.kill(self._pid, signal.SIGKILL if kill else signal.SIGTERM)
        status = self._process.wait()
        self._listener.join()
        return status

    def says(self, *words):
        """The lines with all these words. The first one may be on its way."""
        end = time.monotonic() + 60
        while not (lines := [line for line in self.said if all(each in line for each in words)]):
            assert time.monotonic() < end, words
        return lines

    @property
    def runs(self):
        return self._process.poll() is None

    def fail(self):
        """Starts the server, which refuses, and gives its reason."""
        result = subprocess.run([SERVER, "serve", "--config", self.config], capture_output=True, text=True)
        assert result.returncode != 0
        SAID.append(result.stderr)
        return result.stderr

    def run(self, *arguments):
        # Names of keys may begin with a dash, so they follow two dashes.
        options = arguments.index("--") if "--" in arguments else len(arguments)
        return subprocess.run(
            [SERVER, *arguments[:options], "--config", self.config, *arguments[options:]], capture_output=True, text=True)

    def sweep_idle(self):
        """Sweeps until accounts were refreshed that were not used for a second."""
        config = self.config.with_name("impatient.toml")
        config.write_text('refresh_idle_after = "1s"\n' + self.config.read_text())
        while True:
            result = subprocess.run([SERVER, "sweep", "--config", config], capture_output=True, text=True)
            assert result.returncode == 0, result.stderr
            counts = {name: int(count) for name, count in (line.split("\t") for line in result.stdout.splitlines())}
            if any(counts[name] for name in ("refreshed", "not refreshed", "ended")):
                return counts

    def send(self, method, path, body=None, headers=()):
        length = [] if body is None else [("content-length", str(len(body)))]
        return self.stream(method, path, body, [*headers, *length])

    def _open(self, method, path, headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in [("host", urllib.parse.urlsplit(self.base).netloc), *headers]:
            connection.putheader(name, value)
        return connection

    def get(self, path, headers=()):
        return self.send("GET", path, headers=headers)

    def stream(self, method, path, body, headers):
        """Sends a body whose framing is in `headers`."""
        connection = self._open(method, path, headers)
        connection.endheaders(body)
        with contextlib.closing(connection):
            return Answer(connection.getresponse())

    def read(self, path, headers):
        """The body of an answer that is no text."""
        connection = self._open("GET", path, headers)
        connection.endheaders()
        with contextlib.closing(connection):
            response = connection.getresponse()
            assert response.status == 200
            return response.read()


#: Every head and body that a server of this run has answered, and every line that it said.
ANSWERS, SAID = [], []


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.msg
        self.body = response.read().decode()
        ANSWERS.append(f"{self.headers}\n{self.body}")

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def location(self):
        return self.headers["location"]

    @property
    def cookies(self):
        return self.headers.get_all("set-cookie", [])


class Browser:
    """Keeps cookies, and says where a request comes from as browsers do."""

    def __init__(self, server):
        self.server = server
        self.cookies = {}

    def send(self, method, path, body=None, site="same-origin", origin=None, type=None, headers=()):
        headers = list(headers)
        if site:
            headers.append(("sec-fetch-site", site))
        if origin:
            headers.append(("origin", origin))
        if self.cookies:
            headers.append(("cookie", "; ".join(f"{name}={value}" for name, value in self.cookies.items())))
        if isinstance(body, dict) and type == "form":
            body = urllib.parse.urlencode(body).encode()
            headers.append(("content-type", "application/x-www-form-urlencoded"))
        elif isinstance(body, dict):
            body = json.dumps(body).encode()
            headers.append(("content-type", "application/json"))
        answer = self.server.send(method, path, body, headers)
        for cookie in answer.cookies:
            name, value = cookie.split(";")[0].split("=", 1)
            if "Max-Age=0" in cookie:
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = value
        return answer

    def get(self, path, **options):
        return self.send("GET", path, site=options.pop("site", "none"), **options)

    def post(self, path, body=None, **options):
        return self.send("POST", path, {} if body is None else body, **options)

    def follow(self, redirect, **options):
        """Opens a redirect of the authorization server."""
        assert redirect.startswith(self.server.base + "/"), redirect
        return self.get(redirect.removeprefix(self.server.base), site="cross-site", **options)

    def log_in(self, handle="alice.test"):
        start = self.get(f"/login?handle={handle}")
        assert start.status == 303, start.body
        answer = self.follow(approve(start.location, handle))
        assert answer.status == 303, answer.body
        return answer


class App:
    """An app on a phone: it begins a login, and exchanges the code."""

    def __init__(self, server, redirect=IOS):
        self.server, self.redirect = server, redirect
        self.session = None

    def send(self, method, path, body=None, session=None, headers=()):
        headers = list(headers)
        token = session or self.session
        if token:
            headers.append(("authorization", f"Bearer {token}"))
        if body is not None:
            body = json.dumps(body).encode()
            headers.append(("content-type", "application/json"))
        answer = self.server.send(method, path, body, headers)
        return answer

    def post(self, path, body=None, **options):
        return self.send("POST", path, {} if body is None else body, **options)

    def start(self, handle="alice.test", path="/api/auth/start"):
        self.verifier = secrets.token_urlsafe(32)
        return self.post(path, {
            "handle": handle, "redirect": self.redirect, "code_challenge": challenge(self.verifier),
            "code_challenge_method": "S256"})

    def code(self, handle="alice.test"):
        """The one-time code, after the person has approved in a browser that knows nothing of the login."""
        start = self.start(handle)
        assert start.status == 200, start.body
        answer = Browser(self.server).follow(approve(start.json["authUrl"], handle))
        assert answer.status == 303, answer.body
        assert answer.location.startswith(self.redirect)
        fields = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(answer.location).query))
        assert fields["did"] == self.server.sandbox.dids[handle]
        return fields["code"]

    def exchange(self, code):
        return self.post("/api/auth/tokens", {"code": code, "code_verifier": self.verifier})

    def log_in(self, handle="alice.test"):
        answer = self.exchange(self.code(handle))
        assert answer.status == 200, answer.body
        self.session = answer.json["session"]
        return answer


def certify(folder, hosts):
    """Makes a certificate for hosts, which a test has its browsers trust."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=test", "-addext", "subjectAltName=" + ",".join(f"DNS:{host}" for host in hosts),
         "-keyout", folder / "key.pem", "-out", folder / "certificate.pem"], check=True, capture_output=True)


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def challenge(verifier):
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
