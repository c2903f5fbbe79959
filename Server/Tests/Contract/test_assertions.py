"""The client assertion backend: proofs, admission, keys and limits."""
import concurrent.futures
import contextlib
import json
import pathlib
import sqlite3
import time
import urllib.parse

import pytest

import parts
from cryptography.hazmat.primitives.asymmetric import ec
from parts import IOS
from prover import Assertion, Prover, decode

AUDIENCE = "https://as.example.com"
HEADER = "X-Client-Certificate"


@contextlib.contextmanager
def backend(sandbox, folder, *lines, **changes):
    """A server with a section of settings."""
    server = parts.Server(folder, sandbox, **changes)
    server.stop()
    server.config.write_text(server.config.read_text() + "\n".join(["[assertions]", *lines, ""]))
    server.start()
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="module")
def cab(sandbox, tmp_path_factory):
    with backend(
            sandbox, tmp_path_factory.mktemp("cab"), "enrolment_codes = true", "per_client = 100000",
            "per_key = 100000", "total = 1000000") as server:
        yield server


def code(server, name="runner"):
    result = server.run("enrolments", "add", name)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


@pytest.fixture
def runner(cab):
    """A program whose session key is enrolled, with a nonce."""
    prover = Prover(cab)
    answer = prover.ask(enrolment_code=code(cab))
    assert answer.status == 200, answer.body
    return prover


def refused(answer, status, error):
    assert (answer.status, answer.json["error"]) == (status, error), answer.body
    assert set(answer.json) == {"error", "error_description"} and answer.json["error_description"].endswith(".")


def test_off_without_settings(own_server):
    answer = own_server.send("POST", "/oauth/client-assertion", b"", [])
    assert answer.status == 404 and answer.json["error"] == "not_found"
    assert own_server.get("/oauth/loopback").status == 404
    assert len(own_server.get("/oauth-client-metadata.json").json["redirect_uris"]) == 1
    assert own_server.run("enrolments", "list").returncode == 1


def test_assertion(cab, runner):
    before = int(time.time())
    answers = [runner.ask() for _ in range(2)]
    found = []
    for answer in answers:
        assert answer.status == 200 and answer.headers["content-type"] == "application/json"
        assert set(answer.json) == {"client_id", "client_assertion"}
        assert answer.json["client_id"] == f"{cab.base}/oauth-client-metadata.json"
        assertion = Assertion(cab, answer.json["client_assertion"])
        assert assertion.header["alg"] == "ES256" and set(assertion.header) == {"alg", "typ", "kid"}
        claims = assertion.claims
        assert claims["iss"] == claims["sub"] == answer.json["client_id"]
        assert claims["aud"] == AUDIENCE and claims["cnf"] == {"jkt": runner.thumbprint}
        assert before <= claims["iat"] <= time.time() and claims["exp"] == claims["iat"] + 60
        found.append(claims["jti"])
    assert len(set(found)) == 2


def test_nonce(cab, runner):
    for nonce in None, "", "x", runner.nonce + "x":
        answer = runner.send(runner.proof(nonce=nonce))
        refused(answer, 400, "use_dpop_nonce")
        assert answer.headers["dpop-nonce"]
    assert runner.send(runner.proof()).status == 200


@pytest.mark.parametrize("claims", [
    {"htm": "GET"}, {"htm": "post"}, {"htm": None}, {"htu": None}, {"htu": "https://other.example.com/oauth/token"},
    {"htu": "https://evil.example.com/oauth/client-assertion"}, {"htu": "/oauth/client-assertion"},
    {"htu": "http://192.0.2.1/oauth/client-assertion"},
    {"jti": None}, {"jti": ""}, {"jti": "x" * 257}, {"jti": 1}, {"iat": None}, {"iat": "1"}, {"nonce": 1},
], ids=str)
def test_proof_for_something_else(runner, claims):
    refused(runner.send(runner.proof(**claims)), 400, "invalid_dpop_proof")


