"""Calls of XRPC byte by byte: hostile answers, bodies that do not arrive, and connections that break off."""
import contextlib
import os
import socket
import threading

import pytest

from parts import App, Sandbox, Server
from raw import Relay, connect, head, read_head, read_to_end

UPLOAD = "/xrpc/com.atproto.repo.uploadBlob"
LIST = "/xrpc/com.atproto.repo.listRecords?repo=did:web:x"


@pytest.fixture(scope="module")
def relay():
    relay = Relay()
    roles = [["--origin", f"{role}={relay.origin}"] for role in ("as", "pds", "plc")]
    relay.sandbox = Sandbox(*sum(roles, []))
    yield relay
    relay.sandbox.stop()
    relay.stop()


@pytest.fixture(scope="module")
def relayed(relay, tmp_path_factory):
    """A server whose accounts are behind the relay."""
    server = Server(tmp_path_factory.mktemp("relayed"), relay.sandbox, dev_network=relay.origin)
    yield server
    server.stop()
    # Nothing that a client or a server of accounts does here is an error of the server.
    assert not [line for line in server.said if " error " in line]


@pytest.fixture
def phone(relay, relayed):
    relay.answers.clear()
    app = App(relayed)
    app.log_in("alice.test")
    return app


def ask(phone, *requests):
    """Sends requests on one connection, and gives all that comes until the server ends it."""
    with connect(phone.server) as connection:
        for method, path in requests:
            connection.sendall(head(phone.server, phone.session, method, path))
        last = head(phone.server, phone.session, "GET", "/api/accounts", "Connection: close")
        connection.sendall(last)
        return read_to_end(connection).decode()


SMUGGLED = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\nhacked"


@pytest.mark.parametrize("fields", [
    "Transfer-Encoding: chunked\r\nContent-Length: 5", "Content-Length: 5\r\nTransfer-Encoding: chunked",
])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_body_longer_than_its_length_is_no_further_answer(phone, relay, fields, method):
    body = f"hello{SMUGGLED}"
    relay.answers["listRecords"] = lambda connection, *_: connection.sendall(
        f"HTTP/1.1 200 OK\r\n{fields}\r\n\r\n{len(body):x}\r\n{body}\r\n0\r\n\r\n".encode())
    seen = ask(phone, (method, LIST))
    answers = seen.split("HTTP/1.1 200 OK\r\n")
    first = answers[1].lower()
    assert "content-length" not in first.split("\r\n\r\n")[0]
    if method == "HEAD":
        assert first.endswith("\r\n\r\n") and first.count("\r\n\r\n") == 1
        assert len(answers) == 3 and '"accounts"' in answers[2]
    else:
        # The whole body is in one chunk of the first answer.
        assert f"\r\n\r\n{len(body):x}\r\nhello{SMUGGLED}\r\n0\r\n\r\nHTTP/1.1 200 OK" in seen


@pytest.mark.parametrize("lengths", ["Content-Length: 5\r\nContent-Length: 5", "Content-Length: 5"])
def test_answer_of_one_length_is_passed(phone, relay, lengths):
    relay.answers["listRecords"] = lambda connection, *_: connection.sendall(
        f"HTTP/1.1 200 OK\r\n{lengths}\r\nConnection: close\r\n\r\nhello".encode())
    answer = phone.send("GET", LIST)
    assert answer.status == 200 and answer.body == "hello"
    assert answer.headers.get_all("content-length") == (["5"] if lengths.count("5") == 1 else None)


@pytest.mark.parametrize("length", [50, 100_000])
def test_answer_that_ends_too_early(phone, relay, length):
    relay.answers["listRecords"] = lambda connection, *_: connection.sendall(
        f"HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\nhello".encode())
    seen = ask(phone, ("GET", LIST))
    if length == 50:
        assert seen.startswith("HTTP/1.1 502") and "UpstreamFailure" in seen and "hello" not in seen
    else:
        # The head of a long answer is on its way already, so the answer breaks off.
        assert seen.count("HTTP/1.1") == 1 and seen.endswith("\r\n\r\nhello")


