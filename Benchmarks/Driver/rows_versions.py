"""The program compared with an earlier one: the same commands, in homes of their own, in turns."""
import re
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

from measuring import CommandFailed, in_turns
from network import Home, Network, run
from report import BYTES, COUNT, Budget, Line, compared
from rows_bodies import PAGES, fill
from rows_call import QUERY
from rows_requests import REFUSED_ONCE

# How much slower a command may be, and how many more requests a login may send to the store of a shared vault.
SLOWER, LOGIN_REQUESTS = 1.02, 2


def versions(bench):
    if bench.earlier is None:
        return
    sizes = [program.stat().st_size for program in (bench.program, bench.earlier)]
    yield Line("the program", "size", BYTES, *sizes, "earlier", Budget.at_most(1.01))
    with Network(bench.sandbox) as network:
        homes = homes_at(bench, "single", network)
        for home in homes:
            home.log_in("alice.test")
        for command in [("call", QUERY), ("refresh", "--force")]:
            yield from both(bench, homes, " ".join(command), command, 200)
            counts = [len(network.requests_of(lambda home=home: home.run(*command))) for home in homes]
            yield Line(" ".join(command), "requests", COUNT, *counts, "earlier", Budget.at_most(1))
        yield from both(
            bench, homes, "call refused once", ("call", QUERY), 60,
            prepare=lambda home: network.steer("faults", [REFUSED_ONCE]))
        fill(homes[0])
        pages = ("call", "com.atproto.repo.listRecords", "repo=alice.test", "collection=app.bsky.feed.post", "limit=2",
                 "--paginate")
        yield from both(bench, homes, f"{PAGES} pages", pages, 10)
    yield from listing(bench)
    if shutil.which("etcd"):
        yield from shared_login(bench)


def homes_at(bench, name, network):
    """A home for each program."""
    return [
        Home(program, bench.memory / f"versions-{name}-{index}", network)
        for index, program in enumerate([bench.program, bench.earlier])
    ]


def both(bench, homes, work, command, runs, prepare=lambda home: None):
    """A command of both programs. What is prepared before each run is not measured."""
    def run_once(home):
        prepare(home)
        return bench.measure(home, *home.command(*command))

    ours, earlier = in_turns(bench.runs(runs), *[lambda home=home: run_once(home) for home in homes])
    for what in ["wall", "cpu", "peak"]:
        yield compared(work, what, ours, earlier, "earlier", Budget.at_most(SLOWER))


def listing(bench):
    """The list of a large vault."""
    with Network(bench.sandbox) as network:
        homes = homes_at(bench, "many", network)
        for home in homes:
            home.log_in("alice.test")
            run([
                bench.programs / "bskyauth-vault-seeder", home.environment["BSKYAUTH_HOME"],
                home.environment["BSKYAUTH_KEY_FILE"], network.address, str(bench.options.crowd)], home.environment)
        yield from both(bench, homes, f"accounts, {bench.options.crowd + 1} of them", ("accounts",), 20)


def shared_login(bench):
    """The requests that the store of a shared vault gets during a login, from the metrics of etcd."""
    with Network(bench.sandbox) as network, Etcd(bench.memory / "versions-etcd") as etcd:
        counts = []
        for index, home in enumerate(homes_at(bench, "shared", network)):
            home.log_in("alice.test")
            home.run("vault", "share", "--to", f"etcd+http://{etcd.address}/{index}", "--machine-name", "one")
            before = etcd.requests()
            home.log_in("bob.test")
            counts.append(etcd.requests() - before)
            if counts[-1] == 0:
                raise CommandFailed("etcd counts no requests under the name that this row reads")
        budget = Budget(f"+{LOGIN_REQUESTS}", lambda ours, ratio: ours <= counts[1] + LOGIN_REQUESTS)
        yield Line("login in a shared vault", "requests to the store", COUNT, *counts, "earlier", budget)


class Etcd:
    """One node, which ends with the block."""

    def __init__(self, folder):
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            second.bind(("127.0.0.1", 0))
            self.address, peer = (f"127.0.0.1:{found.getsockname()[1]}" for found in (first, second))
        self.command = [
            "etcd", "--data-dir", folder, "--listen-client-urls", f"http://{self.address}",
            "--advertise-client-urls", f"http://{self.address}", "--listen-peer-urls", f"http://{peer}",
            "--initial-advertise-peer-urls", f"http://{peer}", "--initial-cluster", f"default=http://{peer}"]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while self.process.poll() is None:
            try:
                urllib.request.urlopen(f"http://{self.address}/health").close()
                return self
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        raise CommandFailed("etcd did not start")

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def requests(self):
        """The requests of clients that were answered, without the watches."""
        with urllib.request.urlopen(f"http://{self.address}/metrics") as answer:
            text = answer.read().decode()
        counted = r'^grpc_server_handled_total\{[^}]*grpc_service="etcdserverpb\.KV"[^}]*\} ([0-9.e+]+)$'
        return int(sum(float(count) for count in re.findall(counted, text, re.MULTILINE)))