@pytest.mark.parametrize("seconds", [-3600, -70, 70, 3600])
def test_proof_of_another_time(runner, seconds):
    refused(runner.send(runner.proof(iat=int(time.time()) + seconds)), 400, "invalid_dpop_proof")


@pytest.mark.parametrize("header", [
    {"typ": "JWT"}, {"alg": "none"}, {"alg": "HS256"}, {"jwk": None}, {"jwk": {}}, {"crit": ["exp"]},
], ids=str)
def test_proof_with_another_header(runner, header):
    refused(runner.send(runner.proof(header)), 400, "invalid_dpop_proof")


def test_proof_with_another_key(cab, runner):
    refused(runner.send(runner.proof(signer=Prover(cab))), 400, "invalid_dpop_proof")
    for change in {"d": "x" * 43}, {"crv": "P-384"}, {"kty": "RSA"}, {"y": runner.jwk["x"]}, {"x": ""}:
        refused(runner.send(runner.proof({"jwk": {**runner.jwk, **change}})), 400, "invalid_dpop_proof")


def test_malformed_proofs(runner):
    good = runner.proof()
    head, body, signature = good.split(".")
    for proof in [
            None, "", "x", "a.b", "a.b.c", f"{head}.{body}", f"{head}.{body}.", f"{good}.x", f"{good}=",
            f"{head}.{body}.{signature[:-2]}", f"{head}.{body}.{signature}AAAA", "x" * 5000]:
        refused(runner.send(proof), 400, "invalid_dpop_proof")
    # Two proofs, of which either could be meant.
    refused(runner.send(runner.proof(), [("dpop", runner.proof())]), 400, "invalid_dpop_proof")
    assert runner.send(good).status == 200


def test_proof_is_used_once(cab, runner):
    proof = runner.proof()
    assert runner.send(proof).status == 200
    refused(runner.send(proof), 400, "invalid_dpop_proof")
    proof = runner.proof()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        statuses = [answer.status for answer in pool.map(lambda _: runner.send(proof), range(8))]
    assert sorted(statuses) == [200] + [400] * 7
    # The same jti of another key is another proof.
    other = Prover(cab)
    assert other.ask(enrolment_code=code(cab)).status == 200
    assert runner.send(runner.proof(jti="same")).status == other.send(other.proof(jti="same")).status == 200


def test_proof_of_before_a_restart(sandbox, tmp_path):
    with backend(sandbox, tmp_path, "enrolment_codes = true") as server:
        prover = Prover(server)
        assert prover.ask(enrolment_code=code(server)).status == 200
        proof = prover.proof()
        server.stop(kill=True)
        server.start()
        refused(prover.send(proof), 400, "use_dpop_nonce")
        # The key is enrolled still.
        assert prover.ask().status == 200


@pytest.mark.parametrize("audience", [
    None, "", "x", "http://as.example.com", "https://as.example.com/", "https://as.example.com/path",
    "https://as.example.com?x", "https://AS.example.com", "https://user@as.example.com", "https://as.example.com:443",
    "ftp://as.example.com",
])
def test_audience_that_is_no_issuer(runner, audience):
    refused(runner.ask(aud=audience), 400, "invalid_request")


def test_outside_a_test_network(sandbox, tmp_path):
    """Only there, an issuer and an endpoint without TLS are good."""
    with backend(sandbox, tmp_path, "enrolment_codes = true") as server:
        prover = Prover(server)
        assert prover.ask(enrolment_code=code(server)).status == 200
        assert prover.ask(aud=sandbox.address).status == 200
        here = f"http://127.0.0.1:{server.port}/oauth/client-assertion"
        assert prover.send(prover.proof(htu=here)).status == 200
        refused(prover.send(prover.proof(htu=here + "?x")), 400, "invalid_dpop_proof")
        server.stop()
        lines = server.config.read_text().splitlines(keepends=True)
        server.config.write_text("".join(line for line in lines if not line.startswith("dev_network")))
        server.start()
        assert prover.ask().status == 200
        refused(prover.ask(aud=sandbox.address), 400, "invalid_request")
        here = f"http://127.0.0.1:{server.port}/oauth/client-assertion"
        refused(prover.send(prover.proof(htu=here)), 400, "invalid_dpop_proof")


