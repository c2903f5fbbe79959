"""How long a build of the product takes."""
import os
import shutil

from network import run
from report import TIME, Budget, Line


def build(bench):
    """A release build from clean, its dependencies fetched before."""
    clean = bench.root / ".build-bench/clean"
    package = ["--package-path", bench.root, "--scratch-path", clean]
    run(["swift", "package", *package, "resolve"])
    # Checkouts of dependencies stay.
    for folder in clean.glob("*-linux-*"):
        shutil.rmtree(folder)
    script = 'cd "$0" && source scripts/lib/release.sh && build_release .build-bench/clean bskyauth'
    took = bench.stopwatch.run(["bash", "-c", script, bench.root], os.environ)
    yield Line(
        f"release build from clean, {os.cpu_count()} cores", "wall", TIME, took.wall,
        budget=Budget.below(240, TIME))
