"""bskyauth on a machine without a key of the client: the server makes its assertions."""
import json
import os
import socket
import subprocess
import sys
import time

import pytest

import parts
from runner import PASSPHRASE, Relay, Runner
from test_assertions import HEADER, backend, code

sys.path.append(str(parts.ROOT / "Tests/Independent"))
import vault  # noqa: E402


def served(server):
    """The server whose client the network knows, with the redirect of programs."""
    server.sandbox.control("POST", "clients", server.get("/oauth-client-metadata.json").json)
    return server


@pytest.fixture(scope="module")
def cab(sandbox, tmp_path_factory):
    with backend(
            sandbox, tmp_path_factory.mktemp("cab"), "enrolment_codes = true", "per_client = 100000",
            "per_key = 100000", "total = 1000000") as server:
        yield served(server)


@pytest.fixture
def relay(cab):
    relay = Relay(cab)
    yield relay
    relay.stop()


@pytest.fixture
def runner(cab, relay, tmp_path):
    """A runner that is logged in."""
    runner = Runner(tmp_path / "runner", cab)
    runner.enrol(relay.address, code(cab))
    yield runner
    relay.mode = None
    runner.run("logout", "--all", "--yes")


def requests(journal):
    """What the authorization server was asked for."""
    paths = [line["path"] for line in journal(method="POST")]
    return [path for path in paths if path in ("/oauth/par", "/oauth/token", "/oauth/revoke")]


def session(runner):
    home = runner.folder / "vault"
    (file,) = home.glob("accounts/*/session")
    return vault.record(vault.root_key(home, PASSPHRASE), file, "session", file.parent.name)


# covers: F16
def test_whole_session(cab, relay, tmp_path, sandbox, journal):
    runner, one = Runner(tmp_path / "runner", cab), code(cab)
    runner.enrol(relay.address, one)
    (account,) = runner.accounts()
    assert account["client_id"] == f"{cab.base}/oauth-client-metadata.json"
    assert account["client_assertions"] == relay.address and account["client_key_id"] and account["state"] == "ok"
    # The first request has no nonce, so it is sent twice. Each sending to the issuer has an assertion of its own: the pushed
    # request without a nonce and with one, and the request for tokens.
    assert [form.get("enrolment_code") for form in relay.forms] == [one, one, None, None, None]
    assert {form["aud"] for form in relay.forms} == {sandbox.address}

    asked = len(relay.forms)
    assert sandbox.dids["alice.test"] in runner.succeed("call", "com.atproto.server.getSession")
    assert len(relay.forms) == asked
    runner.succeed("refresh", "--force")
    assert len(relay.forms) == asked + 1

    # The vault has the session key and no other, and not the code.
    assert not list((runner.folder / "vault/clients").glob("*"))
    kept = session(runner)
    assert len(list(vault.private_keys(kept))) == 0 and json.loads(kept["dpop_key"])["d"]
    assert one not in json.dumps(kept)

    runner.succeed("logout", "alice.test")
    assert runner.accounts() == []
    assert requests(journal)[-2:] == ["/oauth/revoke", "/oauth/token"]
    thumbprint = account["jkt"]
    assert not [each for each in sandbox.sessions() if each.get("jkt") == thumbprint]


@pytest.mark.parametrize("how", ["stopped", "drop"])
def test_refresh_while_the_server_is_away(cab, relay, runner, journal, how):
    before = session(runner)
    if how == "stopped":
        relay.stop()
    else:
        relay.mode = how
    stderr = runner.fail(12, "nothing was sent to the account's server, and the session is kept", "refresh", "--force")
    assert requests(journal) == [], stderr
    # The access token works meanwhile, and nothing has changed.
    runner.succeed("call", "com.atproto.server.getSession")
    assert session(runner) == before
    # A logout keeps the account, because the session could live for years.
    runner.fail(12, "the session is kept", "logout", "alice.test")
    assert len(runner.accounts()) == 1
    if how == "drop":
        relay.mode = None
        begin = time.monotonic()
        runner.succeed("refresh", "--force")
        assert time.monotonic() - begin < 20
        assert session(runner)["refresh_token"] != before["refresh_token"]


def wrong_nothing(answer, header, claims):
    pass