def test_bodies_that_are_no_form(runner):
    proof = ("dpop", runner.proof())
    form = ("content-type", "application/x-www-form-urlencoded")
    for body, headers, status in [
            (b"{}", [("content-type", "application/json")], 415), (b"", [form], 400), (b"%", [form], 400),
            (b"aud=https%3A%2F%2Fa.example&aud=https%3A%2F%2Fb.example", [form], 400),
            (b"x" * 20_000, [form], 413)]:
        refused(runner.server.send("POST", "/oauth/client-assertion", body, [*headers, proof]), status, "invalid_request")
    assert runner.server.send("GET", "/oauth/client-assertion").status == 405


def test_code_admits_one_key(cab):
    first, second = Prover(cab), Prover(cab)
    refused(first.ask(), 403, "access_denied")
    refused(first.ask(enrolment_code="x"), 403, "access_denied")
    refused(first.ask(enrolment_code="x" * 200), 403, "access_denied")
    one = code(cab)
    # A request that fails otherwise does not spend the code.
    refused(first.ask(enrolment_code=one, aud="x"), 400, "invalid_request")
    refused(first.send(first.proof(htm="GET"), enrolment_code=one), 400, "invalid_dpop_proof")
    assert first.ask(enrolment_code=one).status == 200
    refused(second.ask(enrolment_code=one), 403, "access_denied")
    # An answer may be lost: the key that used the code may send it again.
    assert first.ask(enrolment_code=one).status == first.ask().status == 200
    # An enrolled key spends no code.
    other = code(cab)
    assert first.ask(enrolment_code=other).status == 200
    assert second.ask(enrolment_code=other).status == 200


def test_code_of_several_keys_at_once(cab):
    one = code(cab)
    provers = [Prover(cab) for _ in range(8)]
    for prover in provers:
        prover.ask()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        statuses = [answer.status for answer in pool.map(lambda prover: prover.ask(enrolment_code=one), provers)]
    assert sorted(statuses) == [200] + [403] * 7


def test_codes_are_listed_and_removed(cab):
    one = code(cab, "machine-7")
    prover = Prover(cab)
    for file in (cab.folder / "state/rows").iterdir():
        assert one.encode() not in file.read_bytes(), file
    lines = [line.split("\t") for line in cab.run("enrolments", "list").stdout.splitlines()]
    entry = next(line for line in lines if line[2] == "machine-7")
    assert entry[0] == "code" and entry[4] == "unused"
    assert not any(one in field for line in lines for field in line)
    assert cab.run("enrolments", "remove", entry[1]).returncode == 0
    refused(prover.ask(enrolment_code=one), 403, "access_denied")
    assert cab.run("enrolments", "remove", entry[1]).returncode == 1
    # A key that is removed must be admitted anew.
    two = code(cab)
    assert prover.ask(enrolment_code=two).status == 200
    (line,) = [line for line in cab.run("enrolments", "list").stdout.splitlines() if f"key\t{prover.thumbprint}" in line]
    assert line.split("\t")[3].startswith("code ")
    assert cab.run("enrolments", "remove", "--", prover.thumbprint).returncode == 0
    refused(prover.ask(), 403, "access_denied")
    refused(prover.ask(enrolment_code=two), 403, "access_denied")


@pytest.mark.parametrize("arguments", [["x", "--hours", "0"], ["x", "--hours", "721"], ["a b"], [""]])
def test_codes_with_wrong_words(cab, arguments):
    assert cab.run("enrolments", "add", *arguments).returncode == 64


def test_expired_code(cab):
    """The row's own expiry decides. It is set back in the store."""
    one = code(cab, "late")
    with contextlib.closing(sqlite3.connect(cab.folder / "state/rows/rows.sqlite")) as store:
        store.execute("UPDATE rows SET expiry = 1 WHERE key LIKE 'enrolment/%' AND CAST(value AS TEXT) LIKE '%late%'")
        store.commit()
    refused(Prover(cab).ask(enrolment_code=one), 403, "access_denied")


