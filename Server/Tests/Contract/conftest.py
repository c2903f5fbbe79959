import pytest

import parts
import scan


@pytest.fixture(scope="session")
def sandbox():
    sandbox = parts.Sandbox()
    yield sandbox
    sandbox.stop()


@pytest.fixture(scope="session")
def server(sandbox, tmp_path_factory):
    server = parts.Server(tmp_path_factory.mktemp("server"), sandbox, parts.BASE)
    yield server
    server.stop()


@pytest.fixture
def own_server(sandbox, tmp_path):
    """A server of this test alone, which it may stop and start."""
    server = parts.Server(tmp_path, sandbox)
    yield server
    server.stop()


@pytest.fixture
def browser(server):
    return parts.Browser(server)


@pytest.fixture
def app(server):
    return parts.App(server)


@pytest.fixture(autouse=True)
def no_faults(sandbox):
    yield
    sandbox.faults()


@pytest.fixture(scope="session", autouse=True)
def no_answer_has_a_secret():
    """Looks through everything that the servers of this run sent and said."""
    yield
    assert parts.ANSWERS
    for text in parts.ANSWERS + parts.SAID:
        assert not scan.secrets(text), text


@pytest.fixture
def journal(sandbox):
    """The requests that reach the sandbox during a test."""
    sandbox.control("POST", "journal/reset")
    return sandbox.journal
