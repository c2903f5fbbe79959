"""The parts of a warm call: by stage, by system call, and by shared object."""
import re
import shutil
from collections import Counter

from measuring import in_turns
from network import Home, Network, run
from report import TIME, Table, amount
from rows_call import QUERY


def stages(bench):
    """Commands of which each does a little more than the one before."""
    with Network(bench.sandbox) as network:
        home, url = warm(bench, "stages", network)
        commands = {
            "`--version`: start": ["--version"],
            "`accounts current`: and open the vault, read an account": ["accounts", "current"],
            "`token --dpop`: and sign a proof": ["token", "--dpop", "GET", url],
            "`call`: and start libcurl, send, read the answer": ["call", QUERY],
        }
        series = in_turns(
            bench.runs(60),
            *[lambda command=command: bench.measure(home, *home.command(*command))
              for command in commands.values()],
            lambda: bench.measure(home, "curl", "--version"),
            lambda: bench.measure(home, "curl", "-sSf", "-H", home.headers("GET", url), url))
        names = [*commands, "`curl --version`", "`curl` with ready-made headers"]
        yield Table(
            "The stages of a warm call, http", ["command", "wall", "CPU"],
            [[name, amount(each.median("wall"), TIME), amount(each.median("cpu"), TIME)]
             for name, each in zip(names, series)])


def syscalls(bench):
    """The system calls of a warm call and of curl, counted by strace."""
    if not shutil.which("strace"):
        return
    with Network(bench.sandbox) as network:
        home, url = warm(bench, "syscalls", network)
        ours = counts(home, home.command("call", QUERY))
        theirs = counts(home, ["curl", "-sSf", "-H", home.headers("GET", url), url])
        both = Counter(ours) | Counter(theirs)
        rows = [["all", sum(ours.values()), sum(theirs.values())]]
        rows += [[f"`{name}`", ours[name], theirs[name]] for name, _ in both.most_common(14)]
        yield Table("System calls of a warm call, http (`strace -c -f`)", ["call", "bskyauth", "curl"], rows)


def counts(home, command):
    file = home.directory / "strace"
    run(["strace", "-f", "-qq", "-c", "-o", file, *command], home.environment)
    # % time, seconds, usecs/call, calls, errors or nothing, name.
    found = re.findall(r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)$", file.read_text(), re.MULTILINE)
    return Counter({name: int(calls) for calls, name in found if name != "total"})


def allocations(bench):
    """Heap allocations, counted by valgrind."""
    if not shutil.which("valgrind"):
        return
    with Network(bench.sandbox) as network:
        home, url = warm(bench, "allocations", network)
        program = bench.program
        commands = {
            "`--version`": [program, "--version"],
            "`accounts`": [program, "accounts"],
            "`switch`": [program, "switch", "alice.test"],
            "`call`": [program, "call", QUERY],
            "`curl --version`": ["curl", "--version"],
            "`curl` with ready-made headers": ["curl", "-sSf", "-H", home.headers("GET", url), url],
        }
        yield Table(
            "Allocations, http (`valgrind --leak-check=no`)", ["command", "allocations", "bytes", "freed"],
            [[name, *heap(home, command)] for name, command in commands.items()])


def heap(home, command):
    file = home.directory / "valgrind"
    run(["valgrind", "--leak-check=no", f"--log-file={file}", *command], home.environment)
    allocated, freed, size = re.search(r"([\d,]+) allocs, ([\d,]+) frees, ([\d,]+) bytes", file.read_text()).groups()
    return allocated, size, freed


def profile(bench):
    """CPU time of warm calls by shared object, sampled by perf."""
    if not shutil.which("perf"):
        return
    with Network(bench.sandbox) as network:
        home, url = warm(bench, "profile", network)
        times = bench.runs(100)
        ours = shares(home, [" ".join(home.command("call", QUERY))] * times)
        theirs = shares(home, [
            f"curl -sSf -H {home.headers('GET', url, f'headers-{number}')} {url}" for number in range(times)])
        objects = sorted({*ours, *theirs}, key=lambda name: -max(ours.get(name, 0), theirs.get(name, 0)))
        rows = [
            [f"`{name}`", f"{ours.get(name, 0):.1f} %", f"{theirs.get(name, 0):.1f} %"]
            for name in objects if max(ours.get(name, 0), theirs.get(name, 0)) >= 1]
        yield Table(
            f"CPU of {times} warm calls, http, by shared object (`perf record`)",
            ["object", "bskyauth", "curl"], rows)


def shares(home, lines):
    """The percentage of samples in each shared object, without the shell that runs the lines."""
    script, data = home.directory / "script", home.directory / "perf.data"
    script.write_text("".join(f"{line} >/dev/null 2>&1 || exit 1\n" for line in lines))
    run(["perf", "record", "-q", "-F", "15000", "-o", data, "sh", script], home.environment)
    text = run(["perf", "report", "-i", data, "--stdio", "--sort", "comm,dso"], home.environment).decode()
    # A command is a thread's name, which may have spaces.
    lines = re.findall(r"^\s+([\d.]+)%\s+(\S.*?)\s{2,}(\S+)\s*$", text, re.MULTILINE)
    found = Counter()
    for share, command, name in lines:
        if command not in ["sh", "perf"]:
            found[name] += float(share)
    total = sum(found.values())
    return {name: 100 * share / total for name, share in found.items()}


def warm(bench, name, network):
    home = Home(bench.program, bench.room / name, network)
    home.log_in("alice.test")
    home.run("call", QUERY)
    return home, f"{network.address}/xrpc/{QUERY}"
