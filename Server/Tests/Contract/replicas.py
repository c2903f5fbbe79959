"""Two replicas of the server with one store, behind nginx."""
import base64
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import urllib.request

import parts

BASE = "https://replicas.example.com"


class Etcd:
    program = os.environ.get("BSKYAUTH_TEST_BINARY", parts.ROOT / ".build/debug/bskyauth")

    def __init__(self, folder):
        self.port, peers = parts.free_port(), parts.free_port()
        self.address = f"127.0.0.1:{self.port}"
        client, peer = f"http://{self.address}", f"http://127.0.0.1:{peers}"
        self._process = subprocess.Popen(
            ["etcd", "--data-dir", folder / "etcd", "--log-level", "error", "--initial-cluster", f"default={peer}",
             "--listen-client-urls", client, "--advertise-client-urls", client,
             "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not self._is_ready():
            assert self._process.poll() is None

    def _is_ready(self):
        try:
            with urllib.request.urlopen(f"http://{self.address}/health") as answer:
                return json.load(answer)["health"] == "true"
        except (OSError, urllib.error.HTTPError):
            return False

    def url(self, prefix):
        return f"etcd+http://{self.address}/{prefix}"

    def content(self):
        return subprocess.check_output(["etcdctl", "--endpoints", self.address, "--command-timeout", "60s", "get",
                                        "--prefix", ""],
                                       env=os.environ | {"ETCDCTL_API": "3"})

    def stop(self):
        self._process.kill()
        self._process.wait()


class Gate:
    """A way to an etcd. When the store has done what a request asks for that names a key with this prefix, the gate acts
    instead of passing the answer on, once."""

    def __init__(self, store, prefix, act):
        self.store, self.act, self.program = store, act, store.program
        self.acted = threading.Event()
        # The gateway of etcd takes keys in Base64. The last characters also depend on what follows.
        self.mark = base64.b64encode(prefix.encode()).rstrip(b"=")[:-1]
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, prefix):
        return f"etcd+http://{self.address}/{prefix}"

    def _accept(self):
        while True:
            try:
                client = self._listener.accept()[0]
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.store.port))
            asked = []
            threading.Thread(target=self._pass, args=(client, server, asked.append), daemon=True).start()
            threading.Thread(target=self._pass, args=(server, client, lambda _: self._answer(asked)), daemon=True).start()

    def _pass(self, source, target, note):
        """Passes bytes on until one side ends or `note` says no."""
        try:
            while (data := source.recv(65536)) and note(data) is not False:
                target.sendall(data)
        except OSError:
            pass
        for end in source, target:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def _answer(self, asked):
        request = b"".join(asked)
        asked.clear()
        if self.acted.is_set() or not all(part in request for part in (b"/v3/kv/txn", b'"request_put"', self.mark)):
            return True
        self.act()
        self.acted.set()
        return False

    def stop(self):
        self._listener.close()


class Postgres:
    """A server on a Unix socket. It does not run as root."""
    program = parts.ROOT / ".build/debug/bskyauth"

    def __init__(self, folder):
        # The folders of the tests are closed to other users.
        self.socket = tempfile.TemporaryDirectory(prefix="postgres-")
        command = []
        if os.geteuid() == 0:
            command = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
            shutil.chown(self.socket.name, "nobody", "nogroup")
        programs = max(pathlib.Path("/usr/lib/postgresql").iterdir(), key=lambda path: int(path.name)) / "bin"
        data = f"{self.socket.name}/data"
        options = {"env": {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}, "cwd": self.socket.name,
                   "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run([*command, programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync"],
                       check=True, **options)
        self._process = subprocess.Popen(
            [*command, programs / "postgres", "-D", data, "-c", "listen_addresses=",
             "-c", f"unix_socket_directories={self.socket.name}"], **options)
        while subprocess.run([programs / "pg_isready", "-q", "-h", self.socket.name], **options).returncode != 0:
            assert self._process.poll() is None

    def url(self, prefix):
        return f"postgres://postgres@/postgres?host={self.socket.name}&prefix={prefix}"

    def content(self):
        return subprocess.check_output(
            ["psql", "-h", self.socket.name, "-U", "postgres", "-c",
             "SELECT key, encode(value, 'escape') FROM bskyauth_rows"])

    def stop(self):
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait()
        self.socket.cleanup()


class Replica(parts.Server):
    def __init__(self, folder, sandbox, shared, first=None):
        folder.mkdir()
        self.shared = shared
        if first is None:
            # The first one begins as a server alone.
            super().__init__(folder, sandbox, BASE)
            self.stop()
            self.vault("share", "--to", shared.url("app/vault"), "--machine-name", folder.name)
            self.share_rows()
            self.start()
        else:
            (folder / "state/keys").mkdir(mode=0o700, parents=True)
            (folder / "state").chmod(0o700)
            shutil.copy(first.keys / "vault.key", folder / "state/keys")
            self.folder = folder
            self.vault("join", shared.url("app/vault"), "--durable", "--machine-name", folder.name)
            super().__init__(folder, sandbox, BASE, self.store)

    @property
    def keys(self):
        return self.folder / "state/keys"

    @property
    def store(self):
        return ["[store]", f'url = "{self.shared.url("app/rows")}"']

    def share_rows(self):
        with self.config.open("a") as config:
            config.writelines(f"{line}\n" for line in self.store)

    def command(self, *arguments):
        state = self.folder / "state"
        return subprocess.run(
            [self.shared.program, "--home", state / "vault", "--key-file", state / "keys/vault.key", *arguments],
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "BSKYAUTH_NO_INPUT": "1"},
            capture_output=True, text=True)

    def vault(self, *arguments):
        result = self.command("vault", *arguments)
        assert result.returncode == 0, result.stderr
        return result.stdout

    def refreshes(self):
        """The names of the machines that refresh an account now."""
        machines = json.loads(self.vault("machines", "--json"))["machines"]
        return [machine["name"] for machine in machines if machine["unfinished"]]


class Front(parts.Server):
    """nginx with the example of the README, as the clients see it."""

    def __init__(self, folder, replicas):
        self.folder, self.base, self.sandbox = folder, BASE, replicas[0].sandbox
        self.port = parts.free_port()
        readme = (parts.ROOT / "Server/README.md").read_text()
        marker = "```nginx\nupstream bskyauth"
        assert readme.count(marker) == 1
        text = "upstream bskyauth" + readme.split(marker)[1].split("```")[0]
        listeners = [f"127.0.0.1:{replica.port}" for replica in replicas]
        for old, new in {
            "10.0.0.11:3000": listeners[0], "10.0.0.12:3000": listeners[1],
            "listen 443 ssl": f"listen 127.0.0.1:{self.port}", "auth.example.com": "replicas.example.com",
        }.items():
            assert old in text
            text = text.replace(old, new)
        # These tests are about what comes after TLS.
        text = "\n".join(line for line in text.splitlines() if "ssl_" not in line)
        paths = "".join(f"{kind}_temp_path {folder}/tmp; " for kind in (
            "client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        user = "user root;" if os.geteuid() == 0 else ""
        (folder / "nginx.conf").write_text(
            f"pid {folder}/pid; daemon off; {user} events {{}} http {{ access_log off; {paths}\n{text}}}")
        self._process = subprocess.Popen(["nginx", "-p", folder, "-c", folder / "nginx.conf", "-e", folder / "errors"])
        while not pathlib.Path(folder / "pid").exists():
            assert self._process.poll() is None, (folder / "errors").read_text()

    def stop(self):
        self._process.terminate()
        self._process.wait()
