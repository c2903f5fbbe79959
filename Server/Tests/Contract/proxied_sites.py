"""The examples of Server/README.md as they stand there: nginx or Caddy before the server, and before two sites that it protects."""
import contextlib
import html
import http.client
import http.server
import json
import os
import re
import ssl
import subprocess
import threading

import parts

#: The server has a name of its own, because a client_id has the keys of one server.
AUTH, WIKI, FILES = "sites.example.com", "wiki.example.com", "files.example.com"


class Server(parts.Server):
    """A server that protects the two sites."""

    def __init__(self, folder, sandbox, host=AUTH):
        self.members = folder / "members"
        super().__init__(folder, sandbox, f"https://{host}")

    def toml(self, **changes):
        hosts = json.dumps([f"https://{WIKI}", f"https://{FILES}"])
        return super().toml(**changes) + f"""[auth]
members = "{self.members}"
hosts = {hosts}
cookie_domain = "example.com"
"""


class App:
    """A site that trusts its proxy. It tells what it was sent, and keeps it in `seen`."""

    def __init__(self):
        self.seen = seen = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                headers = [[name.lower(), value] for name, value in self.headers.items()]
                seen.append(headers)
                body = json.dumps({"path": self.path, "headers": headers}).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self):
        self._server.shutdown()
        self._server.server_close()


class Proxy:
    """A proxy with the example of the README for it."""
    #: The hosts of each of its sites. The server's own is the first.
    sites = [[AUTH], [WIKI, FILES]]
    #: How the example for each proxy begins, and the host in it that stands for the server's.
    beginnings = {"nginx": "```nginx\n# Only a browser", "caddy": "```caddyfile\nauth.example.com"}
    host = "auth.example.com"

    def __init__(self, kind, folder, server, app):
        self.folder, self.kind, self.base, self.origin = folder, kind, server.base, server.base
        self.hosts = sum(self.sites, [])
        parts.certify(folder, self.hosts)
        self.port = parts.free_port()
        text = self._example(server, app)
        {"nginx": self._start_nginx, "caddy": self._start_caddy}[kind](text)

    def _example(self, server, app):
        readme = (parts.ROOT / "Server/README.md").read_text()
        marker = self.beginnings[self.kind]
        assert readme.count(marker) == 1
        text = self.whole(marker.split("\n", 1)[1] + readme.split(marker)[1].split("```")[0])
        for old, new in {
            "127.0.0.1:3000": f"127.0.0.1:{server.port}", "127.0.0.1:8080": f"127.0.0.1:{app.port}",
            self.host: self.sites[0][0],
        }.items():
            assert old in text
            text = text.replace(old, new)
        return text

    def whole(self, text):
        """The example with what it leaves out."""
        return text

    def _start_nginx(self, text):
        folder = self.folder
        for old, new in {
            "listen 443": f"listen 127.0.0.1:{self.port}", "/etc/ssl/example.com.pem": f"{folder}/certificate.pem",
            "/etc/ssl/example.com.key": f"{folder}/key.pem",
            **{f"server_name {hosts[0]}": f"server_name {' '.join(hosts)}" for hosts in self.sites},
        }.items():
            assert old in text
            text = text.replace(old, new)
        paths = "".join(f"{kind}_temp_path {folder}/tmp; " for kind in (
            "client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        user = "user root;" if os.geteuid() == 0 else ""
        (folder / "nginx.conf").write_text(
            f"pid {folder}/pid; daemon off; {user} events {{}} http {{ access_log off; {paths}\n{text}}}")
        self._process = subprocess.Popen(["nginx", "-p", folder, "-c", folder / "nginx.conf", "-e", folder / "errors"])
        while not (folder / "pid").exists():
            assert self._process.poll() is None, (folder / "errors").read_text()

    def _start_caddy(self, text):
        tls = f"\ttls {self.folder}/certificate.pem {self.folder}/key.pem\n"
        for hosts in self.sites:
            assert f"\n{hosts[0]} {{\n" in "\n" + text
            names = ", ".join(f"https://{host}:{self.port}" for host in hosts)
            text = re.sub(rf"(?m)^{re.escape(hosts[0])} {{\n", lambda _: f"{names} {{\n{tls}", text)
        (self.folder / "Caddyfile").write_text("{\n\tadmin off\n\tauto_https off\n}\n" + text)
        homes = {name: str(self.folder) for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
        self._process = subprocess.Popen(
            ["caddy", "run", "--config", self.folder / "Caddyfile", "--adapter", "caddyfile"], env={**os.environ, **homes},
            stderr=subprocess.PIPE, text=True)
        said = []
        for line in self._process.stderr:
            said.append(line)
            if "serving initial configuration" in line:
                threading.Thread(target=self._process.stderr.read, daemon=True).start()
                return
        raise AssertionError("".join(said))

    def stop(self):
        self._process.terminate()
        self._process.wait()

    def send(self, method, url, body=None, headers=()):
        """Sends a request to a URL, or to a path of the server."""
        url = self.base + url if url.startswith("/") else url
        host, path = re.fullmatch(r"https://([^/]+)(/.*)", url).groups()
        context = ssl.create_default_context(cafile=self.folder / "certificate.pem")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.connect()
        connection.sock = context.wrap_socket(connection.sock, server_hostname=host)
        with contextlib.closing(connection):
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            length = [] if body is None else [("content-length", str(len(body)))]
            for name, value in [("host", host), *headers, *length]:
                connection.putheader(name, value)
            connection.endheaders(body)
            return parts.Answer(connection.getresponse())


class Visitor(parts.Browser):
    """A browser. The server may be one itself, or its proxy."""

    def open(self, url, method="GET", cookies=(), headers=()):
        """Opens a page of a site, which gets the cookies of the domain and its own."""
        sent = [f"{name}={value}" for name, value in self.cookies.items() if not name.startswith("__Host-")]
        cookie = "; ".join([*cookies, *sent])
        headers = [*headers, *([("cookie", cookie)] if cookie else [])]
        return self.server.send(method, url, b"x" if method == "POST" else None, headers)

    def start(self, url, handle="alice.test"):
        """Sends the form, and returns the authorization URL."""
        answer = self.post("/auth/login", {"handle": handle, "rd": url}, type="form")
        assert answer.status == 200, answer.body
        return next_page(answer)

    def enter(self, url, handle="alice.test"):
        """Logs in for a page of a site, and returns the answer that leads to it."""
        answer = self.get(f"/auth/login?rd={url}")
        assert answer.status == 200, answer.body
        answer = self.follow(parts.approve(self.start(url, handle), handle))
        assert answer.status == 200 and next_page(answer) == url, answer.body
        return answer


def next_page(answer):
    return html.unescape(re.search(r'http-equiv="refresh" content="0;url=([^"]*)"', answer.body)[1])
