"""Proofs, and opening the vault."""
import base64
import json
import re
import statistics

from measuring import in_turns
from network import Home, Network, run
from report import RATE, TIME, Budget, Line, compared

PASSPHRASE = "it was a bright cold day in April"


def proof(bench):
    """DPoP proofs a second in one process, compared with bare signatures."""
    proofs, signatures = [], []
    for _ in range(bench.runs(10)):
        proofs.append(float(run([bench.programs / "bskyauth-in-process", "proofs", "1"])))
        speed = run(["openssl", "speed", "-seconds", "1", "ecdsap256"]).decode()
        signatures.append(float(re.search(r"\(nistp256\)\s+\S+\s+\S+\s+(\S+)", speed)[1]))
    yield Line(
        "DPoP proofs", "in process", RATE, statistics.median(proofs), statistics.median(signatures),
        "openssl speed", Budget.at_least(0.7), max(proofs) / max(signatures))


def unlock(bench):
    """A command that opens the vault by passphrase, compared with scrypt alone; and by the kernel's keyring."""
    with Network(bench.sandbox) as network:
        directory = bench.room / "unlock"
        file = directory.with_suffix(".passphrase")
        file.write_text(PASSPHRASE)
        home = Home(
            bench.program, directory, network, key={"BSKYAUTH_PASSPHRASE_FILE": str(file)})
        home.log_in("alice.test")
        command = home.command("accounts", "current")
        ours, reference = in_turns(
            bench.runs(20),
            lambda: bench.measure(home, *command),
            lambda: bench.measure(home, *scrypt(directory / "vault/vault.json")))
        yield compared("unlock by passphrase", "wall", ours, reference, "openssl kdf SCRYPT", Budget.at_most(1.05))
        yield compared("unlock by passphrase", "cpu", ours, reference, "openssl kdf SCRYPT")
        yield compared("unlock by passphrase", "peak", ours, reference, "openssl kdf SCRYPT")

        home.run("vault", "unlock")
        unlocked = {name: value for name, value in home.environment.items() if "PASSPHRASE" not in name}
        cached, version = in_turns(
            bench.runs(100),
            lambda: bench.stopwatch.run(command, unlocked),
            lambda: bench.stopwatch.run(home.command("--version"), unlocked))
        opening = [
            float(run([bench.programs / "bskyauth-in-process", "unlock", directory / "vault"]))
            for _ in range(bench.runs(30))]
        home.run("vault", "lock")
        yield Line(
            "unlocked: start OpenSSL, open the vault", "in process", TIME, statistics.median(opening))
        yield compared("unlocked: accounts current", "wall", cached, version, "--version")
        yield compared("unlocked: accounts current", "cpu", cached, version, "--version")


def scrypt(header):
    """The openssl command that derives the same key."""
    slots = json.loads(header.read_bytes())
    slot = next(slot for slot in slots["slots"] if slot.get("kdf") == "scrypt")
    salt = base64.urlsafe_b64decode(slot["salt"] + "==").hex()
    memory = 2 * 128 * slot["r"] * slot["n"]
    return [
        "openssl", "kdf", "-keylen", "32", "-kdfopt", f"pass:{PASSPHRASE}", "-kdfopt", f"hexsalt:{salt}",
        "-kdfopt", f"n:{slot['n']}", "-kdfopt", f"r:{slot['r']}", "-kdfopt", f"p:{slot['p']}",
        "-kdfopt", f"maxmem_bytes:{memory}", "SCRYPT"]