@pytest.mark.parametrize("method, path, status", [
    ("PUT", UPLOAD, 405), ("GET", UPLOAD, 400), ("POST", "/xrpc/x", 400), ("POST", UPLOAD + "?a=%", 400),
    ("POST", "/xrpc/com.atproto.server.createSession", 403),
    ("POST", "/xrpc/com.atproto.server.deactivateAccount", 403),
])
def test_refusal_does_not_wait_for_the_body(phone, method, path, status):
    with connect(phone.server) as connection:
        connection.sendall(head(phone.server, phone.session, method, path, "Content-Length: 1000"))
        seen, _ = read_head(connection)
        assert seen.startswith(f"HTTP/1.1 {status} ".encode())


def send_without_end(connection):
    """Sends chunks until the server ends the connection."""
    with pytest.raises(ConnectionError):
        while True:
            connection.sendall(b"10000\r\n" + bytes(0x10000) + b"\r\n")


@pytest.mark.parametrize("session, path, fields, status", [
    ("x", UPLOAD, ["Transfer-Encoding: chunked"], 401),
    (None, UPLOAD + "?a=%", ["Transfer-Encoding: chunked"], 400),
    (None, "/api/auth/start", ["Transfer-Encoding: chunked", "Content-Type: application/json"], 413),
    (None, "/nowhere", ["Transfer-Encoding: chunked"], 404),
])
def test_body_without_end_ends_the_connection(phone, session, path, fields, status):
    with connect(phone.server) as connection:
        connection.sendall(head(phone.server, session or phone.session, "POST", path, *fields))
        connection.sendall(b"10000\r\n" + bytes(0x10000) + b"\r\n")
        seen, _ = read_head(connection)
        assert seen.startswith(f"HTTP/1.1 {status} ".encode()) and b"\r\nconnection: close\r\n" in seen.lower()
        send_without_end(connection)


def test_request_behind_a_refused_body_is_not_answered(phone):
    with connect(phone.server) as connection:
        connection.sendall(head(phone.server, "x", "POST", UPLOAD, "Content-Length: 5"))
        read_head(connection)
        connection.sendall(b"hello" + head(phone.server, phone.session, "GET", "/api/accounts"))
        assert b"HTTP/1.1" not in read_to_end(connection)


def test_connection_stays_after_a_body_that_was_read(phone):
    seen = ask(phone, ("GET", "/nowhere"), ("HEAD", LIST), ("GET", "/xrpc/x"))
    assert seen.count("HTTP/1.1 ") == 4 and seen.lower().count("connection: close") == 0


def test_client_that_leaves_during_an_upload_sends_nothing_upstream(relay, relayed, phone):
    relay.sandbox.control("POST", "journal/reset")
    for fields, part in [
            (["Content-Length: 1000000"], bytes(500_000)), (["Content-Length: 1000"], bytes(500)),
            (["Transfer-Encoding: chunked"], b"10000\r\n" + bytes(0x10000) + b"\r\n10000\r\n"),
            (["Transfer-Encoding: chunked"], b"no chunk\r\n")]:
        with connect(relayed) as connection:
            connection.sendall(head(relayed, phone.session, "POST", UPLOAD, *fields) + part)
            connection.shutdown(socket.SHUT_WR)
            answer = read_to_end(connection)
            assert answer[:13] in (b"", b"HTTP/1.1 400 "), answer
    assert relay.sandbox.journal(path=UPLOAD) == []
    assert open_bodies(relayed) == []


def open_bodies(server):
    """The files of bodies that the server has open, and those that have a name."""
    folder = f"/proc/{server._process.pid}/fd"
    state = str(server.folder / "state")
    links = []
    for name in os.listdir(folder):
        with contextlib.suppress(FileNotFoundError):
            links.append(os.readlink(f"{folder}/{name}"))
    named = [path.name for path in (server.folder / "state").glob("body-*")]
    return [link for link in links if link.startswith(state) and link.endswith(" (deleted)")] + named


def test_client_that_leaves_during_a_download_ends_it(relay, phone):
    ended = threading.Event()

    def answer(connection, *_):
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        send_without_end(connection)
        ended.set()

    relay.answers["listRecords"] = answer
    with connect(phone.server) as connection:
        connection.sendall(head(phone.server, phone.session, "GET", LIST))
        read_head(connection)
    assert ended.wait(60)


@pytest.mark.parametrize("path", ["/health", "/oauth-client-metadata.json", "/login", "/oauth/jwks.json"])
def test_head_is_that_of_get(server, path):
    get, found = server.get(path), server.send("HEAD", path)
    assert found.status == get.status == 200 and found.body == ""
    for name in "content-type", "content-length", "content-security-policy":
        assert found.headers[name] == get.headers[name] is not None, name
