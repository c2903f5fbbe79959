"""A machine on the way: ends TLS, passes every byte on, and keeps what it saw."""
import dataclasses
import select
import socket
import ssl
import threading
import time
import urllib.parse

import h11

import names


@dataclasses.dataclass
class Exchange:
    """One request and its answer, as they were on the wire."""

    arrived: float
    host: str
    method: str
    target: str
    fields: list
    body: bytes
    status: int = 0
    answer_fields: list = dataclasses.field(default_factory=list)
    answer: bytes = b""

    @property
    def path(self):
        return self.target.split("?")[0]

    @property
    def form(self):
        if self.values("content-type") != ["application/x-www-form-urlencoded"]:
            return {}
        return dict(urllib.parse.parse_qsl(self.body.decode()))

    def values(self, name):
        return [value for known, value in self.fields if known == name]

    def answer_value(self, name):
        return next((value for known, value in self.answer_fields if known == name), None)


class Recorder:
    def __init__(self, certificate, key, authority):
        self._outward = ssl.create_default_context(cafile=authority.file)
        self._inward = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._inward.load_cert_chain(certificate, key)
        self._inward.sni_callback = lambda stream, host, context: setattr(stream, "wanted", host)
        self._connections = []
        self._listener = socket.create_server((names.RECORDER, 443))
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def exchanges(self):
        """Everything so far, in the order of arrival."""
        found = [exchange for connection in self._connections for exchange in read(*connection)]
        return sorted(found, key=lambda exchange: exchange.arrived)

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        client = self._inward.wrap_socket(connection, server_side=True)
        server = self._outward.wrap_socket(
            socket.create_connection((names.SERVERS, 443)), server_hostname=client.wanted
        )
        sent, received = [], []
        self._connections.append((client.wanted, sent, received))
        relay(client, server, sent, received)


def relay(client, server, sent, received):
    """Passes bytes on in both directions, on one thread: two threads must not use one TLS connection at a time."""
    ways = {client: (server, sent), server: (client, received)}
    try:
        while all(passed_on(source, *ways[source]) for source in select.select(list(ways), [], [])[0]):
            pass
    except OSError:
        pass
    for stream in ways:
        try:
            stream.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def passed_on(source, target, chunks):
    """Passes on what has arrived; False at the end of the stream."""
    source.setblocking(False)
    try:
        while data := source.recv(65536):
            chunks.append((time.time(), data))
            target.setblocking(True)
            target.sendall(data)
        return False
    except ssl.SSLWantReadError:
        # What arrived is read, or it was a message of TLS itself, such as a session ticket.
        return True


def read(host, sent, received):
    """The requests and answers of one connection."""
    exchanges = list(requests(host, list(sent)))
    client = h11.Connection(h11.CLIENT)
    chunks = [data for _, data in received] + [b""]
    for exchange in exchanges:
        client.send(h11.Request(method=exchange.method, target=exchange.target, headers=[("host", host)]))
        client.send(h11.EndOfMessage())
        while True:
            event = client.next_event()
            if event is h11.NEED_DATA:
                client.receive_data(chunks.pop(0))
            elif isinstance(event, h11.Response):
                exchange.status, exchange.answer_fields = event.status_code, text(event.headers)
            elif isinstance(event, h11.Data):
                exchange.answer += bytes(event.data)
            elif isinstance(event, (h11.EndOfMessage, h11.ConnectionClosed)):
                break
        if client.states == {h11.CLIENT: h11.DONE, h11.SERVER: h11.DONE}:
            client.start_next_cycle()
    return exchanges


def requests(host, chunks):
    server = h11.Connection(h11.SERVER)
    exchange = None
    while True:
        event = server.next_event()
        if event is h11.NEED_DATA:
            if not chunks:
                return
            arrived, data = chunks.pop(0)
            server.receive_data(data)
        elif isinstance(event, h11.Request):
            exchange = Exchange(
                arrived, host, event.method.decode(), event.target.decode(), text(event.headers), b""
            )
        elif isinstance(event, h11.Data):
            exchange.body += bytes(event.data)
        elif isinstance(event, h11.EndOfMessage):
            yield exchange
            server.send(h11.Response(status_code=200, headers=[("content-length", "0")]))
            server.send(h11.EndOfMessage())
            if server.our_state is not h11.DONE:
                return
            server.start_next_cycle()
        else:
            return


def text(fields):
    return [(name.decode().lower(), value.decode()) for name, value in fields]
