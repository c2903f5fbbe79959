"""The server as a service of systemd: its unit, the message that it is ready, the vault key as a credential, and its manual."""
import json
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import tempfile

import pytest

import parts
from parts import ROOT, SERVER

UNIT = ROOT / "packaging/systemd/bskyauth-server.service"
#: A user that owns nothing.
SOMEBODY, SOMEBODY_ELSE = 61234, 61235


def test_systemd_takes_the_unit(tmp_path):
    unit = tmp_path / UNIT.name
    # The program is not where the package puts it.
    unit.write_text(UNIT.read_text().replace("/usr/bin/bskyauth-server", str(SERVER)))
    result = subprocess.run(["systemd-analyze", "--man=no", "verify", unit], capture_output=True, text=True)
    assert result.returncode == 0 and result.stderr == ""
    security = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=15", unit], capture_output=True, text=True)
    assert security.returncode == 0, security.stdout


@pytest.mark.parametrize("is_abstract", [False, True])
def test_says_when_it_is_ready(sandbox, tmp_path, monkeypatch, is_abstract):
    name = "@" + tmp_path.name if is_abstract else str(tmp_path / "notify")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listener.bind(name.replace("@", "\0", 1))
    listener.settimeout(60)
    monkeypatch.setenv("NOTIFY_SOCKET", name)
    server = parts.Server(tmp_path, sandbox)
    try:
        assert listener.recv(100) == b"READY=1"
        assert not any("NOTIFY_SOCKET" in line for line in server.said)
    finally:
        server.stop()


def access_list(*readers):
    """The attribute of a file of mode 0400 that these users may read, as systemd sets it."""
    entries = [(1, 4, -1), *((2, 4, reader) for reader in sorted(readers)), (4, 0, -1), (16, 4, -1), (32, 0, -1)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)


@pytest.fixture
def service():
    """Starts the server as another user, with a credential of root's."""
    if os.geteuid() != 0:
        pytest.skip("it needs root")
    folder = pathlib.Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o755)
    state, key = folder / "state", folder / "vault.key"
    state.mkdir(0o700)
    os.chown(state, SOMEBODY, SOMEBODY)
    # The folder of the build may be closed to other users.
    program = shutil.copy(SERVER, folder)
    (folder / "config.toml").write_text(
        f'base_url = "{parts.BASE}"\napp_name = "x"\nlisten = "127.0.0.1:0"\nstate = "{state}"\n')

    def run(mode, readers, owner=0):
        key.write_bytes(bytes(32))
        key.chmod(mode)
        os.chown(key, owner, owner)
        if readers:
            os.setxattr(key, "system.posix_acl_access", access_list(*readers))
        server = subprocess.Popen(
            [program, "serve", "--config", folder / "config.toml"], user=SOMEBODY, group=SOMEBODY, extra_groups=[],
            env={**os.environ, "CREDENTIALS_DIRECTORY": str(folder)}, stderr=subprocess.PIPE, text=True)
        said = ""
        for line in server.stderr:
            said += line
            if "listening at" in line:
                server.terminate()
        key.unlink()
        return server.wait(), said

    yield run
    shutil.rmtree(folder)


def test_takes_a_credential_that_it_alone_may_read(service):
    # With an access control list, and without one as on ramfs.
    for mode, readers, owner in [(0o400, [SOMEBODY], 0), (0o400, [], SOMEBODY)]:
        status, said = service(mode, readers, owner)
        assert status == 0 and "listening at" in said, said


def test_refuses_a_credential_that_others_may_read(service):
    for mode, readers, owner in [
        (0o400, [SOMEBODY, SOMEBODY_ELSE], 0), (0o400, [SOMEBODY], SOMEBODY_ELSE), (0o444, [], 0), (0o440, [], SOMEBODY),
    ]:
        status, said = service(mode, readers, owner)
        assert status == 1 and "listening at" not in said, (mode, readers, said)
        assert any(words in said for words in ("another user", "others could read", "others can read or replace")), said


def test_example_of_the_settings(tmp_path):
    """`scripts/dev/package-deb` makes the example from the first block of settings."""
    config = tmp_path / "config.toml"
    config.write_text(re.search(r"(?ms)^```toml\n(.*?)^```$", (ROOT / "Server/README.md").read_text())[1])
    checked = subprocess.run([SERVER, "check", "--config", config], capture_output=True, text=True)
    assert checked.returncode == 0 and checked.stderr == ""
    # The unit gives the vault key, and makes the folder.
    assert "vault_key_file" not in config.read_text()
    assert "state = /var/lib/bskyauth-server\n" in checked.stdout


def test_manual_has_every_command_and_option():
    manual = (ROOT / "man/bskyauth-server.8").read_text()
    dump = subprocess.run([SERVER, "--experimental-dump-help"], capture_output=True, text=True, check=True)

    def look(command, path):
        children = [child for child in command.get("subcommands", []) if child["commandName"] != "help"]
        for child in children:
            look(child, [*path, child["commandName"]])
        if not children:
            assert re.search(rf"^\.It Cm {' '.join(path)}\b", manual, re.MULTILINE), path
        for argument in command.get("arguments", []):
            for name in argument.get("names") or []:
                if name["kind"] == "long" and name["name"] not in ("help", "version"):
                    assert f".It Fl -{name['name']}" in manual, name

    look(json.loads(dump.stdout)["command"], [])
