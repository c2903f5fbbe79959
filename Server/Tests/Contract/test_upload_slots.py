"""Long bodies take slots until they are sent, so that they can't fill the disk, and short bodies take none."""
import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import parts
from parts import App
from raw import connect, head, read_head
from test_gateway_wire import UPLOAD, open_bodies, phone, relay, relayed  # noqa: F401

CREATE = "/xrpc/com.atproto.repo.createRecord"


def upload(app, size=100_000):
    return app.server.send("POST", UPLOAD, bytes(size), [("authorization", f"Bearer {app.session}")])


def read_body(connection, head, rest):
    fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:-2])
    left = int(fields[b"content-length"]) - len(rest)
    while left > 0:
        left -= len(connection.recv(65_536))


class Holding:
    """A server of accounts that takes uploads, and does not answer them yet."""

    def __init__(self, relay):
        self.arrived, self.go = threading.Semaphore(0), threading.Event()
        relay.answers["uploadBlob"] = self._answer

    def _answer(self, connection, head, rest):
        read_body(connection, head, rest)
        self.arrived.release()
        self.go.wait()
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: application/json\r\n\r\n{}")

    def wait(self, count):
        for _ in range(count):
            assert self.arrived.acquire(timeout=60)


@pytest.fixture
def holding(relay, phone):  # noqa: F811
    holding = Holding(relay)
    yield holding
    holding.go.set()


def test_slot_is_taken_until_the_call_has_ended(relayed, phone, holding):  # noqa: F811
    other = App(relayed)
    other.log_in("bob.test")
    with ThreadPoolExecutor(5) as pool:
        running = [pool.submit(upload, phone) for _ in range(4)]
        try:
            holding.wait(4)
            assert len(open_bodies(relayed)) == 4
            refused = upload(phone)
            assert refused.status == 503 and refused.json["error"] == "too_many_uploads"
            assert refused.headers["retry-after"] == "5"
            # Short bodies, and the long ones of other sessions, still pass.
            assert phone.post(CREATE, {}).status == 400
            running.append(pool.submit(upload, other))
            holding.wait(1)
        finally:
            holding.go.set()
        assert [answer.result().status for answer in running] == [200] * 5
    assert open_bodies(relayed) == []
    assert upload(phone).status == 200


def test_body_is_gone_when_the_answer_begins(relay, relayed, phone):  # noqa: F811
    go = threading.Event()

    def answer(connection, head, rest):
        read_body(connection, head, rest)
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n")
        go.wait()

    relay.answers["uploadBlob"] = answer
    try:
        with connect(relayed) as connection:
            fields = ["Content-Length: 100000"]
            connection.sendall(head(relayed, phone.session, "POST", UPLOAD, *fields) + bytes(100_000))
            seen, _ = read_head(connection)
            assert seen.startswith(b"HTTP/1.1 200 ")
            assert open_bodies(relayed) == []
    finally:
        go.set()


def test_short_bodies_that_trickle_block_nothing(relayed, phone):  # noqa: F811
    with contextlib.ExitStack() as stack:
        for _ in range(40):
            connection = stack.enter_context(connect(relayed))
            connection.sendall(head(relayed, phone.session, "POST", CREATE, "Content-Length: 10") + b"{")
        assert upload(phone).status == 200


def test_body_has_no_name_while_it_arrives(relayed, phone, holding):  # noqa: F811
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(upload, phone)
        holding.wait(1)
        (file,) = open_bodies(relayed)
        assert "/#" in file
        holding.go.set()
        assert running.result().status == 200


def test_full_disk_is_told(own_server, tmp_path, monkeypatch):
    script = tmp_path / "limited"
    # A file of more than 10 MB is the same failure as a full disk.
    script.write_text(f"#!/bin/sh\ntrap '' XFSZ\nulimit -f 20000\nexec {parts.SERVER} \"$@\"\n")
    script.chmod(0o700)
    own_server.stop()
    monkeypatch.setattr(parts, "SERVER", script)
    own_server.start()
    app = App(own_server)
    app.log_in("alice.test")
    refused = upload(app, 20_000_000)
    assert refused.status == 507 and refused.json["error"] == "no_room"
    assert open_bodies(own_server) == []
    assert upload(app).status == 200
    own_server.stop()
    assert any("could not be kept" in line for line in own_server.said)
    own_server.start()