def wrong_client(answer, header, claims):
    answer["client_id"] = claims["iss"] = claims["sub"] = "https://evil.example.com/client.json"


def wrong_name(answer, header, claims):
    answer["client_id"] = "https://evil.example.com/client.json"


def wrong_key(answer, header, claims):
    header["kid"] = "another"


def wrong_audience(answer, header, claims):
    claims["aud"] = "https://evil.example.com"


def wrong_confirmation(answer, header, claims):
    claims["cnf"] = {"jkt": "x" * 43}


def no_confirmation(answer, header, claims):
    del claims["cnf"]


def past(answer, header, claims):
    claims["exp"] = int(time.time()) - 60


def far_end(answer, header, claims):
    claims["exp"] = int(time.time()) + 86400


WRONG = [wrong_name, wrong_audience, wrong_confirmation, no_confirmation, past, far_end]


@pytest.mark.parametrize("change", WRONG)
def test_login_with_another_assertion(cab, relay, tmp_path, journal, change):
    runner, relay.mode = Runner(tmp_path / "runner", cab), change
    file = tmp_path / "code"
    file.write_text(code(cab))
    runner.fail(
        13, "nothing was saved", "login", "alice.test", "--client-assertions", relay.address, "--enrol-code-file", file)
    assert requests(journal) == [] and runner.accounts() == []


@pytest.mark.parametrize("change", [*WRONG, wrong_client, wrong_key])
def test_refresh_with_another_assertion(relay, runner, journal, change):
    before = session(runner)
    relay.mode = change
    runner.fail(13, "the session is kept", "refresh", "--force")
    assert requests(journal) == [] and session(runner) == before
    relay.mode = wrong_nothing
    runner.succeed("refresh", "--force")


def test_session_that_is_not_admitted(cab, relay, runner, tmp_path, journal):
    (account,) = runner.accounts()
    before = session(runner)
    assert cab.run("enrolments", "remove", "--", account["jkt"]).returncode == 0
    stderr = runner.fail(10, "the session is kept", "refresh", "--force")
    assert f"ask the operator of {relay.address}" in stderr
    assert requests(journal) == [] and session(runner) == before
    runner.fail(10, "the session is kept", "logout", "alice.test")
    # Only the user's own decision gives the account up.
    runner.succeed("logout", "alice.test", "--local-only")
    # Without a code, and with one that was used.
    other, file = Runner(tmp_path / "other", cab), tmp_path / "used"
    words = ["login", "alice.test", "--client-assertions", relay.address]
    other.fail(10, "nothing was saved", *words)
    file.write_text("used")
    other.fail(10, "nothing was saved", *words, "--enrol-code-file", file)
    assert other.accounts() == []


def test_code_from_standard_input(cab, relay, tmp_path):
    runner = Runner(tmp_path / "runner", cab)
    runner.log_in(relay.address, "--enrol-code-file", "-", input=code(cab) + "\n")
    runner.succeed("logout", "alice.test")


@pytest.mark.parametrize("words, said", [
    (["--client-assertions", "http://auth.example.com"], "can't be asked for assertions"),
    (["--client-assertions", "http://127.0.0.1:1/path"], "without a path"),
    (["--client-assertions", "x"], "no address of a server"),
    (["--client-assertions", "http://127.0.0.1:1", "--client", "bot"], "goes without --client"),
    (["--client-assertions", "http://127.0.0.1:1", "--enrol-code-file", "/nowhere"], "can't be read"),
    (["--client-assertions", "http://127.0.0.1:1", "--client-cert", "/nowhere"], "need each other"),
    (["--enrol-code-file", "/nowhere"], "need --client-assertions URL"),
])
def test_wrong_options(cab, tmp_path, words, said):
    Runner(tmp_path / "runner", cab).fail(64, said, "login", "alice.test", *words)


CONFIGURATION = """
pid {0}/pid; error_log {0}/errors; daemon off; {4}
events {{}}
http {{
    log_format names "$server_port $ssl_client_verify $ssl_client_s_dn";
    access_log {0}/access names;
    client_body_temp_path {0}/tmp; proxy_temp_path {0}/tmp; fastcgi_temp_path {0}/tmp;
    uwsgi_temp_path {0}/tmp; scgi_temp_path {0}/tmp;
    ssl_certificate {0}/server.pem; ssl_certificate_key {0}/server.key;
    ssl_verify_client optional; ssl_client_certificate {0}/authority.pem;
    server {{
        listen 127.0.0.1:{1} ssl;
        location / {{
            proxy_pass http://127.0.0.1:{2}; proxy_set_header Host $host;
            proxy_set_header X-Client-Certificate $ssl_client_s_dn;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        }}
    }}
    server {{ listen 127.0.0.1:{5} ssl; location / {{ proxy_pass {3}; }} }}
}}
"""


def openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)


def certify(folder, name, subject, *more):
    """A key and a certificate of the authority."""
    openssl(
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", subject,
        "-CA", folder / "authority.pem", "-CAkey", folder / "authority.key", "-keyout", folder / f"{name}.key",
        "-out", folder / f"{name}.pem", "-addext", "basicConstraints=critical,CA:FALSE", *more)


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Proxy:
    """nginx, which verifies certificates of clients, before the server and, at another port, before the network."""

    def __init__(self, folder, server):
        (folder / "tmp").mkdir(parents=True)
        self.folder = folder
        openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
            "/CN=authority", "-keyout", folder / "authority.key", "-out", folder / "authority.pem")
        certify(folder, "server", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")
        certify(folder, "runner", "/O=Example/CN=runner")
        certify(folder, "other", "/O=Example/CN=other")
        self.ports = free_port(), free_port()
        user = "user root;" if os.geteuid() == 0 else ""
        (folder / "nginx.conf").write_text(CONFIGURATION.format(
            folder, self.ports[0], server.port, server.sandbox.address, user, self.ports[1]))
        self._process = subprocess.Popen(["nginx", "-p", folder, "-c", folder / "nginx.conf", "-e", folder / "errors"])
        while not (folder / "pid").exists():
            assert self._process.poll() is None, (folder / "errors").read_text()

    def names(self, port):
        """The names in the certificates that were presented at a port."""
        lines = [line.split(" ", 1) for line in (self.folder / "access").read_text().splitlines()]
        return {name for at, name in lines if at == str(port)}

    def stop(self):
        self._process.terminate()
        self._process.wait()


@pytest.fixture
def certified(sandbox, tmp_path):
    (tmp_path / "server").mkdir()
    lines = [f'certificate_header = "{HEADER}"', 'certificates = ["CN=runner,O=Example"]']
    with backend(sandbox, tmp_path / "server", *lines, trusted_proxies=["127.0.0.1"]) as server:
        proxy = Proxy(tmp_path / "proxy", served(server))
        yield server, proxy
        proxy.stop()


def test_certificate(certified, tmp_path, journal):
    server, proxy = certified
    address, directory = (f"https://localhost:{port}" for port in proxy.ports)
    runner = Runner(
        tmp_path / "runner", server, SSL_CERT_FILE=str(proxy.folder / "authority.pem"), BSKYAUTH_PLC_URL=directory)
    words = ["login", "alice.test", "--client-assertions", address]
    runner.fail(10, "nothing was saved", *words)
    other = ["--client-cert", proxy.folder / "other.pem", "--client-cert-key", proxy.folder / "other.key"]
    runner.fail(10, "nothing was saved", *words, *other)
    runner.fail(64, "can't be read", *words, "--client-cert", "nowhere", "--client-cert-key", "nowhere")
    assert requests(journal) == []
    # Paths are of the folder in which the login ran; later commands run elsewhere.
    runner.log_in(address, "--client-cert", "runner.pem", "--client-cert-key", "runner.key", cwd=proxy.folder)
    runner.succeed("refresh", "--force")
    kept = session(runner)
    assert kept["client_certificate"] == str(proxy.folder / "runner.pem")
    assert "PRIVATE KEY" not in json.dumps(kept)

    (proxy.folder / "runner.key").rename(proxy.folder / "away")
    runner.fail(1, "the session is kept", "refresh", "--force")
    assert session(runner) == kept
    (proxy.folder / "away").rename(proxy.folder / "runner.key")
    runner.succeed("refresh", "--force")
    runner.succeed("logout", "alice.test")
    # No other server has seen a certificate, although one asked for it.
    assert proxy.names(proxy.ports[1]) == {"NONE -"}
    assert "SUCCESS CN=runner,O=Example" in proxy.names(proxy.ports[0])
