"""Many accounts: single commands in a vault of ten thousand, and a refresh of a thousand."""
import shutil
from concurrent.futures import ThreadPoolExecutor

from measuring import in_turns
from network import Home, Network, run
from report import COUNT, TIME, Budget, Line, compared
from rows_call import QUERY


def crowd(bench):
    """The same commands in a vault of two accounts and in one with ten thousand more, both in memory."""
    with Network(bench.sandbox) as network:
        small = Home(bench.program, bench.memory / "few", network)
        large = Home(bench.program, bench.memory / "many", network)
        for home in [small, large]:
            home.log_in("alice.test", "bob.test")
            home.run("switch", "bob.test")
        run([
            bench.programs / "bskyauth-vault-seeder", large.environment["BSKYAUTH_HOME"],
            large.environment["BSKYAUTH_KEY_FILE"], network.address, str(bench.options.crowd)], large.environment)
        commands = {
            "call -a NAME": ["call", "-a", "alice.test", QUERY],
            "accounts current": ["accounts", "current"],
            "switch": ["switch", "-"],
            "refresh --force": ["refresh", "--force"],
        }
        for name, command in commands.items():
            many, few = in_turns(
                bench.runs(40),
                lambda: bench.measure(large, *large.command(*command)),
                lambda: bench.measure(small, *small.command(*command)))
            work = f"{name} among {bench.options.crowd + 2} accounts"
            for what in ["wall", "cpu", "peak"]:
                yield compared(work, what, many, few, "2 accounts", Budget.at_most(1.1))
        yield from listing(bench, large)


def listing(bench, home):
    """The list of all accounts."""
    command = home.command("accounts")
    shown, _ = in_turns(
        bench.runs(20), lambda: bench.measure(home, *command), lambda: bench.measure(home, "curl", "--version"))
    work = f"accounts, {bench.options.crowd + 2} of them"
    yield Line(work, "wall", TIME, shown.median("wall"), budget=Budget.below(0.5, TIME))
    yield Line(work, "cpu", TIME, shown.median("cpu"))


def refresh(bench):
    """Replaces the tokens of every account durably, 16 at a time; compared with one bare request each."""
    count = bench.options.accounts
    handles = [f"user{number}.test" for number in range(count)]
    with Network(bench.sandbox, accounts=[]) as network:
        for handle in handles:
            network.steer("accounts", {"handle": handle})
        home = Home(bench.program, bench.room / "refresh", network)
        # The first login creates the vault.
        home.log_in(handles[0])
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(home.log_in, handles[1:]))
        loop = home.directory / "loop.sh"
        loop.write_text(f"curl -sSf {network.address}/xrpc/com.atproto.server.describeServer\n" * count)
        command = home.command("refresh", "--all", "--jobs", "16", "--force")
        asked = network.requests_of(lambda: home.run(*command[1:]))
        yield Line(f"refresh of {count} accounts", "requests", COUNT, len(asked), budget=Budget.exactly(count))
        work = f"refresh of {count} accounts"
        yield from beside_loop(bench, work, home, command, loop, Budget.at_most(0.19))
        # The same vault in memory shows the share of the disk.
        in_memory = Home(bench.program, bench.memory / "refresh", network)
        for name in ["vault", "cache"]:
            shutil.copytree(home.directory / name, in_memory.directory / name)
        shutil.copy2(home.directory / "key", in_memory.directory)
        yield from beside_loop(bench, f"{work}, vault in memory", in_memory, command, loop)


def beside_loop(bench, work, home, command, loop, budget=None):
    ours, reference = in_turns(
        3, lambda: bench.measure(home, *command), lambda: bench.measure(home, "sh", loop))
    yield compared(work, "wall", ours, reference, "a curl loop", budget)
    yield compared(work, "cpu", ours, reference, "a curl loop")
    yield compared(work, "peak", ours, reference, "one curl")
