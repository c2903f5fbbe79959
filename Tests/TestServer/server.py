"""An HTTP/1.1 server on raw sockets that does what servers do to clients, and counts what clients do to it.

    server.py [CERTIFICATE KEY]

prints one line of JSON with its ports and ends with its standard input:
  http    plain HTTP        https  the same over TLS, where a certificate is given
  deaf    accepts connections and never says a word
  closed  refuses connections
"""

import gzip
import hashlib
import json
import socket
import ssl
import struct
import sys
import threading

changed = threading.Condition()
counts = {"connections": 0, "requests": 0, "stalled": 0, "gone": 0, "waiting": 0, "sent": 0, "received": 0}
served = []  # "CONNECTION NTH METHOD TARGET"
go_on = False


def note(name, by=1):
    with changed:
        counts[name] += by
        changed.notify_all()


def snapshot():
    with changed:
        return dict(counts, served=list(served))


class Connection:
    def __init__(self, sock, number):
        self.sock, self.number, self.nth, self.buffer = sock, number, 0, b""

    def receive(self):
        data = self.sock.recv(65536)
        if not data:
            raise EOFError
        return data

    def head(self):
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self.receive()
            if self.buffer.startswith(b"\x16"):  # TLS, where none is spoken: web servers answer so
                self.send("HTTP/1.1 400 Bad Request\r\n\r\n")
                raise EOFError
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        first, *lines = head.decode("latin-1").split("\r\n")
        method, target, _ = first.split(" ")
        return method, target, [[part.strip() for part in line.split(":", 1)] for line in lines]

    def take(self, count):
        while len(self.buffer) < count:
            self.buffer += self.receive()
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def line(self):
        while b"\r\n" not in self.buffer:
            self.buffer += self.receive()
        line, self.buffer = self.buffer.split(b"\r\n", 1)
        return line

    def body(self, headers):
        """Reads the body: its length and hash, and how it was framed."""
        fields = {name.lower(): value for name, value in headers}
        digest, total = hashlib.sha256(), 0
        if fields.get("transfer-encoding") == "chunked":
            while size := int(self.line(), 16):
                digest.update(self.take(size))
                total += size
                self.take(2)
            self.line()
        else:
            left = int(fields.get("content-length", 0))
            while left:
                self.buffer = self.buffer or self.receive()
                data = self.take(min(left, len(self.buffer)))
                digest.update(data)
                total += len(data)
                left -= len(data)
        note("received", total)
        return total, digest.hexdigest()

    def send(self, text):
        self.sock.sendall(text if isinstance(text, bytes) else text.encode("latin-1"))

    def answer(self, status, body=b"", *fields):
        lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *fields]
        self.send("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body)

    def answer_json(self, value):
        self.answer("200 OK", json.dumps(value).encode(), "Content-Type: application/json")

    def await_gone(self, name="waiting"):
        """Reads until the client is gone."""
        note(name)
        try:
            while True:
                self.receive()
        finally:
            note("gone")

    def reset(self):
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise EOFError

    def pour(self):
        """Sends without end, and notes once that nobody takes it any more."""
        self.sock.settimeout(0.3)
        noted = False
        while True:
            try:
                note("sent", self.sock.send(b"x" * 65536))
            except TimeoutError:
                if not noted:
                    noted = True
                    note("stalled")
            except OSError:
                note("gone")
                raise

    def tunnel(self, target):
        """Is a proxy: connects in the client's place, where it can."""
        host, _, port = target.rpartition(":")
        try:
            other = socket.create_connection((host, int(port)))
        except OSError:
            return self.answer("502 Bad Gateway")
        self.send("HTTP/1.1 200 Connection established\r\n\r\n")

        def pass_on(source, destination):
            try:
                while data := source.recv(65536):
                    destination.sendall(data)
                destination.shutdown(socket.SHUT_WR)
            except OSError:
                pass

        threading.Thread(target=pass_on, args=(other, self.sock), daemon=True).start()
        pass_on(self.sock, other)
        raise EOFError

    def exchange(self):
        method, target, headers = self.head()
        self.nth += 1
        path, _, query = target.partition("?")
        name, _, argument = path[1:].partition("/")
        if name not in ("stats", "wait", "release"):
            with changed:
                served.append(f"{self.number} {self.nth} {method} {target}")
            note("requests")
        if method == "CONNECT":
            return self.tunnel(target)
        if name == "early":  # answers before the upload is read, then hears it out
            self.answer("401 Unauthorized", b"no", "Connection: close")
            self.sock.shutdown(socket.SHUT_WR)
            self.await_gone()
        if name == "hold":  # reads the upload only when released
            note("waiting")
            with changed:
                changed.wait_for(lambda: go_on)
        if name == "half":
            self.take(1)
            self.reset()
        total, digest = self.body(headers)
        handler = getattr(self, "do_" + name.replace("-", "_"), None)
        if handler:
            return handler(argument)
        self.answer_json({
            "method": method, "target": target, "headers": headers, "length": total, "sha256": digest,
            "connection": self.number, "nth": self.nth,
        })

    def do_stats(self, _):
        self.answer_json(snapshot())

    def do_wait(self, argument):
        name, _, least = argument.partition("/")
        with changed:
            changed.wait_for(lambda: counts[name] >= int(least))
        self.answer_json(snapshot())

    def do_release(self, _):
        global go_on
        with changed:
            go_on = True
            changed.notify_all()
        self.answer_json(snapshot())

    def do_status(self, code):
        body = b"" if code in ("204", "304") else b"status " + code.encode()
        self.send(f"HTTP/1.1 {code} Text\r\nLocation: /echo\r\n")
        self.send("\r\n" if not body else f"Content-Length: {len(body)}\r\n\r\n{body.decode()}")

    def do_challenge(self, scheme):
        self.answer("401 Unauthorized", b"who?", f'WWW-Authenticate: {scheme} realm="test"',
                    'WWW-Authenticate: DPoP error="use_dpop_nonce"', "DPoP-Nonce: n1")

    def do_cookie(self, _):
        self.answer("200 OK", b"", "Set-Cookie: a=1; Path=/", "Cache-Control: max-age=600")

    def do_repeated(self, _):
        self.answer("200 OK", b"", "Set-Cookie: a=1", "Set-Cookie: b=2", "X-Colons: a:b:c", "DPoP-Nonce: n1")

    def do_encoded(self, _):
        self.answer("200 OK", gzip.compress(b"plain"), "Content-Encoding: gzip")

    def do_huge(self, size):
        left = int(size)
        self.send(f"HTTP/1.1 200 OK\r\nContent-Length: {left}\r\n\r\n")
        while left:
            self.send(b"x" * min(left, 65536))
            left -= min(left, 65536)

    def do_endless(self, _):
        self.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        self.pour()

    def do_silent(self, _):
        self.await_gone()

    def do_slow(self, _):
        self.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
        self.await_gone()

    def do_drop(self, _):
        raise EOFError

    def do_reset(self, _):
        self.reset()

    def do_drop_reused(self, _):
        if self.nth > 1:
            raise EOFError
        self.answer_json({"connection": self.number})

    def do_cut(self, _):
        self.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789")
        raise EOFError

    def do_cut_chunk(self, _):
        self.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n5\r\nhe")
        raise EOFError

    def do_cut_head(self, _):
        self.send("HTTP/1.1 200 OK\r\nContent-Le")
        raise EOFError

    def do_interim(self, _):
        self.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n")
        self.answer("200 OK", b"final", "X-Late: 1")

    def do_trailers(self, _):
        self.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Trailer\r\n\r\n")
        self.send("5;ext=1\r\nhello\r\n6\r\n world\r\n0\r\nX-Trailer: 1\r\n\r\n")

    def do_fields(self, _):
        self.send("HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nX-Empty:\r\nX-Spaced: \t a b \t \r\n"
                  "X-Latin: caf\xe9\r\nbad name: 1\r\nX-Colons: a:b:c\r\nDPoP-Nonce: n1\r\n"
                  "Content-Length: 0\r\n\r\n")

    def do_flood(self, count):
        self.send("HTTP/1.1 200 OK\r\n")
        for index in range(int(count)):
            self.send(f"X-Flood-{index}: {'y' * 1000}\r\n")
        self.send("Content-Length: 2\r\n\r\nok")

    def do_garbage(self, _):
        self.send("nonsense\r\n\r\n")
        raise EOFError


def serve(sock, number, context):
    try:
        if context:
            sock = context.wrap_socket(sock, server_side=True)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection = Connection(sock, number)
        while True:
            connection.exchange()
    except (EOFError, OSError, ValueError):
        pass
    finally:
        sock.close()


def listener(backlog=512):
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
    sock.bind(("127.0.0.1", 0))
    if backlog is not None:
        sock.listen(backlog)
    return sock


def accept(sock, context=None):
    while True:
        connection, _ = sock.accept()
        note("connections")  # nobody else counts them
        number = counts["connections"]
        threading.Thread(target=serve, args=(connection, number, context), daemon=True).start()


plain, deaf, closed = listener(), listener(), listener(None)
ports = {"http": plain.getsockname()[1], "deaf": deaf.getsockname()[1], "closed": closed.getsockname()[1]}
threading.Thread(target=accept, args=(plain,), daemon=True).start()
if len(sys.argv) == 3:
    secure = listener()
    ports["https"] = secure.getsockname()[1]
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(sys.argv[1], sys.argv[2])
    threading.Thread(target=accept, args=(secure, tls), daemon=True).start()
print(json.dumps(ports), flush=True)
sys.stdin.read()
