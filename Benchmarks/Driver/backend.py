"""A running bskyauth-server, and the sessions of an app."""
import base64
import hashlib
import http.client
import json
import secrets
import subprocess
import threading
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

from load import cpu_of
from measuring import CommandFailed

REDIRECT = "com.example.app:/auth"


class Backend:
    """A server of the network, which ends with the block. Each server needs a host of its own."""

    def __init__(self, program, directory, network, host):
        directory.mkdir()
        self.network = network
        self.config = directory / "config.toml"
        self.config.write_text(f"""
            base_url = "https://{host}"
            app_name = "bench"
            listen = "127.0.0.1:0"
            state = "{directory}/state"
            dev_network = "{network.address}"
            [limits]
            logins_per_client = 1000000
            logins = 1000000
            [[apps]]
            name = "bench"
            redirects = ["{REDIRECT}"]
        """)
        self.command = [program, "serve", "--config", self.config]
        self.sessions = []
        #: The sessions that wrk uses, one line each.
        self.used = directory / "sessions"
        self.script = directory / "sessions.lua"
        self.script.write_text(f"""
            local requests, last = {{}}, 0
            function init()
                for session in io.lines("{self.used}") do
                    table.insert(requests, wrk.format(nil, nil, {{Authorization = "Bearer " .. session}}))
                end
            end
            function request()
                last = last % #requests + 1
                return requests[last]
            end
        """)

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stderr=subprocess.PIPE, text=True)
        said = []
        for line in self.process.stderr:
            said.append(line)
            if "listening at http://" in line:
                self.address = line.split("listening at ")[1].split()[0]
                break
        else:
            raise CommandFailed(f"the server did not start: {''.join(said)}")
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        self.network.steer("clients", json.loads(send(self.address, "GET", "/oauth-client-metadata.json")[1]))
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    @property
    def cpu(self):
        return cpu_of(self.process.pid)

    def log_in(self, handles):
        """Logins by the API, each a session and an OAuth session of its own."""
        with ThreadPoolExecutor(8) as pool:
            self.sessions += pool.map(self.session, handles)

    def session(self, handle):
        verifier = secrets.token_urlsafe(32)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        _, start = send(self.address, "POST", "/api/auth/start", {
            "handle": handle, "redirect": REDIRECT, "code_challenge": challenge})
        approved, _ = send(self.network.address, "GET", local(json.loads(start)["authUrl"]))
        landed, _ = send(self.address, "GET", local(approved))
        (code,) = urllib.parse.parse_qs(urllib.parse.urlsplit(landed).query)["code"]
        _, answer = send(self.address, "POST", "/api/auth/tokens", {"code": code, "code_verifier": verifier})
        return json.loads(answer)["session"]

    def use(self, count):
        """Has wrk use so many sessions in turns."""
        self.used.write_text("\n".join(self.sessions[:count]) + "\n")


def local(url):
    """The path and the query."""
    return urllib.parse.urlsplit(url)._replace(scheme="", netloc="").geturl()


def send(address, method, path, body=None):
    """The `Location` and the body of an answer."""
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=60)
    data = None if body is None else json.dumps(body)
    connection.request(method, path, data, {} if body is None else {"content-type": "application/json"})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    if answer.status >= 400:
        raise CommandFailed(f"{method} {path} is answered with {answer.status}: {text}")
    return answer.headers["location"], text
