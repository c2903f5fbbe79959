"""Bytes on sockets, for what an HTTP library would not send."""
import contextlib
import socket
import threading
import urllib.parse


class Relay:
    """Stands before a sandbox as the server of its accounts. A test answers some of the requests byte by byte."""

    def __init__(self):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.origin = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.sandbox = None
        #: What to do with the connection of a request, by a part of its path.
        self.answers = {}
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=[connection], daemon=True).start()

    def _serve(self, connection):
        with connection, contextlib.suppress(ConnectionError):
            head, rest = read_head(connection)
            path = head.split()[1].decode()
            for part, answer in self.answers.items():
                if part in path:
                    return answer(connection, head, rest)
            address = urllib.parse.urlsplit(self.sandbox.address)
            with socket.create_connection((address.hostname, address.port)) as other:
                line, fields = head.split(b"\r\n", 1)
                other.sendall(line + b"\r\nConnection: close\r\n" + fields + rest)
                back = threading.Thread(target=pump, args=[connection, other], daemon=True)
                back.start()
                pump(other, connection)

    def stop(self):
        self._listener.close()


def pump(source, sink):
    with contextlib.suppress(OSError):
        while piece := source.recv(65_536):
            sink.sendall(piece)
        sink.shutdown(socket.SHUT_WR)


def read_head(connection):
    """The bytes of a head, and those behind it."""
    seen = b""
    while b"\r\n\r\n" not in seen:
        piece = connection.recv(65_536)
        if not piece:
            raise ConnectionError("no head")
        seen += piece
    head, rest = seen.split(b"\r\n\r\n", 1)
    return head + b"\r\n\r\n", rest


def read_to_end(connection):
    """What comes until the other side ends the connection."""
    seen = b""
    with contextlib.suppress(ConnectionError):
        while piece := connection.recv(65_536):
            seen += piece
    return seen


def connect(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=60)


def head(server, session, method, path, *fields):
    """The head of a request of an app."""
    host = urllib.parse.urlsplit(server.base).netloc
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", f"Authorization: Bearer {session}", *fields]
    return "\r\n".join([*lines, "", ""]).encode()
