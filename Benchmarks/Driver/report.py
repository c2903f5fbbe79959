"""The lines of the table, and its place in docs/performance.md."""
import os
import platform
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

TIME, BYTES, COUNT, RATE = "time", "bytes", "count", "rate"


def amount(value, unit):
    """The value with its unit: `4.2 ms`, `250 µs`, `11.3 MB`, `3`, `21400 /s`."""
    if unit == TIME and value < 0.001:
        return f"{value * 1e6:.0f} µs"
    if unit == TIME:
        return f"{value:.1f} s" if value >= 10 else f"{value * 1e3:.{1 if value < 0.1 else 0}f} ms"
    if unit == BYTES:
        return f"{value / 1e6:.1f} MB"
    return f"{value:.0f}" + (" /s" if unit == RATE else "")


@dataclass(frozen=True)
class Budget:
    """A budget: a ratio at most or at least, or an amount at most."""
    text: str
    holds: object

    @staticmethod
    def at_most(times):
        return Budget(f"≤ {times} ×", lambda ours, ratio: ratio <= times)

    @staticmethod
    def at_least(times):
        return Budget(f"≥ {times} ×", lambda ours, ratio: ratio >= times)

    @staticmethod
    def below(limit, unit):
        return Budget(f"< {amount(limit, unit)}", lambda ours, ratio: ours < limit)

    @staticmethod
    def exactly(count):
        return Budget(f"{count}", lambda ours, ratio: ours == count)


@dataclass(frozen=True)
class Line:
    """One measured thing: our value, the reference, and the budget."""
    work: str
    what: str
    unit: str
    ours: float
    reference: float = None
    beside: str = ""
    budget: Budget = None
    # The ratio of the fastest runs, which a busy machine disturbs least.
    least: float = None

    HEAD = ["work", "what", "ours", "reference", "ratio", "ratio of the fastest", "budget", "kept"]

    @property
    def ratio(self):
        return None if not self.reference else self.ours / self.reference

    @property
    def cells(self):
        reference = "" if self.reference is None else f"{amount(self.reference, self.unit)} ({self.beside})"
        return [
            self.work, self.what, amount(self.ours, self.unit), reference,
            "" if self.ratio is None else f"{self.ratio:.2f}", "" if self.least is None else f"{self.least:.2f}",
            self.budget.text if self.budget else "",
            "" if self.budget is None else "yes" if self.budget.holds(self.ours, self.ratio) else "**no**",
        ]


def compared(work, what, ours, reference, beside, budget=None):
    """A line for two series, by their medians."""
    return Line(
        work, what, BYTES if what == "peak" else TIME, ours.median(what), reference.median(what), beside, budget,
        ours.least(what) / reference.least(what) if reference.least(what) else None)


@dataclass(frozen=True)
class Table:
    """Figures without a budget."""
    title: str
    head: list
    rows: list


def markdown(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def plain(head, rows):
    lines = [[str(cell) for cell in line] for line in [head, *rows]]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)


def machine():
    """The machine and the versions of the programs, in a sentence."""
    def words(*command):
        return subprocess.run(command, capture_output=True, text=True).stdout

    model = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    release = re.search(r'PRETTY_NAME="(.+)"', Path("/etc/os-release").read_text())
    swift = re.search(r"Swift version (\S+)", words("swift", "--version"))
    parts = [
        f"{os.cpu_count()} cores of {model[1] if model else platform.machine()}",
        f"Linux {platform.release()}", release[1] if release else "", f"Swift {swift[1]}" if swift else "",
        " ".join(words("curl", "--version").split()[:2]), " ".join(words("openssl", "version").split()[:2]),
        f"commit {words('git', 'rev-parse', '--short', 'HEAD').strip()}",
    ]
    return ", ".join(part for part in parts if part)


def load():
    return "{:.2f}".format(os.getloadavg()[0])


def written(file, block):
    """Replaces the text between the two markers of a page."""
    begin, end = "<!-- scripts/dev/bench --write: begin -->", "<!-- scripts/dev/bench --write: end -->"
    text = file.read_text()
    head, found, rest = text.partition(begin)
    _, closed, tail = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"{file} lacks one of its two markers, {begin} and {end}")
    file.write_text(f"{head}{begin}\n\n{block}\n\n{end}{tail}")
