"""Writes the functions that commands run, for the linker to put together: run by scripts/order.

What a call runs comes first, from what it shares with most commands to what it alone runs; then what the others run
beside it.
"""
import re
import shutil
import sys
import tempfile
from pathlib import Path

from network import Authority, Home, Network, run
from rows_call import QUERY

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = ROOT / ".build-bench/release/bskyauth"
SANDBOX = ROOT / "Sandbox/.build-bench/release/bskyauth-sandbox"
CALL = ["call", QUERY]
# From what most commands do to what few do.
COMMANDS = [
    ["--version"],
    ["switch", "-"],
    ["accounts"],
    ["accounts", "current"],
    ["token", "--dpop", "GET", "{network}/xrpc/" + QUERY],
    ["refresh", "--force"],
]


def main():
    room = Path(tempfile.mkdtemp(prefix="bskyauth-order-"))
    try:
        program = room / "bskyauth"
        run(["strip", "--strip-debug", "-o", program, PROGRAM])  # callgrind takes minutes to read the rest
        with Network(SANDBOX) as network:
            home = Home(program, room / "http", network)
            home.log_in("alice.test", "bob.test")
            home.run("switch", "bob.test")
            call = functions_run(home, *CALL)
            others = [
                functions_run(home, *[word.format(network=network.address) for word in command])
                for command in COMMANDS]
        authority = Authority(room)
        with Network(SANDBOX, *authority.options) as network:
            home = Home(program, room / "tls", network, namespace=authority.namespace)
            home.log_in("alice.test")
            others.append(functions_run(home, *CALL))
        ordered = sorted(call, key=lambda name: -sum(name in other for other in others))
        beside = [name for other in others for name in other]
        Path(sys.argv[1]).write_text("".join(f"{name}\n" for name in dict.fromkeys(ordered + beside)))
    finally:
        shutil.rmtree(room)


def functions_run(home, *arguments):
    """The mangled names of what of the program ran in a command, as the keys of a dictionary, which has an order.

    The command has run before, so that it has what it keeps. Code without a name has its address there, or words in
    parentheses.
    """
    home.run(*arguments)
    profile = home.directory / "callgrind"
    run([
        *home.namespace, "valgrind", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={profile}",
        *home.command(*arguments)], home.environment)
    objects, names, found = {}, {}, {}
    current = None
    # A name is written once, with a number that stands for it from then on. c… is what is called from here.
    for callee, kind, number, name in re.findall(r"^(c?)(ob|fn)=\((\d+)\)(?: (.*))?$", profile.read_text(), re.M):
        known = objects if kind == "ob" else names
        if name:
            known[number] = name
        if callee:
            continue
        if kind == "ob":
            current = objects[number]
        elif current == home.program and re.match(r"[A-Za-z_$]", names[number]):
            found[names[number].partition("'")[0]] = None  # of a recursion 'N says how deep
    return found


main()
