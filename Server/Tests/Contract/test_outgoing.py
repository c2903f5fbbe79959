"""The requests of the server to other servers: which certificates it trusts, and what the operator learns of failures."""
import contextlib
import ssl

import pytest

import parts
from parts import App, Sandbox, Server
from raw import Relay


@pytest.fixture
def quiet(tmp_path):
    """A server whose sandbox no other test uses."""
    sandbox = Sandbox()
    server = Server(tmp_path, sandbox)
    yield server
    server.stop()
    sandbox.stop()


def test_the_log_says_why_a_server_can_not_be_reached(quiet):
    app = App(quiet)
    quiet.sandbox.faults({"match": {"role": "pds"}, "action": {"drop": "before"}})
    for _ in range(3):
        assert app.start("alice.test").status == 502
    (line,) = quiet.says("a request failed: ")
    assert quiet.sandbox.address in line and "ended the connection" in line and "warning" in line


def test_an_answer_without_a_reason_is_told_with_its_status(quiet):
    quiet.sandbox.faults({"match": {"path": "/oauth/par"}, "action": {"respond": {"status": 502}}})
    answer = App(quiet).start("alice.test")
    assert answer.status == 502 and "502" in answer.json["message"] and "it gives no reason" not in answer.json["message"]


class TLSRelay(Relay):
    """A relay with a certificate of the test's own."""

    def __init__(self, folder):
        parts.certify(folder, ["localhost"])
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(folder / "certificate.pem", folder / "key.pem")
        super().__init__()
        self.origin = self.origin.replace("http://127.0.0.1", "https://localhost")

    def _serve(self, connection):
        with contextlib.suppress(OSError):
            super()._serve(self._context.wrap_socket(connection, server_side=True))


@pytest.mark.parametrize("name", ["SSL_CERT_FILE", "CURL_CA_BUNDLE"])
def test_an_authority_of_ones_own_is_trusted(tmp_path, monkeypatch, name):
    for other in "SSL_CERT_FILE", "CURL_CA_BUNDLE":
        monkeypatch.delenv(other, raising=False)
    relay = TLSRelay(tmp_path)
    relay.sandbox = Sandbox(*(word for role in ("as", "pds", "plc") for word in ("--origin", f"{role}={relay.origin}")))
    server = Server(tmp_path, relay.sandbox, dev_network=relay.origin)
    try:
        answer = App(server).start("alice.test")
        assert answer.status == 502 and answer.json["error"] == "server_unreachable"
        (line,) = server.says("a request failed: ")
        assert f"the certificate of {relay.origin}/" in line and "is not trusted" in line
        server.stop()
        monkeypatch.setenv(name, str(tmp_path / "nowhere.pem"))
        assert f"the certificates in {tmp_path}/nowhere.pem" in server.fail()
        monkeypatch.setenv(name, str(tmp_path / "certificate.pem"))
        server.start()
        assert App(server).start("alice.test").status == 200
    finally:
        if server.runs:
            server.stop()
        relay.sandbox.stop()
        relay.stop()
