"""The state of the model: one account, the authorization server, the store, the machines and the network.

A refresh token is a number: 0 is the token of the login, and token n is spent to get token n + 1. The number stands for
the generation of the record and for the fingerprint. An absent claim or intent has the id 0; an absent spool is -1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

# Time passes in ticks. These numbers keep the order of the real times (docs/design/shared-vault.md): 20 s to send, 60 s for the
# answer, the commit timeout of an ephemeral machine, and the time after which others may take a claim over.
SEND = 1
ANSWER = 1
COMMIT = 1
TAKEOVER = 4
OWN_WAIT = 2

# Where a process is in the protocol. All but IDLE hold the account's lock on the machine.
IDLE = "idle"
READ = "read"
CLAIM = "claim"
MARK = "mark"
CHECK = "check"
FROZEN = "frozen"
WAITING = "waiting"
ANSWERED = "answered"
COMMITTING = "committing"
DROP = "drop"
JUDGE = "judge"
CONDEMN = "condemn"
WITHDRAW = "withdraw"
REVOKE = "revoke"
TOMBSTONE = "tombstone"


# The causes that explain that the current token is nowhere.
LOSSES = ("answer lost", "crash in the window", "lost spool")


class Claim(NamedTuple):
    """The claim in the clear header of the record. Its id is random."""

    id: int = 0
    durable: bool = False
    forgotten: bool = False
    age: int = 0  # ticks since it was written; only the variant with a lease counts them


class Record(NamedTuple):
    """The account's record in the store. Each write gives it a new revision."""

    token: int = 0
    status: str = "ok"  # or "lost" (lost_rotation), "expired", "gone" (the tombstone of a logout)
    unsure: bool = False  # an earlier attempt may have spent the token
    claim: Claim = Claim()


class Intent(NamedTuple):
    """The local file that names the claim of this machine. It is durable."""

    id: int = 0
    token: int = 0
    sent: bool = False
    # Whether the record still has the revision that the claim expects. The file has the revision; a reader compares it.
    fresh: bool = False


class Process(NamedTuple):
    """One process on a machine. A kill takes it back to IDLE."""

    doing: str = IDLE
    id: int = 0  # the claim that this process began itself
    token: int = 0  # the token that it spends
    fresh: bool = False  # whether the record still has the revision that it read or wrote last
    age: int = 0  # ticks since the claim was begun, on the boot clock
    request_age: int = 0  # ticks since the request was sent, or since the commit began
    proof_age: int = 0  # ticks since the DPoP proof was made
    challenged: bool = False  # whether the server has asked for a nonce or another time once
    unsure: bool = False  # an earlier attempt may have spent the token
    logout: bool = False


class Machine(NamedTuple):
    """A machine with its disk. `processes` share the disk and the lock."""

    processes: tuple
    intent: Intent = Intent()
    watch: tuple = (0, 0)  # another machine's claim, and the ticks since it was first read here
    durable: bool = True
    up: bool = True
    cut: bool = False  # whether the store can't be reached from here
    seen: int = 0  # the local copy of the record: the high-water mark
    tried: bool = False  # the copy also says whether a request with its token may have been sent from here
    spool: int = -1  # the spent token whose successor is in the spool
    behind: int = 0  # the last writes that this machine has not read; counted only for rollback
    lineage: int = 0  # the identity of the store that this machine has accepted


class Orphan(NamedTuple):
    """A request on its way whose sender no longer waits."""

    token: int
    age: int
    cause: str


class Budget(NamedTuple):
    """How much of what is not a step of the protocol may still happen."""

    faults: int
    commands: int
    rounds: int
    logouts: int


