"""`bskyauth proxy` beside curl and nginx: single requests, a crowd of them, and large bodies.

Single requests and crowds call a public method, for which the sandbox checks no proof, so that curl and nginx can call
it too. The proxy signs each of them all the same. curl sends large bodies with headers that were made before.
"""
import json
import re
import statistics
import subprocess
from pathlib import Path

from load import QUERY, Nginx, cpu_of, loaded
from measuring import CommandFailed, Sample, in_turns
from network import Authority, Home, Network, run
from report import BYTES, RATE, TIME, Budget, Line, compared
from rows_bodies import LARGEST, write_blob

CONNECTIONS = 32
READERS = 20


class Proxy:
    """A running `bskyauth proxy` of a home, which ends with the block."""

    def __init__(self, home):
        self.home = home
        self.headers = home.directory / "secret"

    def __enter__(self):
        command = self.home.namespace + self.home.command("proxy", "--json")
        self.process = subprocess.Popen(
            command, env=self.home.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        announced = json.loads(self.process.stdout.readline())
        self.address, secret = announced["url"], announced["accounts"][0]["secret"]
        self.headers.write_text(f"Authorization: Bearer {secret}\n")
        # A script, because the arguments of a program are no place for a secret.
        self.script = self.home.directory / "secret.lua"
        self.script.write_text(f'wrk.headers["Authorization"] = "Bearer {secret}"\n')
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    @property
    def cpu(self):
        return cpu_of(self.process.pid)

    @property
    def peak(self):
        """The largest resident memory so far, in bytes."""
        return int(re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{self.process.pid}/status").read_text())[1]) * 1024


def proxy(bench):
    """Single requests, 32 connections, and bodies of 100 MB."""
    with Network(bench.sandbox) as network:
        home = Home(bench.program, bench.room / "proxy", network)
        home.log_in("alice.test")
        with Proxy(home) as proxy:
            yield from single(bench, network, proxy)
            yield from crowd(bench, network, proxy)
        yield from bodies(bench, network, home, "http", 2)
    (bench.room / "proxy-authority").mkdir()
    authority = Authority(bench.room / "proxy-authority")
    with Network(bench.sandbox, *authority.options) as network:
        home = Home(bench.program, bench.room / "proxy-tls", network, namespace=authority.namespace)
        home.log_in("alice.test")
        yield from bodies(bench, network, home, "TLS", 1.3)


def single(bench, network, proxy):
    """One request after the other on one connection, each timed by curl."""
    def timed(address, *options):
        url = f"{address}/xrpc/{QUERY}?n=[1-{bench.runs(300)}]"
        out = run(["curl", "-sSf", "-o", "/dev/null", "-w", "%{time_total}\n", *options, url]).split()
        return Sample(statistics.median(map(float, out)), 0, 0)

    ours, reference = in_turns(
        bench.runs(20), lambda: timed(proxy.address, "-H", f"@{proxy.headers}"), lambda: timed(network.address))
    yield compared("GET through the proxy", "wall", ours, reference, "curl directly", Budget.at_most(2))


def crowd(bench, network, proxy):
    """As many requests as 32 connections can carry, through the proxy and through nginx."""
    with Nginx(bench.room / "nginx", network, CONNECTIONS) as nginx:
        rates, costs = ([], []), ([], [])
        for _ in range(max(1, bench.runs(60) // 10)):
            for index, (server, options) in enumerate([(proxy, ["-s", proxy.script]), (nginx, [])]):
                load = loaded(server, bench.runs(50) / 10, CONNECTIONS, *options)
                rates[index].append(load.rate)
                costs[index].append(load.cost)
        ours, theirs = map(statistics.median, rates)
        yield Line(f"GETs on {CONNECTIONS} connections", "rate", RATE, ours, theirs, "nginx", Budget.at_least(0.4))
        ours, theirs = map(statistics.median, costs)
        yield Line(
            f"GETs on {CONNECTIONS} connections", "CPU of each", TIME, ours, theirs, "nginx", Budget.below(0.000_25, TIME))


def bodies(bench, network, home, scheme, times):
    """A blob of 100 MB to the server and back, by curl with and without the proxy."""
    blob, copies = home.directory / "blob", [home.directory / "ours", home.directory / "theirs"]
    write_blob(blob)
    upload, download = [f"/xrpc/com.atproto.{name}" for name in ["repo.uploadBlob", "sync.getBlob"]]
    with Proxy(home) as proxy:
        sending = ["curl", "-sSf", "-X", "POST", "-T", blob, "-H", "Content-Type: image/png"]
        through = ["-H", f"@{proxy.headers}"]
        answer = json.loads(run([*sending, *through, proxy.address + upload]))
        did = json.loads(home.run("accounts", "current", "--json"))["account"]["did"]
        query = f"?did={did}&cid={answer['blob']['ref']['$link']}"

        def compare(work, ours, method, path, query=""):
            """Runs one curl command through the proxy, and one with ready-made headers."""
            url = network.address + path
            return compared(
                work, "wall", *in_turns(
                    bench.runs(20),
                    lambda: bench.measure(home, *ours[0], *through, proxy.address + path + query),
                    lambda: bench.measure(home, *ours[1], "-H", home.headers(method, url), url + query)),
                "curl directly", Budget.at_most(times))

        yield compare(f"upload of 100 MB through the proxy, {scheme}", [sending, sending], "POST", upload)
        yield compare(
            f"download of 100 MB through the proxy, {scheme}",
            [["curl", "-sSf", "-o", copy] for copy in copies], "GET", download, query)
        if any(copy.read_bytes() != blob.read_bytes() for copy in copies):
            raise CommandFailed("the downloaded blob differs from the uploaded one")
    # Another proxy, whose memory nobody has used yet.
    with Proxy(home) as proxy:
        readers = [
            subprocess.Popen([
                "curl", "-sSf", "-o", "/dev/null", "--limit-rate", "10k", "-m", "5", "-H", f"@{proxy.headers}",
                proxy.address + download + query], stderr=subprocess.DEVNULL)
            for _ in range(READERS)]
        # 28 is the end of curl's time. An answer that ended before would be a failure.
        if ended := [code for reader in readers if (code := reader.wait()) != 28]:
            raise CommandFailed(f"slow downloads ended with {ended}")
        yield Line(
            f"{READERS} slow downloads of 100 MB, {scheme}", "peak", BYTES, proxy.peak,
            budget=Budget.below(LARGEST, BYTES))
