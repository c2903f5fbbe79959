"""The gateway of bskyauth-server beside nginx, and with ten thousand sessions.

All call a public method, for which the sandbox checks no proof, so that nginx can call it too. The gateway signs each
call all the same.
"""
import statistics

from backend import Backend
from load import Nginx, loaded
from network import Network
from report import RATE, TIME, Budget, Line

CONNECTIONS = 64
PEOPLE = 1000


def server(bench):
    """64 connections, each with a session of its own, to nginx and to servers with few and with many sessions, in memory."""
    many = bench.options.sessions
    with (
        Network(bench.sandbox, accounts=[]) as network,
        Nginx(bench.room / "server-nginx", network, CONNECTIONS) as nginx,
        Backend(bench.server, bench.memory / "server-few", network, "few.example.com") as few,
        Backend(bench.server, bench.memory / "server-many", network, "many.example.com") as crowded,
    ):
        people = [f"user{number}.test" for number in range(PEOPLE)]
        for handle in people:
            network.steer("accounts", {"handle": handle})
        few.log_in(people[:CONNECTIONS])
        crowded.log_in(people[number % PEOPLE] for number in range(many))
        network.steer("journal/reset", {})
        contenders = {
            "nginx": (nginx, None), "few": (few, CONNECTIONS), "many": (crowded, CONNECTIONS), "all": (crowded, many)}
        loads = in_turns(bench, contenders)
        work = f"calls on {CONNECTIONS} connections"
        yield from compared(loads, work, "few", "nginx", "nginx", Budget.at_least(0.3), Budget.at_most(4))
        yield from compared(
            loads, f"{work}, {many} sessions", "many", "few", f"{CONNECTIONS} sessions", Budget.at_least(0.9),
            Budget.at_most(1.1))
        yield from compared(loads, f"calls of all {many} sessions in turns", "all", "few", f"{CONNECTIONS} sessions")


def in_turns(bench, contenders):
    """The loads of each contender, in both orders. The first one of each is dropped."""
    loads = {name: [] for name in contenders}
    order = list(contenders)
    for turn in range(1 + max(1, bench.runs(60) // 10)):
        for name in order:
            server, sessions = contenders[name]
            if sessions:
                server.use(sessions)
            load = loaded(server, bench.runs(50) / 10, CONNECTIONS, *(["-s", server.script] if sessions else []))
            if turn > 0:
                loads[name].append(load)
        order.reverse()
    return loads


def compared(loads, work, ours, reference, beside, rate=None, p99=None):
    """Lines for two contenders, by their medians."""
    for what, name, unit, budget in [
        ("rate", "rate", RATE, rate), ("p99", "99th percentile", TIME, p99), ("cost", "CPU of each", TIME, None),
    ]:
        values = [statistics.median(getattr(load, what) for load in loads[side]) for side in (ours, reference)]
        yield Line(work, name, unit, *values, beside, budget)
