"""The guide's command for code that you don't trust, as it is printed, and with hostile code inside."""
import json
import os
import pathlib
import re
import shlex
import subprocess

import pytest

import names
import people

GUIDE = (people.REPOSITORY / "docs/other-programs.md").read_text()
(BLOCK,) = re.findall(r"```sh root\n(.*?)```", GUIDE, re.DOTALL)
CODE = re.compile(r"sh -c '.*?'", re.DOTALL)
CONFINED = pathlib.Path(__file__).with_name("confined.py")


@pytest.fixture
def unlocked(network, home, tmp_path):
    """A home whose vault is open because its key is in the kernel keyring, and a shell's search path to the program."""
    del home.environment["BSKYAUTH_KEY_FILE"]
    passphrase = {"BSKYAUTH_PASSPHRASE": "correct horse"}
    home.succeed("login", names.ALICE, **passphrase)
    home.succeed("vault", "unlock", **passphrase)
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "bskyauth").symlink_to(home.program)
    home.environment["PATH"] = f"{programs}:/usr/bin:/bin"
    yield home
    home.run("vault", "lock")


def run(home, script):
    result = subprocess.run(
        ["/bin/bash", "-euo", "pipefail", "-c", script], cwd=home.environment["HOME"], env=home.environment,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600,
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_as_it_is_printed(network, unlocked):
    assert run(unlocked, BLOCK) == {"did": network.did(names.ALICE), "handle": names.ALICE, "active": True}


def libraries(program):
    """The folders of a program's libraries that are not under /usr."""
    linked = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    folders = {os.path.dirname(os.path.realpath(path)) for path in re.findall(r"=> (/\S+)", linked)}
    return {folder for folder in folders if not folder.startswith("/usr/")}


def code(home, socket, program):
    """The command that runs the hostile code."""
    vault = pathlib.Path(home.environment["BSKYAUTH_HOME"])
    name = "bskyauth:vault:" + json.loads((vault / "vault.json").read_text())["vault"]
    keys = pathlib.Path("/proc/keys").read_text()
    keyring = re.search(rf"^(\S+) .* _uid\.{os.getuid()}:", keys, re.MULTILINE)[1]
    return shlex.join(
        ["/usr/bin/python3", "-I", str(CONFINED), socket, str(vault), program, keyring, name, names.SERVERS]
    )


# covers: B21
def test_hostile_code_has_the_socket_and_nothing_else(unlocked):
    binds = {folder: folder for folder in libraries(unlocked.program)}
    binds |= {unlocked.program: "/tmp/bskyauth", str(CONFINED): str(CONFINED)}
    more = shlex.join([word for bind in binds.items() for word in ("--ro-bind", *bind)])
    inside = CODE.sub(lambda _: f"{more} {code(unlocked, '/tmp/proxy', '/tmp/bskyauth')}", BLOCK)
    assert run(unlocked, inside) == {
        "answer": names.ALICE, "accounts": [], "files": False, "key": 0, "network": False,
        "processes": ["bwrap", "python3"],
        "environment": ["BSKYAUTH_PROXY_HANDLE", "BSKYAUTH_PROXY_SECRET", "LC_CTYPE", "PATH", "PWD"],
    }


def test_without_the_walls_the_same_code_gets_everything(unlocked):
    bwrap = re.compile("bwrap .*?" + CODE.pattern, re.DOTALL)
    outside = bwrap.sub(lambda _: f"$(grep SECRET run/env) {code(unlocked, 'run/alice', unlocked.program)}", BLOCK)
    got = run(unlocked, outside)
    assert got["answer"] == names.ALICE and got["accounts"] == [names.ALICE]
    assert got["files"] and got["network"] and "bskyauth" in got["processes"]
    assert got["key"] > 32
