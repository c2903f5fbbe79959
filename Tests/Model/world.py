"""Everything around the protocol: time, the network, faults, and commands of people. Also what must always hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import protocol
import server
import store
from result import is_lost
from state import (
    ANSWER, ANSWERED, COMMIT, DROP, FROZEN, IDLE, MARK, SEND, TAKEOVER, WAITING, Budget, Claim, Intent, Machine,
    Place, Process, State, Step, change_machine, end_process, excuse, parts,
)

# Steps that touch only what the machine has under its lock. They take no time, and other steps neither see nor change
# anything of theirs, so the explorer takes them first.
LOCAL = {MARK, ANSWERED, DROP}


# What a way has to lead to, the states that need the way, and the words if there is none.
Goal = tuple[Callable[[State], bool], Callable[[State], bool], str]


class Config(NamedTuple):
    """What a run of the model explores. The limits are the bounds of the exploration."""

    machines: tuple  # (durable, number of processes) of each machine
    faults: frozenset = frozenset()  # names of what may go wrong
    fault_limit: int = 0
    commands: int = 0  # how often `vault machines forget` may be run
    rounds: int = 0  # how often the access token ends again
    logouts: int = 0
    challenges: bool = False  # the server may ask each request once for a nonce or another time
    lenient: bool = False  # the server refuses a spent token, but the session lives
    judges_proof_age: bool = False  # the server refuses old proofs before it looks at the token
    identified: bool = False  # every machine sees that the store was restored, by the id of its cluster
    forbidden_causes: frozenset = frozenset()  # causes that don't count in this run
    variant: str = ""  # what is broken in the protocol
    every_order: bool = False  # local steps get no precedence, which takes longer and must find the same


class Model:
    def __init__(self, config: Config) -> None:
        self.config = config

    def initial(self) -> State:
        config = self.config
        machines = tuple(Machine((Process(),) * count, durable=durable) for durable, count in config.machines)
        budget = Budget(config.fault_limit, config.commands, config.rounds, config.logouts)
        return State(machines, budget=budget, older=() if self.rolls_back else None)

    @property
    def rolls_back(self) -> bool:
        return not self.config.faults.isdisjoint({"rollback", "rollback while all are idle"})

    def breaks(self, rule: str) -> bool:
        return self.config.variant == rule

    def may(self, state: State, fault: str) -> bool:
        return state.budget.faults > 0 and fault in self.config.faults

    def spend(self, state: State) -> State:
        return state._replace(budget=state.budget._replace(faults=state.budget.faults - 1))

    def successors(self, state: State) -> Iterator[Step]:
        """All next states: (kind, words, state). The kind is "step", "fault" or "command"."""
        processes = [
            (m, p) for m, machine in enumerate(state.machines) if machine.up for p in range(len(machine.processes))
        ]
        local = []
        if not self.breaks("no local lock") and not self.config.every_order:
            local = [at for at in processes if parts(state, at)[1].doing in LOCAL]
            processes = local[:1] or processes
        for at in processes:
            name = f"M{at[0] + 1}.p{at[1] + 1} "
            for kind, words, after in protocol.steps(self, state, at):
                yield kind, name + words, after
            yield from self.kill(state, at)
        if local:
            return
        yield from store.land(state)
        yield from server.answer_nobody(self, state)
        yield from self.tick(state)
        yield from self.machines(state)
        yield from self.account(state)

    # MARK: Faults of a process

    def kill(self, state: State, at: Place) -> Iterator[Step]:
        machine, process = parts(state, at)
        if process.doing == IDLE or not self.may(state, "kill"):
            return
        if process.doing == WAITING:
            after = protocol.leave_request(state, at, "crash in the window")
        elif process.doing == ANSWERED:
            after = end_process(excuse(state, "crash in the window", process.token), at)
        else:
            after = end_process(state, at)
        if machine.spool >= 0 and (not machine.durable or self.breaks("spool only in memory")):
            # An ephemeral spool protects nothing until the commit.
            after = excuse(after, "crash in the window", machine.spool)
            if self.breaks("spool only in memory"):
                after = change_machine(after, at[0], spool=-1)
        yield "fault", f"M{at[0] + 1}.p{at[1] + 1} is killed", self.spend(after)

    # MARK: Time

    def tick(self, state: State) -> Iterator[Step]:
        """Time passes for everybody alike: each count is of a boot clock. It can't pass while something is due."""
        changed = state
        orphans = tuple(orphan._replace(age=orphan.age + 1) for orphan in state.orphans)
        if any(orphan.age > ANSWER for orphan in orphans):
            return
        machines = []
        for machine in state.machines:
            processes = []
            for process in machine.processes:
                if process.doing == WAITING and process.request_age >= ANSWER:
                    return
                commits = machine.spool >= 0 and process.doing != IDLE and not machine.durable
                if commits and process.request_age >= COMMIT:
                    return
                if process.doing in LOCAL and not self.breaks("no local lock"):
                    return
                if process.doing == FROZEN:
                    changed = excuse(changed, "pause", process.token)
                if process.id and process.age <= SEND:
                    process = process._replace(age=process.age + 1)
                if process.doing == WAITING or commits:
                    process = process._replace(request_age=process.request_age + 1)
                if self.config.judges_proof_age and process.doing in (FROZEN, WAITING):
                    process = process._replace(proof_age=min(process.proof_age + 1, server.PROOF + 1))
                processes.append(process)
            id, ticks = machine.watch
            watch = (id, min(ticks + 1, TAKEOVER)) if id else machine.watch
            machines.append(machine._replace(processes=tuple(processes), watch=watch))
        record = state.record
        if self.breaks("a lease in place of the claim") and record.claim.id:
            record = record._replace(claim=record.claim._replace(age=record.claim.age + 1))
            if record.claim.age > SEND:
                changed = store.write(state, record._replace(claim=Claim()))
                yield "step", "the store: the lease of the claim has ended", changed
                return
        yield "step", "a tick passes", changed._replace(machines=tuple(machines), orphans=orphans, record=record)

    # MARK: Machines and the store

    def machines(self, state: State) -> Iterator[Step]:
        for m, machine in enumerate(state.machines):
            name = f"M{m + 1} "
            if not machine.up:
                continue
            if machine.cut:
                yield "step", name + "reaches the store again", change_machine(state, m, cut=False)
            elif self.may(state, "cut"):
                yield "fault", name + "can't reach the store", self.spend(change_machine(state, m, cut=True))
            idle = all(process.doing == IDLE for process in machine.processes)
            has_state = machine.intent.id or machine.spool >= 0
            if machine.durable and idle and has_state and self.may(state, "disk"):
                yield "fault", name + "loses its disk", self.spend(self.lose_disk(state, m, up=True))
            if not machine.durable and self.may(state, "job ends"):
                after = state
                for p, process in enumerate(machine.processes):
                    if process.doing == WAITING:
                        after = protocol.leave_request(after, (m, p), "crash in the window")
                    elif process.doing == ANSWERED:
                        after = excuse(after, "crash in the window", process.token)
                yield "fault", name + "ends: its job is over", self.spend(self.lose_disk(after, m, up=False))
        is_quiet = all(process.doing == IDLE for machine in state.machines for process in machine.processes)
        if self.may(state, "rollback") or is_quiet and self.may(state, "rollback while all are idle"):
            for writes in range(1, len(state.older) + 1):
                words = f"the store loses its last {writes} write{'s' * (writes > 1)}"
                yield "fault", words, self.spend(store.roll_back(state, writes, self.config.identified))

    def lose_disk(self, state: State, m: int, up: bool) -> State:
        machine = state.machines[m]
        if machine.spool >= 0:
            state = excuse(state, "lost spool", machine.spool)
        state = change_machine(
            state, m, up=up, cut=False, seen=0, tried=False, intent=Intent(), spool=-1, watch=(0, 0),
            processes=(Process(),) * len(machine.processes),
        )
        return state._replace(disk_lost=state.disk_lost or up)

    def account(self, state: State) -> Iterator[Step]:
        record, budget = state.record, state.budget
        claim = record.claim
        if claim.id and claim.durable and not claim.forgotten:
            after = store.write(state, record._replace(claim=claim._replace(forgotten=True)))
            words = f"vault machines forget: claim #{claim.id} may be taken over"
            if budget.commands:
                yield "command", words, after._replace(budget=budget._replace(commands=budget.commands - 1))
            elif state.disk_lost and not self.is_named(state, claim.id):
                # Every command says that this is the way on, because the machine has lost its intent.
                yield "step", words, after
        newest = max(record.token, *(machine.seen for machine in state.machines))
        if record.status == "ok" and newest > state.stale:
            if budget.rounds:
                after = state._replace(stale=newest, budget=budget._replace(rounds=budget.rounds - 1))
                yield "command", f"the access token of token {newest} ends", after
            if not state.alive:
                yield "step", "the server refuses the access token", state._replace(stale=newest)

    @staticmethod
    def is_named(state: State, id: int) -> bool:
        """Whether a machine has an intent for this claim. The protocol never asks this."""
        return any(machine.intent.id == id for machine in state.machines)

    # MARK: What must hold

    def problem(self, state: State) -> str:
        """What must never be; empty if all is well."""
        if state.violation:
            return state.violation
        if state.alive and not self.is_kept(state):
            if not is_lost(state, state.current - 1):
                return f"the current token {state.current} is in no store, spool or process, and nothing explains that"
        return ""

    def is_kept(self, state: State) -> bool:
        """Whether the current token is in the store, in a spool, or in a process that has just received it."""
        if state.record.token == state.current:
            return True
        for machine in state.machines:
            if machine.spool == state.current - 1:
                return True
            if self.rolls_back and machine.up and machine.seen == state.current:
                return True
            for process in machine.processes:
                if process.doing == ANSWERED and process.token == state.current - 1:
                    return True
        return False

    def goals(self) -> Iterator[Goal]:
        """What a way has to lead to."""
        yield self.is_settled, lambda state: True, "no way leads on from here to a fresh or diagnosed account"
        yield self.is_fresh, self.must_get_fresh, "the token is not lost, but no way leads on from here to a fresh account"

    def is_fresh(self, state: State) -> bool:
        record = state.record
        return state.alive and record[:2] == (state.current, "ok") and record.token > state.stale

    def is_settled(self, state: State) -> bool:
        """Fresh, or the record says what became of the session."""
        return self.is_fresh(state) or state.record.status != "ok"

    def must_get_fresh(self, state: State) -> bool:
        """While the session lives and its token is kept, a diagnosis is no way out: nothing was lost."""
        ends = any(process.logout for machine in state.machines for process in machine.processes)
        return state.alive and not ends and self.is_kept(state) and ("rollback", state.current - 1) not in state.causes
