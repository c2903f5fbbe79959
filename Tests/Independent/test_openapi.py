"""The server's own OpenAPI document: schemathesis makes requests from it, and compares the answers with it."""
import copy
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import people

sys.path.append(str(people.REPOSITORY / "Server/Tests/Contract"))
import parts  # noqa: E402

HERE = Path(__file__).parent
FILE = people.REPOSITORY / "Server/Sources/BskyAuthServer/openapi.json"
DOCUMENT = json.loads(FILE.read_text())
OPERATIONS = [f"{method.upper()} {path}" for path, methods in DOCUMENT["paths"].items() for method in methods]
#: The document's examples. The account and the app in them exist in these tests.
START = DOCUMENT["components"]["requestBodies"]["Start"]["content"]["application/json"]["example"]
TOKENS = DOCUMENT["paths"]["/api/auth/tokens"]["post"]["requestBody"]["content"]["application/json"]["example"]


class ExampleServer(parts.Server):
    def toml(self, **changes):
        return super().toml(**changes).replace(parts.IOS, START["redirect"])


@pytest.fixture
def server(tmp_path):
    sandbox = parts.Sandbox("--account", START["handle"])
    server = ExampleServer(tmp_path, sandbox)
    yield server
    server.stop()
    sandbox.stop()


def schemathesis(server, document, *options, authenticated=True):
    """Runs schemathesis with every check. Gives the result, and the answers as `METHOD path status`."""
    folder = server.folder / "schemathesis"
    folder.mkdir()
    facts = {
        "port": server.port, "dids": server.sandbox.dids, "authenticated": authenticated,
        "answers": str(folder / "answers")}
    result = subprocess.run(
        [Path(sys.executable).with_name("schemathesis"), "--config-file", HERE / "openapi.toml", "run", document,
         "--url", f"http://127.0.0.1:{server.port}", "--checks", "all", "--no-color", *options],
        env=os.environ | {
            "BSKYAUTH_TEST_FACTS": json.dumps(facts), "SCHEMATHESIS_HOOKS": "openapi_hooks", "PYTHONPATH": str(HERE)},
        cwd=folder, capture_output=True, text=True)
    return result, set((folder / "answers").read_text().splitlines())


def test_server_is_as_its_document_says(server):
    assert server.get("/openapi.json").json == DOCUMENT
    result, answers = schemathesis(server, FILE)
    assert result.returncode == 0, result.stdout + result.stderr
    # What was only refused was hardly tested.
    assert {f"{operation} 200" for operation in OPERATIONS} <= answers


def test_server_is_as_its_document_says_without_a_session(server):
    result, answers = schemathesis(server, FILE, authenticated=False)
    assert result.returncode == 0, result.stdout + result.stderr
    for operation in OPERATIONS:
        method, path = operation.split()
        if "security" not in DOCUMENT["paths"][path][method.lower()]:
            assert f"{operation} 401" in answers and f"{operation} 200" not in answers


@pytest.mark.parametrize("path, change, words", [
    ("/health", lambda answers: {"201": answers["200"]}, "Undocumented status code"),
    ("/api/auth/session", lambda answers: answers | {"401": answers["409"]}, "Response violates schema"),
])
def test_wrong_document_is_noticed(server, tmp_path, path, change, words):
    document = copy.deepcopy(DOCUMENT)
    operation = document["paths"][path]["get"]
    operation["responses"] = change(operation["responses"])
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(document))
    result, _ = schemathesis(server, file, "--include-path", path, "--phases", "coverage")
    assert result.returncode == 1 and words in result.stdout, result.stdout + result.stderr
