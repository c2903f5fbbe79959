"""What calls cost in requests, by the sandbox's journal: the budget of the design, and nothing beyond it."""
from network import Home, Network
from report import COUNT, Line, Reach
from rows_call import QUERY


def requests(bench):
    """A stale nonce, and tokens that have ended by our clock or by the server's."""
    with Network(bench.sandbox, nonce_rotation="20s") as network:
        home = logged_in(bench, "stale", network)
        network.steer("clock", {"advance": "90s"})
        yield counted(network, home, "stale nonce", Reach.exactly(2))

    with Network(bench.sandbox) as network:
        home = logged_in(bench, "ended", network)
        network.steer("faults", [{
            "match": {"grant": "refresh_token"}, "times": 1, "action": {"amend": {"set": {"/expires_in": 0}}}}])
        home.run("refresh", "--force")
        yield counted(network, home, "token ended: refresh, call", Reach.exactly(2))

    with Network(bench.sandbox) as network:
        home = logged_in(bench, "refused", network)
        network.steer("faults", [{
            "match": {"path": f"/xrpc/{QUERY}"}, "times": 1,
            "action": {"respond": {
                "status": 401, "headers": {"www-authenticate": 'DPoP error="invalid_token"'},
                "body": {"error": "invalid_token", "message": "Invalid token"}}}}])
        yield counted(network, home, "token refused: call, refresh, call", Reach.exactly(3))


def logged_in(bench, name, network):
    """A home that knows the nonces of its servers."""
    home = Home(bench.program, bench.room / name, network)
    home.log_in("alice.test")
    home.run("call", QUERY)
    return home


def counted(network, home, work, reach):
    asked = network.requests_of(lambda: home.run("call", QUERY))
    return Line(work, "requests", COUNT, len(asked), reach=reach)
