"""Looks at every state that a model can reach, the nearest first."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

from state import State, name

if TYPE_CHECKING:
    from world import Model


class Found:
    """What an exploration found: the number of states, and a counterexample if a property does not hold."""

    def __init__(self, states: int, problem: str = "", trace: tuple[str, ...] = ()) -> None:
        self.states = states
        self.problem = problem
        self.trace = trace

    def __str__(self) -> str:
        if not self.problem:
            return f"{self.states} states, nothing wrong"
        steps = "\n".join(f"{number:3}. {words}" for number, words in enumerate(self.trace, 1))
        return f"{self.problem}\nafter {len(self.trace)} steps:\n{steps}"


class TooManyStates(Exception):
    pass


def explore(
    model: Model,
    limit: int = 400_000,
    name: Callable[[State], Hashable] = name,
    seen: Callable[[State], object] | None = None,
) -> Found:
    """Checks the properties of safety in every state, and then those of liveness.

    Liveness: from every state, steps without a further fault or command lead to a goal of the model, whatever happened before.
    So no state is a trap, and with fair turns a goal is reached.

    States with the same name behave alike, so only the first of them is looked at. `seen` is called with each state.
    """
    states = [model.initial()]
    numbers = {name(states[0]): 0}
    parents = array("l", [-1])
    edges = (array("l"), array("l"))  # steps without faults: from, to
    number = 0
    while number < len(states):
        if seen:
            seen(states[number])
        for kind, _, after in model.successors(states[number]):
            next = numbers.setdefault(name(after), len(states))
            if next == len(states):
                if next > limit:
                    raise TooManyStates(f"more than {limit} states")
                states.append(after)
                parents.append(number)
                problem = model.problem(after)
                if problem:
                    return Found(len(states), problem, trace(model, states, parents, next))
            if kind == "step":
                edges[0].append(number)
                edges[1].append(next)
        number += 1

    incoming = [[] for _ in states]
    for start, end in zip(*edges):
        incoming[end].append(start)
    for goal, duty, problem in model.goals():
        reached = backwards(incoming, [n for n, state in enumerate(states) if goal(state)])
        for number, state in enumerate(states):
            if not reached[number] and duty(state):
                return Found(len(states), problem, trace(model, states, parents, number))
    return Found(len(states))


def backwards(incoming: list[list[int]], goals: list[int]) -> bytearray:
    """Which states have a way to a goal."""
    reached = bytearray(len(incoming))
    for number in goals:
        reached[number] = 1
    while goals:
        for before in incoming[goals.pop()]:
            if not reached[before]:
                reached[before] = 1
                goals.append(before)
    return reached


def trace(model: Model, states: list[State], parents: array[int], number: int) -> tuple[str, ...]:
    """The steps to a state, in words."""
    words = []
    while parents[number] >= 0:
        state, number = states[number], parents[number]
        words.append(next(step for _, step, after in model.successors(states[number]) if after == state))
    return tuple(reversed(words))