class State(NamedTuple):
    machines: tuple
    record: Record = Record()
    late: tuple = ()  # writes with an unknown outcome that may still land
    older: tuple | None = None  # the records that a rollback can bring back, the latest first
    orphans: tuple = ()
    budget: Budget = Budget(0, 0, 0, 0)
    current: int = 0  # the token that the authorization server takes
    alive: bool = True  # whether the session exists at the authorization server
    stale: int = 0  # the access tokens up to this number have ended
    lineage: int = 0  # the identity of the store
    repairing: bool = False  # the store's header says that it went back; it also says which machines have repaired
    # What the checks need and no machine can see: why a token may be presented twice, and what broke.
    causes: frozenset = frozenset()
    logged_out: bool = False
    disk_lost: bool = False
    violation: str = ""


# The number of a machine, and that of its process.
Place = tuple[int, int]

# What can come next: "step", "fault" or "command"; the words for a trace; the state.
Step = tuple[str, str, State]


def change_machine(state: State, m: int, **changes: object) -> State:
    machines = list(state.machines)
    machines[m] = machines[m]._replace(**changes)
    return state._replace(machines=tuple(machines))


def change_process(state: State, at: Place, **changes: object) -> State:
    m, p = at
    machine = state.machines[m]
    processes = list(machine.processes)
    processes[p] = processes[p]._replace(**changes)
    machines = list(state.machines)
    machines[m] = machine._replace(processes=tuple(processes))
    return state._replace(machines=tuple(machines))


def end_process(state: State, at: Place) -> State:
    """The process ends, and with it its lock and its memory."""
    m, p = at
    machine = state.machines[m]
    processes = list(machine.processes)
    processes[p] = Process()
    machines = list(state.machines)
    machines[m] = machine._replace(processes=tuple(processes))
    return state._replace(machines=tuple(machines))


def parts(state: State, at: Place) -> tuple[Machine, Process]:
    machine = state.machines[at[0]]
    return machine, machine.processes[at[1]]


def keep_copy(state: State, at: Place, token: int) -> State:
    """The local copy of the record never goes back."""
    if token <= state.machines[at[0]].seen:
        return state
    return change_machine(state, at[0], seen=token, tried=False)


def forget_intent(state: State, at: Place) -> State:
    return change_machine(state, at[0], intent=Intent())


def excuse(state: State, cause: str, token: int) -> State:
    """Notes why this token may be presented once more."""
    return state._replace(causes=state.causes | {(cause, token)})


def broken(state: State, sentence: str) -> State:
    return state if state.violation else state._replace(violation=sentence)


def claims(state: State) -> Iterator[int]:
    """All ids of claims in the state, in a fixed order."""
    yield state.record.claim.id
    for record in state.late:
        yield record.claim.id
    for record in state.older or ():
        yield record.claim.id
    for machine in state.machines:
        yield machine.intent.id
        yield machine.watch[0]
        for process in machine.processes:
            yield process.id


def new_claim(state: State) -> int:
    """An id that no part of the state knows."""
    return max(claims(state)) + 1


def name(state: State) -> tuple:
    """Equal for states that differ only in the names of machines, processes and claims, so that they behave alike. A count of
    a claim that can't be in the record any more does not matter either."""
    living = {state.record.claim.id}
    living.update(record.claim.id for record in state.late)
    living.update(record.claim.id for record in state.older or ())
    living.update(machine.intent.id for machine in state.machines)
    machines = []
    for machine in state.machines:
        if machine.watch[0] and machine.watch[0] not in living:
            machine = machine._replace(watch=(0, 0))
        machines.append(machine)
    machines.sort()

    # The claims, numbered in the order of their appearance.
    numbers = {0: 0}

    def number(id: int) -> int:
        return numbers.setdefault(id, len(numbers))

    def record(r: Record) -> tuple:
        return (r[:3], number(r.claim.id), r.claim[1:])

    return (
        record(state.record),
        tuple(map(record, sorted(state.late))),
        state.older and tuple(map(record, state.older)),
        tuple(
            (
                tuple(sorted((p.doing, number(p.id), p[2:]) for p in machine.processes)),
                number(machine.intent.id), machine.intent[1:], number(machine.watch[0]), machine.watch[1], machine[3:],
            )
            for machine in machines
        ),
        tuple(sorted(state.orphans)),
        state[5:],
    )
