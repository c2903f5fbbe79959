"""Large uploads to a server that answers before it reads, through Caddy and HTTP/2."""
import base64
import hashlib
import os
import shutil

import pytest

import hasty
import names

UPLOAD = "POST /xrpc/com.atproto.repo.uploadBlob"
LOOK = "GET /xrpc/com.atproto.server.getSession"
SIZE = 20_000_000


@pytest.fixture
def alice(network, home):
    home.succeed("login", names.ALICE)
    return home


@pytest.fixture
def behind(network, alice, tmp_path):
    """Has DNS lead to a Caddy of this kind of server."""
    started = []

    def start(hears_out):
        relay = hasty.Relay(network.authority, hears_out)
        caddy = hasty.Caddy(tmp_path / "caddy", network.sandbox, relay)
        started.extend([caddy, relay])
        network.resolver.addresses[names.PDS] = [names.RECORDER]
        network.resolver.start()
        return relay, caddy

    yield start
    for part in started:
        part.stop()


def upload(home, file):
    """Uploads new bytes; the server must have stored all of them."""
    body = os.urandom(SIZE)
    file.write_bytes(body)
    blob = home.succeed(
        "call", "com.atproto.repo.uploadBlob", "--content-type", "application/octet-stream", "--input", str(file))["blob"]
    assert blob["size"] == SIZE and blob["ref"]["$link"] == cid(body)


def cid(body):
    """The CID of raw bytes."""
    return "b" + base64.b32encode(b"\x01\x55\x12\x20" + hashlib.sha256(body).digest()).decode().rstrip("=").lower()


# covers: R60, F7
def test_uploads_without_a_nonce_arrive(behind, alice, tmp_path):
    relay, caddy = behind(hears_out=False)
    for _ in range(40):
        shutil.rmtree(alice.environment["XDG_CACHE_HOME"])
        upload(alice, tmp_path / "body")
    assert caddy.requests() == [f"HTTP/2.0 {LOOK} 401", f"HTTP/1.1 {UPLOAD} 200"] * 40
    assert relay.early == 0


def test_upload_whose_nonce_is_known_is_one_request(behind, alice, tmp_path):
    _, caddy = behind(hears_out=False)
    alice.succeed("call", "com.atproto.server.getSession")
    first = len(caddy.requests())
    upload(alice, tmp_path / "body")
    assert caddy.requests()[first:] == [f"HTTP/1.1 {UPLOAD} 200"]


# The reference server restarts with new nonces, and reads what it has refused.
def test_refusal_that_comes_early_is_read(network, behind, alice, tmp_path):
    relay, caddy = behind(hears_out=True)
    alice.succeed("call", "com.atproto.server.getSession")
    for _ in range(10):
        network.sandbox.control("POST", "clock", {"advance": "4m"})
        relay.nonces.clear()
        first = len(caddy.requests())
        upload(alice, tmp_path / "body")
        assert caddy.requests()[first:] == [f"HTTP/1.1 {UPLOAD} 401", f"HTTP/1.1 {UPLOAD} 200"]
    assert relay.early == 10
