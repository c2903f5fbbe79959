"""Caddy with HTTP/2 where DNS says the PDS is, and behind it a relay to the sandbox that answers before it reads.

Caddy ends the stream of a request whose body it has not read when it has the answer (RFC 9113 §8.1).
"""
import base64
import json
import os
import re
import socket
import ssl
import subprocess
import threading

import names


class Relay:
    """Passes connections on to the sandbox. A request with a body whose proof has no nonce that the sandbox gave is answered
    by the sandbox when it has seen the head. The rest is never passed on."""

    def __init__(self, authority, hears_out):
        #: Whether it reads the refused body before it closes, as servers on Node do.
        self.hears_out = hears_out
        self.nonces, self.early = set(), 0
        self._outward = ssl.create_default_context(cafile=authority.file)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=[connection], daemon=True).start()

    def _serve(self, client):
        with client, self._outward.wrap_socket(
            socket.create_connection((names.SERVERS, 443)), server_hostname=names.PDS
        ) as server:
            try:
                self._exchange(client, server)
            except OSError:
                pass

    def _exchange(self, client, server):
        """One request: the head says `Connection: close` to both ends."""
        head, body = until_blank(client)
        length = int(value(head, b"content-length") or 0)
        early = length > 0 and nonce(head) not in self.nonces
        server.sendall(re.sub(rb"(?i)\r\nconnection:[^\r]*", b"", head)[:-2] + b"Connection: close\r\n\r\n")
        if early:
            self.early += 1
        else:
            server.sendall(body)
            left = length - len(body)
            while left:
                piece = client.recv(min(left, 65_536))
                if not piece:
                    return
                server.sendall(piece)
                left -= len(piece)
        answer, rest = until_blank(server)
        if given := value(answer, b"dpop-nonce"):
            self.nonces.add(given.decode())
        client.sendall(answer + rest)
        left = int(value(answer, b"content-length") or 0) - len(rest)
        while left > 0:
            piece = server.recv(65_536)
            client.sendall(piece)
            left -= len(piece)
        if early and self.hears_out:
            client.shutdown(socket.SHUT_WR)
            while client.recv(65_536):
                pass

    def stop(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


class Caddy:
    def __init__(self, directory, sandbox, relay):
        directory.mkdir()
        self._log = directory / "access.log"
        (directory / "Caddyfile").write_text(f"""{{
    admin off
    auto_https off
}}
https://{names.PDS} {{
    bind {names.RECORDER}
    tls {sandbox.certificate} {sandbox.key}
    reverse_proxy 127.0.0.1:{relay.port}
    log {{
        output file {self._log}
    }}
}}
""")
        homes = {name: str(directory) for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
        self._process = subprocess.Popen(
            ["caddy", "run", "--config", directory / "Caddyfile", "--adapter", "caddyfile"],
            env={**os.environ, **homes}, stderr=subprocess.PIPE, text=True)
        said = []
        for line in self._process.stderr:
            said.append(line)
            if "serving initial configuration" in line:
                threading.Thread(target=self._process.stderr.read, daemon=True).start()
                return
        raise AssertionError("".join(said))

    def requests(self):
        """`PROTOCOL METHOD PATH STATUS` of every request that has ended."""
        lines = [json.loads(line) for line in self._log.read_text().splitlines()]
        return [
            " ".join([line["request"]["proto"], line["request"]["method"], line["request"]["uri"], str(line["status"])])
            for line in lines]

    def stop(self):
        self._process.terminate()
        self._process.wait()


def until_blank(stream):
    """The head of a message, and what came with it."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = stream.recv(65_536)
        if not piece:
            raise ConnectionError
        data += piece
    head, rest = data.split(b"\r\n\r\n", 1)
    return head + b"\r\n\r\n", rest


def value(head, name):
    found = re.search(rb"(?i)\r\n" + name + rb": *([^\r]*)", head)
    return found and found[1]


def nonce(head):
    """The nonce of the proof; None without one."""
    proof = value(head, b"dpop")
    payload = proof.split(b".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + b"=" * (-len(payload) % 4))).get("nonce")
