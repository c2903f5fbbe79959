"""The warm call, and commands that ask no server, compared with curl."""
from measuring import in_turns
from network import SYSTEM_CERTIFICATES, Authority, Home, Network
from report import COUNT, TIME, Budget, Line, compared

QUERY = "com.atproto.server.getSession"


def call(bench):
    """A warm call over plain http, and one with an option."""
    with Network(bench.sandbox) as network:
        home = Home(bench.program, bench.room / "call", network)
        home.log_in("alice.test")
        yield from warm_call(bench, home, network, "warm call, http", 1.5)
        yield from warm_call(bench, home, network, "warm call with -i, http", 1.6, "-i")
        requests = network.requests_of(lambda: home.run("call", QUERY))
        yield Line("warm call, http", "requests", COUNT, len(requests), budget=Budget.exactly(1))


def tls(bench):
    """A warm call over TLS. The sandbox's authority is among the certificates of the machine."""
    authority = Authority(bench.room)
    with Network(bench.sandbox, *authority.options) as network:
        for work, variables in {
            "warm call, TLS": {},
            "warm call, TLS, SSL_CERT_DIR": {"SSL_CERT_DIR": SYSTEM_CERTIFICATES},
        }.items():
            directory = bench.room / f"tls-{len(variables)}"
            home = Home(bench.program, directory, network, namespace=authority.namespace, **variables)
            home.log_in("alice.test")
            yield from warm_call(bench, home, network, work, 0.7)


def warm_call(bench, home, network, work, times, *options):
    url = f"{network.address}/xrpc/{QUERY}"
    ours, reference = in_turns(
        bench.runs(100),
        lambda: bench.measure(home, *home.command("call", QUERY, *options)),
        lambda: bench.measure(home, "curl", "-sSf", *options, "-H", home.headers("GET", url), url))
    yield compared(work, "wall", ours, reference, "curl", Budget.at_most(times))
    yield compared(work, "cpu", ours, reference, "curl")
    yield compared(work, "peak", ours, reference, "curl", Budget.at_most(2))


def keeper(bench):
    """A refresh in a process of its own, the keeper, compared with one in the process of the command."""
    (bench.room / "keeper").mkdir()
    authority = Authority(bench.room / "keeper")
    for work, options, namespace, limit in [
        ("refresh --force, http", (), (), 0.010), ("refresh --force, TLS", authority.options, authority.namespace, 0.020),
    ]:
        with Network(bench.sandbox, *options) as network:
            homes = []
            for variables in [{}, {"BSKYAUTH_NO_KEEPER": "1"}]:
                directory = bench.room / f"keeper-{len(options)}-{len(variables)}"
                homes.append(Home(bench.program, directory, network, namespace=namespace, **variables))
                homes[-1].log_in("alice.test")
            ours, reference = in_turns(
                bench.runs(60), *[lambda home=home: bench.measure(home, *home.command("refresh", "--force")) for home in homes])
            yield compared(work, "wall", ours, reference, "no keeper")
            yield Line(
                work, "wall: the keeper's part", TIME, ours.median("wall") - reference.median("wall"),
                budget=Budget.below(limit, TIME))


def startup(bench):
    """Commands that ask no server: `--version`, `accounts`, `switch`."""
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
            times = 1.0 if work == "--version" else 1.2
            yield compared(work, "wall", series, reference, "curl --version", Budget.at_most(times))
            yield compared(work, "cpu", series, reference, "curl --version")
            yield compared(work, "peak", series, reference, "curl --version")
        # A C program that does nothing else shows how much of a command is loading libraries and starting OpenSSL.
        yield compared("C program: load the libraries", "wall", loaded, ours[0], "--version")
        yield compared("C program: and one HMAC, one AES-GCM", "wall", sealed, loaded, "libraries alone")
        yield compared("C program: and the files of a switch", "wall", switched, loaded, "libraries alone")
