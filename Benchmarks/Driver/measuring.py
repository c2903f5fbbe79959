"""Measures one command, or several that run in turns."""
import statistics
import subprocess
from dataclasses import dataclass


@dataclass(frozen=True)
class Sample:
    """One run: seconds, seconds of user and system, bytes."""
    wall: float
    cpu: float
    peak: int


class CommandFailed(Exception):
    pass


class Stopwatch:
    """Runs commands by the small program that measures them (Benchmarks/Stopwatch)."""

    def __init__(self, program, room):
        self.program = program
        self.report = room / "stopwatch"
        self.errors = room / "errors"

    def run(self, command, environment, stdin=None, namespace=()):
        with open(self.errors, "w+") as errors:
            done = subprocess.run(
                [*namespace, self.program, self.report, *command], env=environment, stdin=stdin or subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=errors)
            if done.returncode != 0:
                errors.seek(0)
                words = " ".join(str(word) for word in command)
                raise CommandFailed(f"{words} ended with {done.returncode}: {errors.read()}")
        wall, cpu, peak = self.report.read_text().split()
        return Sample(int(wall) / 1e9, int(cpu) / 1e6, int(peak) * 1024)


class Series:
    """The runs of one contender."""

    def __init__(self, samples):
        self.samples = samples

    def median(self, what):
        return statistics.median(getattr(sample, what) for sample in self.samples)

    def least(self, what):
        return min(getattr(sample, what) for sample in self.samples)


def in_turns(runs, *contenders):
    """Measures contenders in turns, in both orders, so that a noisy machine affects them alike.

    A contender is a function that makes one run and returns its sample. Its preparations are not measured. The first
    run of each is dropped.
    """
    samples = [[] for _ in contenders]
    order = list(range(len(contenders)))
    for run in range(runs + 1):
        for index in order:
            sample = contenders[index]()
            if run > 0:
                samples[index].append(sample)
        order.reverse()
    return [Series(each) for each in samples]
