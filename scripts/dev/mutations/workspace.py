"""A checkout with a build of its own, in which mutations are built and tested."""

import os
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TEST_PRODUCT = "bskyauthPackageTests"
TIME_LIMIT = 900


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
        return self.run("build", "--product", TEST_PRODUCT)

    def build_target(self, target):
        return self.run("build", "--target", target)

    def test(self, *suites):
        names = "|".join(map(re.escape, suites))
        return self.run("test", "--skip-build", "--disable-xctest", "--filter", f"^({names})/")

    def run(self, *arguments):
        # Some tests do more in CI.
        environment = {name: value for name, value in os.environ.items() if name != "CI"}
        try:
            done = subprocess.run(
                ["swift", *arguments], cwd=self.place, env=environment, capture_output=True, text=True,
                timeout=TIME_LIMIT)
        except subprocess.TimeoutExpired as expired:
            output = (expired.stdout or b"").decode(errors="replace")
            return Run(1, f"{output}\nended after {TIME_LIMIT} s")
        return Run(done.returncode, done.stdout + done.stderr)

    def remove(self):
        shutil.rmtree(self.place, ignore_errors=True)
        git(ROOT, "worktree", "prune")
