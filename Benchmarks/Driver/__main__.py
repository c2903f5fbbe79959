"""Compares bskyauth with other programs that do the same work, in one run: see docs/performance.md.

Run by scripts/dev/bench, which builds everything first.
"""
import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

import report
import rows_bodies
import rows_build
import rows_call
import rows_crowd
import rows_keys
import rows_profile
import rows_proxy
import rows_records
import rows_requests
import rows_server
import rows_versions
from measuring import Stopwatch
from network import run

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAMS = ROOT / ".build-bench/release"
MEASURING = ROOT / ".build-bench/measuring/release"
SANDBOX = ROOT / "Sandbox/.build-bench/release/bskyauth-sandbox"
SERVER = ROOT / "Server/.build-bench/release/bskyauth-server"
ROWS = {
    "call": rows_call.call,
    "tls": rows_call.tls,
    "keeper": rows_call.keeper,
    "startup": rows_call.startup,
    "versions": rows_versions.versions,
    "proof": rows_keys.proof,
    "requests": rows_requests.requests,
    "window": rows_requests.window,
    "crowd": rows_crowd.crowd,
    "pages": rows_bodies.pages,
    "refresh": rows_crowd.refresh,
    "blobs": rows_bodies.blobs,
    "proxy": rows_proxy.proxy,
    "server": rows_server.server,
    "unlock": rows_keys.unlock,
    "records": rows_records.records,
    "build": rows_build.build,
    "stages": rows_profile.stages,
    "syscalls": rows_profile.syscalls,
    "allocations": rows_profile.allocations,
    "profile": rows_profile.profile,
}


class Bench:
    """What all rows use: the programs, directories for files, and the number of runs."""

    def __init__(self, options, room, memory):
        self.programs, self.measuring, self.sandbox, self.server = PROGRAMS, MEASURING, SANDBOX, SERVER
        self.program = installed(PROGRAMS / "bskyauth", room / "bskyauth")
        self.earlier = options.earlier and installed(options.earlier, room / "earlier")
        self.options, self.root = options, ROOT
        # On the disk of TMPDIR, and in memory.
        self.room, self.memory = room, memory
        self.stopwatch = Stopwatch(MEASURING / "stopwatch", room)

    def runs(self, count):
        return max(3, count // 10) if self.options.quick else count

    def measure(self, home, *command):
        return self.stopwatch.run(command, home.environment, namespace=home.namespace)


def installed(program, target):
    """A copy as scripts/install makes it, which is read from the disk when it first runs, as curl was.

    The kernel maps a file that was just written in other pieces, which changes the time of a call.
    """
    stripped = target.with_suffix(".stripped")
    run(["strip", "-o", stripped, program])
    run(["install", "-m", "755", stripped, target])
    with open(target, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return target


def options():
    parser = argparse.ArgumentParser(prog="scripts/dev/bench", description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"one of {', '.join(ROWS)}; all rows if none is named")
    parser.add_argument("--quick", action="store_true", help="a tenth of the runs, to check that it works")
    parser.add_argument("--accounts", type=int, default=1000, help="how many accounts are refreshed (1000)")
    parser.add_argument("--crowd", type=int, default=10_000, help="how many more accounts are in the large vault (10000)")
    parser.add_argument("--sessions", type=int, default=10_000, help="how many sessions the busy server has (10000)")
    parser.add_argument("--earlier", type=Path, help="an earlier release build of bskyauth, for the row versions")
    parser.add_argument("--write", action="store_true", help="write the figures into docs/performance.md")
    parsed = parser.parse_args()
    for row in parsed.rows:
        if row not in ROWS:
            parser.error(f"there is no row {row}; there are {', '.join(ROWS)}")
    if parsed.write and parsed.rows:
        parser.error("--write takes all rows, because figures of different runs can't be compared")
    return parsed


def main():
    chosen = options()
    room = Path(tempfile.mkdtemp(prefix="bskyauth-bench-"))
    shared = Path("/dev/shm")
    memory = Path(tempfile.mkdtemp(prefix="bskyauth-bench-", dir=shared if shared.is_dir() else None))
    lines, tables = [], []
    before = report.load()
    try:
        bench = Bench(chosen, room, memory)
        for name in chosen.rows or ROWS:
            for result in ROWS[name](bench):
                if isinstance(result, report.Line):
                    lines.append(result)
                    print("  ".join(cell for cell in result.cells if cell), file=sys.stderr)
                else:
                    tables.append(result)
    finally:
        shutil.rmtree(room)
        shutil.rmtree(memory)
    about = f"Measured on {report.machine()}; load {before} before and {report.load()} after."
    cells = [line.cells for line in lines]
    print(f"\n{about}\n\n{report.plain(report.Line.HEAD, cells)}")
    for table in tables:
        print(f"\n{table.title}\n{report.plain(table.head, table.rows)}")
    if chosen.write:
        block = [about, report.markdown(report.Line.HEAD, cells)]
        for table in tables:
            block += [f"### {table.title}", report.markdown(table.head, table.rows)]
        report.written(ROOT / "docs/performance.md", "\n\n".join(block))


main()