def test_lists(sandbox, tmp_path):
    with backend(sandbox, tmp_path, "enrolment_codes = true") as server:
        allowed, denied, enrolled, stranger = (Prover(server) for _ in range(4))
        assert enrolled.ask(enrolment_code=code(server)).status == 200
        server.stop()
        lists = f'allow = ["{allowed.thumbprint}", "{denied.thumbprint}"]\n' \
                f'deny = ["{denied.thumbprint}", "{enrolled.thumbprint}"]\naudiences = ["{AUDIENCE}"]\n'
        text = server.config.read_text()
        server.config.write_text(text + lists)
        server.start()
        assert allowed.ask().status == 200
        for prover in denied, enrolled, stranger:
            refused(prover.ask(), 403, "access_denied")
        refused(denied.ask(enrolment_code=code(server)), 403, "access_denied")
        refused(allowed.ask(aud="https://another.example.com"), 400, "invalid_request")
        # A key that is on no list any more is refused.
        server.stop()
        server.config.write_text(text)
        server.start()
        refused(allowed.ask(), 403, "access_denied")


def test_certificates(sandbox, tmp_path):
    lines = [f'certificate_header = "{HEADER}"', 'certificates = ["CN=runner,O=Example"]']
    mine = (HEADER, "CN=runner,O=Example")
    with backend(sandbox, tmp_path, *lines) as server:
        prover = Prover(server)
        assert prover.ask([mine]).status == 200
        # The certificate stands for the machine, so every request needs it.
        for headers in (
                [], [(HEADER, "CN=other")], [(HEADER, "")], [mine, mine], [(HEADER, "CN=other"), mine],
                [(HEADER, "cn=runner,o=example")], [(HEADER, "CN=runner,O=Example,CN=x")],
                [("X-Client_Certificate", mine[1])]):
            refused(prover.ask(headers), 403, "access_denied")


@pytest.mark.parametrize("proxies", [[], ["192.0.2.1"], ["::1"]], ids=str)
def test_forged_certificate(sandbox, tmp_path, proxies):
    """Only what a trusted proxy says counts. The test's own address is none."""
    lines = [f'certificate_header = "{HEADER}"', 'certificates = ["CN=runner"]']
    with backend(sandbox, tmp_path, *lines, trusted_proxies=proxies) as server:
        prover = Prover(server)
        for forwarded in "192.0.2.1", "127.0.0.1", "::1":
            prover.client = forwarded
            refused(prover.ask([(HEADER, "CN=runner"), ("forwarded", "for=192.0.2.1")]), 403, "access_denied")


def is_gone(process):
    """Whether a process has ended. Nobody may have asked for its status yet."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_hook(sandbox, tmp_path):
    facts, script = tmp_path / "facts", tmp_path / "hook"
    script.write_text(f"""#!/bin/sh
