"""A checkout with a build of its own, in which mutations are built and tested."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TEST_PRODUCT = "bskyauthPackageTests"
# The sandbox network is not mutated. Tests of the program use the one of the tree.
SANDBOX = ROOT / "Sandbox"
# Seconds. The first build takes minutes, a suite takes seconds unless a mutation makes it hang.
BUILD_LIMIT = 1800
TEST_LIMIT = 300


def git(place, *arguments):
    done = subprocess.run(["git", "-C", str(place), *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


class Run:
    """A command that has ended."""

    def __init__(self, status, output):
        self.succeeded = status == 0
        self.output = output

    @property
    def has_started_tests(self):
        return "Test run started" in self.output

    @property
    def test_count(self):
        counts = re.findall(r"Test run with (\d+) tests?", self.output)
        return int(counts[-1]) if counts else 0

    @property
    def failed_tests(self):
        """The names of the tests that failed, each once."""
        names = re.findall(r"\u2718 Test (?!run)(.+?) (?:recorded an issue|failed after)", self.output)
        return list(dict.fromkeys(names))


class Workspace:
    """A checkout of HEAD. It keeps its build, so that each mutation rebuilds only what it changes."""

    def __init__(self, place):
        self.place = place
        head = git(ROOT, "rev-parse", "HEAD")
        if (place / ".git").exists():
            git(place, "checkout", "--quiet", "--force", "--detach", head)
        else:
            git(ROOT, "worktree", "add", "--quiet", "--force", "--detach", str(place), head)
        self.manifest = (place / "Package.swift").read_text()

    def keep_tests(self, targets):
        """Leaves only these test targets in the package, so that a build touches nothing that they don't need.

        Warnings are no errors here, because a mutation may leave something unused.
        """
        kept = ", ".join(f'"{target}"' for target in targets)
        manifest = self.manifest.replace(".treatAllWarnings(as: .error),", "")
        manifest += f"\n\npackage.targets.removeAll {{ $0.type == .test && ![{kept}].contains($0.name) }}\n"
        (self.place / "Package.swift").write_text(manifest)

    def build(self):
        """Builds the tests and what they need. `--build-tests` would also build every other executable."""
        return self.run(BUILD_LIMIT, "build", "--product", TEST_PRODUCT)

    def build_target(self, target):
        return self.run(BUILD_LIMIT, "build", "--target", target)

    def build_sandbox(self):
        return self.run(BUILD_LIMIT, "build", "--package-path", str(SANDBOX))

    def test(self, suite):
        name = f"^{re.escape(suite)}/"
        return self.run(TEST_LIMIT, "test", "--skip-build", "--disable-xctest", "--filter", name)

    def run(self, limit, *arguments):
        # Some tests do more in CI.
        environment = {name: value for name, value in os.environ.items() if name != "CI"}
        environment.setdefault("BSKYAUTH_TEST_SANDBOX", str(SANDBOX / ".build/debug/bskyauth-sandbox"))
        # A file, not a pipe: a test that hangs may keep it open.
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                ["swift", *arguments], cwd=self.place, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT)
            try:
                process.wait(limit)
            except subprocess.TimeoutExpired:
                self.interrupt(process)
            output.seek(0)
            return Run(process.returncode, output.read().decode(errors="replace"))

    @staticmethod
    def interrupt(process):
        """Ends a command that takes too long. When it is interrupted, swift also ends what it has started."""
        process.send_signal(signal.SIGINT)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def remove(self):
        shutil.rmtree(self.place, ignore_errors=True)
        git(ROOT, "worktree", "prune")
