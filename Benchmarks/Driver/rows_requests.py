"""The number of requests of a call, by the sandbox's journal, and the time in which a rotation can be lost."""
import re
import shutil
import statistics

from network import Home, Network, run
from report import COUNT, TIME, Budget, Line
from rows_call import QUERY

# The server refuses the access token of one call.
REFUSED_ONCE = {
    "match": {"path": f"/xrpc/{QUERY}"}, "times": 1,
    "action": {"respond": {
        "status": 401, "headers": {"www-authenticate": 'DPoP error="invalid_token"'},
        "body": {"error": "invalid_token", "message": "Invalid token"}}}}


def requests(bench):
    """A stale nonce, and access tokens that expired by our clock or by the server's."""
    with Network(bench.sandbox, nonce_rotation="20s") as network:
        home = logged_in(bench, "stale", network)
        network.steer("clock", {"advance": "90s"})
        yield counted(network, home, "stale nonce", Budget.exactly(2))

    with Network(bench.sandbox) as network:
        home = logged_in(bench, "ended", network)
        network.steer("faults", [{
            "match": {"grant": "refresh_token"}, "times": 1, "action": {"amend": {"set": {"/expires_in": 0}}}}])
        home.run("refresh", "--force")
        yield counted(network, home, "token ended: refresh, call", Budget.exactly(2))

    with Network(bench.sandbox) as network:
        home = logged_in(bench, "refused", network)
        network.steer("faults", [REFUSED_ONCE])
        yield counted(network, home, "token refused: call, refresh, call", Budget.exactly(3))


def window(bench):
    """The time from the answer of a refresh to its durable record, in which a kill loses the rotation."""
    if not shutil.which("strace"):
        return
    with Network(bench.sandbox) as network:
        home = logged_in(bench, "window", network, BSKYAUTH_NO_KEEPER="1")
        times = [traced(home) for _ in range(bench.runs(20))]
        yield Line("refresh: answer to durable record", "under strace", TIME, statistics.median(times))
        yield Line("refresh: answer to durable record", "the longest", TIME, max(times))


def traced(home):
    """Seconds from the last read of the server's answer to the end of the fsync of the new record."""
    file = home.directory / "strace"
    calls = "recvfrom,read,renameat,fsync"
    run(
        ["strace", "-f", "-qq", "-ttt", "-T", "-y", "-e", f"trace={calls}", "-o", file]
        + home.command("refresh", "--force"), home.environment)
    answered = renamed = None
    for line in file.read_text(errors="replace").splitlines():
        _, time, call = line.split(None, 2)
        lasted = re.search(r"<([\d.]+)>$", call)
        end = float(time) + float(lasted[1]) if lasted and "resumed>" not in call else float(time)
        if re.match(r"(recvfrom|read)\(\d+<(TCP|socket)", call):
            answered = end if renamed is None else answered
        elif re.match(r'renameat\(.*"session"\)', call):
            renamed = end
        elif renamed is not None and "fsync" in call and lasted:
            return end - answered
    raise ValueError("the trace has no durable record")


def logged_in(bench, name, network, **variables):
    """A home whose vault has the nonces of its servers."""
    home = Home(bench.program, bench.room / name, network, **variables)
    home.log_in("alice.test")
    home.run("call", QUERY)
    return home


def counted(network, home, work, budget):
    asked = network.requests_of(lambda: home.run("call", QUERY))
    return Line(work, "requests", COUNT, len(asked), budget=budget)
