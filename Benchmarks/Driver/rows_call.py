"""The warm call and what starts without a server, beside curl."""
from measuring import in_turns
from network import Authority, Home, Network
from report import COUNT, Line, Reach, compared

QUERY = "com.atproto.server.getSession"


def call(bench):
    """A warm call over plain http and over TLS."""
    with Network(bench.sandbox) as network:
        home = Home(bench.program, bench.room / "call", network)
        home.log_in("alice.test")
        yield from warm_call(bench, home, network, "warm call, http")
        requests = network.requests_of(lambda: home.run("call", QUERY))
        yield Line("warm call, http", "requests", COUNT, len(requests), reach=Reach.exactly(1))


def tls(bench):
    """The same over TLS, with the sandbox's authority among the machine's certificates."""
    authority = Authority(bench.room)
    with Network(bench.sandbox, *authority.options) as network:
        home = Home(bench.program, bench.room / "tls", network, namespace=authority.namespace)
        home.log_in("alice.test")
        yield from warm_call(bench, home, network, "warm call, TLS")


def warm_call(bench, home, network, work):
    url = f"{network.address}/xrpc/{QUERY}"
    ours, reference = in_turns(
        bench.runs(100),
        lambda: bench.measure(home, *home.command("call", QUERY)),
        lambda: bench.measure(home, "curl", "-sSf", "-H", home.headers("GET", url), url))
    for what, times in [("wall", 1.25), ("cpu", 1.5), ("peak", 1.5)]:
        yield compared(work, what, ours, reference, "curl", Reach.at_most(times))


def startup(bench):
    """What starts and asks no server: `--version`, `accounts`, `switch`."""
    with Network(bench.sandbox) as network:
        home = Home(bench.program, bench.room / "startup", network)
        in_memory = Home(bench.program, bench.memory / "startup", network)
        for each in [home, in_memory]:
            each.log_in("alice.test", "bob.test")
            each.run("switch", "bob.test")
        runs = {
            "--version": [home, "--version"],
            "accounts": [home, "accounts"],
            "switch, vault in memory": [in_memory, "switch", "-"],
            "switch, vault on disk": [home, "switch", "-"],
        }
        floor, files = bench.measuring / "floor", bench.memory / "floor"
        files.mkdir()
        for name in ["vault.json", "key", "active", "profile"]:
            (files / name).write_bytes(bytes(200))
        *ours, reference, loaded, sealed, switched = in_turns(
            bench.runs(60),
            *[lambda run=run: bench.measure(run[0], *run[0].command(*run[1:])) for run in runs.values()],
            lambda: bench.measure(home, "curl", "--version"),
            lambda: bench.measure(home, floor),
            lambda: bench.measure(home, floor, "crypto"),
            lambda: bench.measure(home, floor, "switch", files))
        for work, series in zip(runs, ours):
            yield compared(work, "wall", series, reference, "curl --version", Reach.at_most(1.1))
            yield compared(work, "cpu", series, reference, "curl --version")
            yield compared(work, "peak", series, reference, "curl --version")
        version, switch = ours[0], ours[2]
        yield compared("switch, vault in memory", "wall", switch, version, "--version", Reach.at_most(1.2))
        # The same in a C program that does nothing else: what of it is loading the libraries.
        yield compared("in C: libraries loaded", "wall", loaded, version, "--version")
        yield compared("in C: and one HMAC, one AES-GCM", "wall", sealed, loaded, "libraries loaded")
        yield compared("in C: and the files of a switch", "wall", switched, loaded, "libraries loaded")