cat > {facts}
env > {facts}.env
ls /proc/self/fd > {facts}.fds
echo said
case "$(cat {facts})" in
*'"attestation":"good"'*) exit 0 ;;
*'"attestation":"slow"'*) sleep 600 & echo $! > {facts}.child; wait ;;
*'"attestation":"killed"'*) kill -9 $$ ;;
*) exit 1 ;;
esac
""")
    script.chmod(0o700)
    with backend(sandbox, tmp_path, f'hook = ["{script}", "word"]', 'hook_timeout = "1s"') as server:
        prover = Prover(server)
        for attestation in None, "bad", "killed", "slow":
            refused(prover.ask(attestation=attestation), 403, "access_denied")
        # The command was ended with all that it had started.
        assert is_gone((tmp_path / "facts.child").read_text().strip())
        assert prover.ask(attestation="good").status == 200
        assert json.loads(facts.read_text()) == {
            "version": 1, "thumbprint": prover.thumbprint, "audience": AUDIENCE, "client": "192.0.2.1",
            "attestation": "good"}
        names = {line.split("=")[0] for line in (tmp_path / "facts.env").read_text().splitlines()}
        assert names <= {"PATH", "PWD", "OLDPWD", "SHLVL", "_"}
        # 0 to 2, and the folder that ls reads.
        assert len((tmp_path / "facts.fds").read_text().split()) <= 4
        # The key is enrolled, and the command is not asked again.
        facts.unlink()
        assert prover.ask().status == 200 and not facts.exists()


def test_hook_that_reads_nothing(sandbox, tmp_path):
    with backend(sandbox, tmp_path, 'hook = ["/bin/true"]') as server:
        assert Prover(server).ask(attestation="x" * 8000).status == 200


def test_hook_that_refuses_unread(sandbox, tmp_path):
    with backend(sandbox, tmp_path, 'hook = ["/bin/false"]') as server:
        refused(Prover(server).ask(attestation="x" * 8000), 403, "access_denied")


def test_hook_that_is_missing(sandbox, tmp_path):
    with backend(sandbox, tmp_path, 'hook = ["/nowhere/hook"]') as server:
        refused(Prover(server).ask(attestation="x"), 503, "temporarily_unavailable")
        assert server.says("the hook can't be run")


def test_session_keeps_the_key_of_its_first_assertion(sandbox, tmp_path):
    def kid(prover, **fields):
        answer = prover.ask(**fields)
        assert answer.status == 200, answer.body
        return Assertion(server, answer.json["client_assertion"]).header["kid"]

    with backend(sandbox, tmp_path, "enrolment_codes = true") as server:
        old, new = Prover(server), Prover(server)
        first = kid(old, enrolment_code=code(server))
        second = server.run("keys", "add", "client").stdout.strip()
        server.stop()
        server.start()
        assert kid(old) == first != second == kid(new, enrolment_code=code(server))
        # Old enough for the sessions of this server, but a session of a program needs it.
        path = server.folder / "state/keys/client-keys.json"
        stored = json.loads(path.read_text())
        stored["keys"][1]["added"] = 0
        path.write_text(json.dumps(stored))
        result = server.run("keys", "retire", "client", "--", first)
        assert result.returncode == 1 and "session keys it signs for is 1." in result.stderr
        assert server.run("keys", "retire", "client", "--now", "--", first).returncode == 0
        server.stop()
        server.start()
        for _ in range(2):
            answer = old.ask()
            refused(answer, 503, "temporarily_unavailable")
            assert int(answer.headers["retry-after"]) > 0
        assert kid(new) == second
        assert server.says(old.thumbprint, first)


def test_key_of_the_client_is_no_session_key(cab):
    """Authorization servers refuse one key for both uses."""
    stored = json.loads((cab.folder / "state/keys/client-keys.json").read_text())["keys"][0]["secret"]
    prover = Prover(cab)
    prover.key = ec.derive_private_key(int.from_bytes(decode(json.loads(stored)["d"])), ec.SECP256R1())
    prover.jwk = {name: json.loads(stored)[name] for name in ("crv", "kty", "x", "y")}
    refused(prover.ask(enrolment_code=code(cab)), 400, "invalid_dpop_proof")


def test_limit_of_a_key(sandbox, tmp_path):
    with backend(sandbox, tmp_path, "enrolment_codes = true", "per_key = 3", "per_client = 1000") as server:
        prover = Prover(server)
        prover.ask(enrolment_code=code(server))
        limited = [answer for answer in (prover.ask() for _ in range(20)) if answer.status == 429]
        for answer in limited:
            refused(answer, 429, "rate_limited")
            assert 1 <= int(answer.headers["retry-after"]) <= 60
        # A minute may end between the requests, so that at most two of them count.
        assert len(limited) >= 20 - 2 * 3


def test_limits_of_a_client_and_of_all(sandbox, tmp_path):
    with backend(sandbox, tmp_path, "enrolment_codes = true", "per_client = 2", "total = 12") as server:
        def limited(clients):
            return sum(Prover(server, client=client).send(None).status == 429 for client in clients)

        assert limited(["203.0.113.1"] * 50) >= 50 - 2 * 2
        # One client that asks too often takes nothing from others.
        assert limited(f"203.0.113.{number}" for number in range(2, 8)) == 0
        assert limited(f"203.0.113.{number}" for number in range(8, 48)) >= 40 - 2 * 12


@pytest.mark.parametrize("state, expected", [
    ("40000." + "x" * 43, "http://127.0.0.1:40000/callback?"), ("65536." + "x" * 43, None), ("80." + "x" * 43, None),
    ("40000.x", None), ("x" * 43, None), ("40000@evil.example." + "x" * 43, None),
    ("040000." + "x" * 43, None),
])
def test_page_of_programs(cab, state, expected):
    query = urllib.parse.urlencode({"state": state, "code": 'a"<b>&c', "iss": "https://as.example.com"})
    answer = cab.get(f"/oauth/loopback?{query}&other=x")
    if expected:
        assert answer.status == 303 and answer.location.startswith(expected)
        assert "code=a%22%3Cb%3E%26c" in answer.location and "other" not in answer.location
        assert "\r" not in answer.location
    else:
        assert answer.status == 200 and answer.location is None
        assert "a%22%3Cb%3E%26c" in answer.body and "<b>" not in answer.body
    assert cab.get("/oauth/loopback?code=x").status == 400
    document = cab.get("/oauth-client-metadata.json").json
    assert document["redirect_uris"] == [f"{cab.base}/oauth/callback", f"{cab.base}/oauth/loopback"]


def test_settings_are_listed(cab):
    result = cab.run("check")
    assert result.returncode == 0 and "assertions.enrolment_codes = true\n" in result.stdout
    assert "assertions.keys_idle = 15552000s\n" in result.stdout
    assert "no authorization server checks today" in result.stderr


@pytest.mark.parametrize("lines, words", [
    ([], "no session key can be admitted"), (["enrolment_codes = false"], "no session key can be admitted"),
    (["codes = true"], "assertions.codes is no setting of this version"),
    (['allow = ["x"]'], 'assertions.allow is "x": write the SHA-256 thumbprint'),
    (['deny = ["x"]'], 'assertions.deny is "x"'), (["enrolment_codes = 1"], "is neither true nor false"),
    (['certificates = ["CN=x"]'], "certificate_header must be set together"),
    (['certificate_header = "X-Cert"', "enrolment_codes = true"], "certificate_header must be set together"),
    (['certificate_header = "X-Forwarded-For"', 'certificates = ["x"]'], 'write a field whose name has "cert"'),
    (['certificate_header = "X Cert"', 'certificates = ["x"]'], 'write a field whose name has "cert"'),
    (['certificate_header = "X-Cert"', 'certificates = [""]'], 'assertions.certificates is ""'),
    (['hook = ["attest"]'], 'assertions.hook begins with "attest": write an absolute path'),
    (['hook = ["/bin/true"]', 'hook_timeout = "31s"'], "assertions.hook_timeout is longer than 30s"),
    (["enrolment_codes = true", 'keys_idle = "1d"'], "assertions.keys_idle is shorter than 100d"),
    (["enrolment_codes = true", 'audiences = ["https://as.example.com/"]'], "assertions.audiences is"),
    (["enrolment_codes = true", "per_key = 0"], "assertions.per_key is no number from 1 to 1000000"),
], ids=str)
def test_wrong_settings(own_server, lines, words):
    own_server.config.write_text(own_server.config.read_text() + "\n".join(["[assertions]", *lines, ""]))
    for command in "check", "serve":
        result = own_server.run(command)
        assert result.returncode == 64 and words in result.stderr, result.stderr


def test_public_client_has_no_backend(own_server):
    own_server.config.write_text(
        "confidential = false\n" + own_server.config.read_text() + "[assertions]\nenrolment_codes = true\n")
    result = own_server.run("check")
    assert result.returncode == 64 and "assertions needs confidential = true" in result.stderr


def test_logins_of_apps_go_on(sandbox, cab):
    sandbox.control("POST", "clients", cab.get("/oauth-client-metadata.json").json)
    assert parts.App(cab, IOS).start().status == 200
