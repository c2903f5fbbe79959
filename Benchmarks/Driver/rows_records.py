"""`bskyauth verify FILE.car` beside libipld, which decodes the blocks, and SHA-256 of each of them by Python."""
import json
import sys

from measuring import CommandFailed, in_turns
from network import Home, Network, run
from report import BYTES, COUNT, Budget, Line, compared

RECORDS = (10_000, 100_000)
UNREFERENCED = 100_000
HASHED = "libipld, hashlib"


def records(bench):
    """Repositories of 10,000 and 100,000 records, and the larger one with 100,000 blocks that are not in its tree."""
    python, programs = bench.room / "records-python/bin/python", bench.root / "Benchmarks/Records"
    run([sys.executable, "-m", "venv", bench.room / "records-python"])
    run([
        python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", programs / "requirements.txt"])
    with Network(bench.sandbox) as network:
        home = Home(bench.program, bench.room / "records", network)
        accounts = json.loads(network.steer("accounts"))["accounts"]
        did = next(account["did"] for account in accounts if account["handle"] == "alice.test")
        file = home.directory / "repository.car"

        def made(count, unreferenced=0):
            """Makes the file, and has the account's DID document name its key. Returns the number of blocks."""
            multikey = run([python, programs / "make.py", file, did, str(count), str(unreferenced)]).decode().strip()
            network.steer("repositories", {"did": did, "car": "", "multikey": multikey})
            answer = json.loads(home.run("verify", str(file), "--json"))
            if answer["records"] != count or answer["unreferenced_blocks"] != unreferenced:
                raise CommandFailed(f"a repository of {count} records was verified as {answer}")
            return answer["blocks"]

        def measured():
            """The samples of bskyauth, of libipld with hashes, and of libipld alone."""
            return in_turns(
                bench.runs(20),
                lambda: bench.measure(home, *home.command("verify", str(file))),
                lambda: bench.measure(home, python, "-B", programs / "hash.py", file),
                lambda: bench.measure(home, python, "-B", programs / "hash.py", file, "--decode"))

        for count in RECORDS:
            blocks = made(count)
            work = f"repository of {count} records"
            yield Line(work, "file", BYTES, file.stat().st_size)
            ours, hashed, decoded = measured()
            yield compared(work, "wall", ours, hashed, HASHED, Budget.at_most(1))
            yield compared(work, "cpu", ours, hashed, HASHED)
            yield compared(work, "peak", ours, hashed, HASHED)
            yield compared(work, "wall", ours, decoded, "libipld without hashes")
        more = made(count, UNREFERENCED) - blocks
        work = f"with {more} unreferenced blocks"
        yield Line(work, "file", BYTES, file.stat().st_size)
        larger, hashed, _ = measured()
        yield compared(work, "wall", larger, hashed, HASHED, Budget.at_most(1))
        yield compared(work, "peak", larger, hashed, HASHED)
        yield Line(work, "bytes of memory for each", COUNT, (larger.median("peak") - ours.median("peak")) / more)
