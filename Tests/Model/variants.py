"""Broken variants of the protocol. For each: where the checker finds it, and what it says then."""

from typing import NamedTuple

from world import Config

DURABLE, EPHEMERAL = (True, 1), (False, 1)


class Variant(NamedTuple):
    config: Config
    problem: str  # part of what the checker says
    step: str  # part of a step that the counterexample must have


def with_faults(*faults: str, machines: tuple = (DURABLE, DURABLE), limit: int = 1, **more: object) -> Config:
    return Config(machines, faults=frozenset(faults), fault_limit=limit, **more)


SPENT = "which was spent, and there is no cause"
TRAP = "no way leads on"
LOST = "is in no store, spool or process"

VARIANTS = {
    "no local lock": Variant(Config(((True, 2), DURABLE)), SPENT, "finds its own claim, for which nothing was sent"),
    "time by the other's clock": Variant(Config((DURABLE, EPHEMERAL)), SPENT, "an hour old by its own clock"),
    "resend without a check": Variant(Config((EPHEMERAL, EPHEMERAL), challenges=True), SPENT, "asked for a nonce"),
    "a lease in place of the claim": Variant(Config((DURABLE, DURABLE)), SPENT, "the lease of the claim has ended"),
    "takeover of a durable claim by time": Variant(Config((DURABLE, DURABLE)), SPENT, "takes the claim over"),
    "takeover during the commit time": Variant(Config((EPHEMERAL, EPHEMERAL)), SPENT, "takes the claim over"),
    "retry at once": Variant(with_faults("no answer"), SPENT, "repeats its own attempt"),
    "no mark `sent`": Variant(with_faults("kill"), SPENT, "withdraws its claim"),
    "claim before the intent": Variant(with_faults("kill"), TRAP, "is killed"),
    "intent dropped while its claim may land": Variant(
        with_faults("kill", "unknown outcome", limit=2), TRAP, "a late write lands"
    ),
    "retry under a new id": Variant(with_faults("kill", "no answer", limit=2), TRAP, "repeats its own attempt"),
    "withdrawal forgets the earlier attempt": Variant(
        with_faults("no answer", machines=(DURABLE, EPHEMERAL)), "is called an expired session", "withdraws its claim"
    ),
    "use before the spool": Variant(Config((DURABLE, DURABLE)), "used before it was durable", "in its spool"),
    "spool only in memory": Variant(with_faults("cut"), LOST, "can't reach the store"),
    "commit without a condition": Variant(with_faults("kill", rounds=1), LOST, "without a condition"),
    "commit by revision": Variant(Config((DURABLE, DURABLE), commands=1), LOST, "the record has another revision"),
    "lost_rotation without reading again": Variant(
        Config((DURABLE, DURABLE), commands=1, lenient=True), LOST, "without reading again"
    ),
    "newer record revokes the spool": Variant(with_faults("kill"), "was revoked, and nobody logged out", "revokes its own"),
    "flush creates a removed account": Variant(
        Config((DURABLE, DURABLE), commands=1, logouts=1), "was created again", "leaves a tombstone"
    ),
    "no high-water mark": Variant(with_faults("rollback", rounds=1), SPENT, "the store loses its last"),
    "repair by one machine": Variant(
        with_faults("rollback", identified=True, forbidden_causes=frozenset({"rollback"})), SPENT, "flush --repair"
    ),
    "the repair forgets the machine that noticed": Variant(
        with_faults("rollback while all are idle", machines=(DURABLE, EPHEMERAL), rounds=1), SPENT, "stops with status 7"
    ),
    "repair keeps the claims": Variant(with_faults("rollback", identified=True), TRAP, "the store loses its last"),
}
VARIANTS = {name: v._replace(config=v.config._replace(variant=name)) for name, v in VARIANTS.items()}
