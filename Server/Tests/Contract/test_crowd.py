"""One person, or one stranger, can't take the server away from all: by calls that hang, answers that drip, or connections that only
exist. Each test asks while those still hang. A time limit only bounds a hang."""
import contextlib
import resource
import socket
import threading

import pytest

from parts import App, Server
from raw import connect, head, read_head, read_to_end
from test_gateway_wire import LIST, UPLOAD, relay  # noqa: F401


@pytest.fixture(scope="module", autouse=True)
def files():
    """Each connection takes a file, here and in the server, which inherits the limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 16_384), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture
def crowded(relay, tmp_path, files):  # noqa: F811
    server = Server(tmp_path, relay.sandbox, dev_network=relay.origin)
    yield server
    server.stop()


@pytest.fixture
def alice(relay, crowded):  # noqa: F811
    relay.answers.clear()
    app = App(crowded)
    app.log_in("alice.test")
    return app


@pytest.fixture
def bob(relay, crowded):  # noqa: F811
    app = App(crowded)
    app.log_in("bob.test")
    return app


def is_served(bob):
    """Others are answered, and as ever."""
    assert bob.server.get("/health").status == 200
    answer = bob.send("GET", "/xrpc/com.atproto.identity.resolveHandle?handle=bob.test")
    assert answer.status == 200, answer.body


class Hanging:
    """Calls to a server of an account that takes them, and answers with a part of an answer, or nothing."""

    def __init__(self, relay, beginning=b""):  # noqa: F811
        self.arrived, self.go = threading.Semaphore(0), threading.Event()
        self.beginning = beginning
        relay.answers["listRecords"] = self._answer

    def _answer(self, connection, *_):
        connection.sendall(self.beginning)
        self.arrived.release()
        self.go.wait()

    def wait(self, count):
        for _ in range(count):
            assert self.arrived.acquire(timeout=60)


def call(stack, app, number):
    """Sends calls, each on a connection of its own."""
    connections = []
    for _ in range(number):
        connections.append(stack.enter_context(connect(app.server)))
        connections[-1].sendall(head(app.server, app.session, "GET", LIST))
    return connections


def test_calls_of_one_session_that_hang(relay, alice, bob):  # noqa: F811
    hanging = Hanging(relay)
    with contextlib.ExitStack() as stack:
        stack.callback(hanging.go.set)
        held = call(stack, alice, 64)
        hanging.wait(64)
        others = call(stack, alice, 1036)
        is_served(bob)
        for connection in others:
            seen, rest = read_head(connection)
            assert seen.startswith(b"HTTP/1.1 429 ") and b"\r\nretry-after: 5\r\n" in seen.lower()
            assert b'"too_many_requests"' in rest
        is_served(bob)
        # Nothing that was held has an answer yet.
        for connection in held:
            connection.setblocking(False)
            with pytest.raises(BlockingIOError):
                connection.recv(1)
    assert not hanging.arrived.acquire(blocking=False)


def test_place_of_a_call_is_free_again_when_its_answer_has_ended(relay, alice):  # noqa: F811
    beginning = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{}"
    hanging = Hanging(relay, beginning)
    with contextlib.ExitStack() as stack:
        stack.callback(hanging.go.set)
        held = call(stack, alice, 64)
        for connection in held:
            assert read_head(connection)[0].startswith(b"HTTP/1.1 200 ")
        refused = alice.send("GET", LIST)
        assert refused.status == 429 and refused.json["error"] == "too_many_requests"
        hanging.go.set()
        for connection in held:
            while b"0\r\n\r\n" not in connection.recv(65_536):
                pass
    # The server frees a place a moment after the client has the last byte.
    while (answer := alice.send("GET", LIST)).status == 429:
        pass
    assert answer.status == 200


def test_sessions_of_one_server_that_hangs(relay, alice, sandbox, crowded):  # noqa: F811
    """People at a server that hangs get no more than its share, and those at other servers are served."""
    hanging = Hanging(relay)
    apps = [alice]
    for _ in range(3):
        apps.append(App(crowded))
        apps[-1].log_in("alice.test")
    with contextlib.ExitStack() as stack:
        stack.callback(hanging.go.set)
        for app in apps:
            call(stack, app, 50)
        hanging.wait(200)
        refused = apps[0].send("GET", LIST)
        assert refused.status == 503 and refused.json["error"] == "server_busy"
        assert crowded.get("/health").status == 200
        assert apps[0].send("GET", "/api/accounts").status == 200


def test_connections_that_only_exist(bob):
    with contextlib.ExitStack() as stack:
        beginning = head(bob.server, bob.session, "GET", LIST)[:-10]
        half = [stack.enter_context(connect(bob.server)) for _ in range(1000)]
        for connection in half:
            with contextlib.suppress(ConnectionError):
                connection.sendall(beginning)
        is_served(bob)
        idle = [stack.enter_context(connect(bob.server)) for _ in range(5000)]
        is_served(bob)
        # The newest ones still exist.
        assert is_open(idle[-1])


def test_bodies_that_do_not_arrive(alice, bob):
    upload = head(alice.server, alice.session, "POST", UPLOAD, "Transfer-Encoding: chunked") + b"1\r\nx\r\n"
    login = head(alice.server, alice.session, "POST", "/api/auth/start", "Content-Length: 10") + b"{"
    with contextlib.ExitStack() as stack:
        for beginning in [upload] * 1100 + [login] * 600:
            connection = stack.enter_context(connect(bob.server))
            with contextlib.suppress(ConnectionError):
                connection.sendall(beginning)
        is_served(bob)


def is_open(connection):
    connection.setblocking(False)
    try:
        return connection.recv(1) != b""
    except BlockingIOError:
        return True
    except ConnectionError:
        return False


def test_new_connection_must_bring_a_request(crowded):
    """It ends before one that has brought a request, and has waited longer."""
    with connect(crowded) as known, connect(crowded) as slow, connect(crowded) as silent:
        assert is_healthy(known, crowded)
        slow.sendall(b"GET /health HTTP/1.1\r\n")
        assert silent.recv(1) == b"" and slow.recv(1) == b""
        assert is_healthy(known, crowded)


def is_healthy(connection, server):
    connection.sendall(head(server, "none", "GET", "/health"))
    seen = b""
    while b'"ok"' not in seen:
        piece = connection.recv(65_536)
        if not piece:
            return False
        seen += piece
    return seen.startswith(b"HTTP/1.1 200 ")


def test_answers_that_drip_and_answers_that_are_not_read(relay, alice, bob):  # noqa: F811
    """Both are cut off, with the call at the server of the account. Until then, others are served."""
    ended = {"drip": threading.Event(), "pour": threading.Event()}

    def send(connection, name, piece, pause):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
        with contextlib.suppress(OSError):
            while True:
                connection.sendall(piece)
                ended[name].wait(pause)
        ended[name].set()

    relay.answers["listRecords"] = lambda connection, *_: send(connection, "drip", b"x", 0.5)
    relay.answers["getRecord"] = lambda connection, *_: send(connection, "pour", bytes(65_536), 0)
    with connect(alice.server) as dripping, socket.socket() as unread:
        dripping.sendall(head(alice.server, alice.session, "GET", LIST))
        unread.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        unread.connect(("127.0.0.1", alice.server.port))
        unread.sendall(head(alice.server, alice.session, "GET", LIST.replace("listRecords", "getRecord")))
        assert read_head(dripping)[0].startswith(b"HTTP/1.1 200 ")
        is_served(bob)
        assert not ended["drip"].is_set()
        assert ended["pour"].wait(timeout=600)
        # It ends before its length.
        seen = read_to_end(dripping)
        assert set(seen) <= {ord("x")} and len(seen) < 1_000_000
        assert ended["drip"].wait(timeout=600)
