"""A mutation, and the search for the place in Sources that it changes."""

import re
from pathlib import Path


class Mutation:
    """Changes the program in one place and names the suite that must fail then.

    Give the name, the suite as `Target.Suite`, the old text and the new text. Further pairs of texts may follow. A
    mutation names no file. Its old text must occur once in all Swift files of Sources, so give it enough context.
    """

    def __init__(self, name, suite, *texts):
        self.name = name
        self.suite = suite
        self.edits = list(zip(texts[::2], texts[1::2], strict=True))

    @property
    def test_target(self):
        return self.suite.split(".")[0]


class Stale(Exception):
    """A mutation does not fit the tree any more."""


class Tree:
    """The sources and tests of a checkout.

    Only Swift files are searched. A changed C header rebuilds nothing, because SwiftPM does not list it as an input.
    """

    def __init__(self, root):
        self.root = root
        self.texts = {path: path.read_text() for path in sorted((root / "Sources").rglob("*.swift"))}

    def changes(self, mutation):
        """The files that a mutation changes, each with its new text."""
        changed = {}
        for old, new in mutation.edits:
            path = self.place(old, changed)
            changed[path] = changed.get(path, self.texts[path]).replace(old, new)
        return changed

    def place(self, old, changed):
        """The one file with a text."""
        texts = self.texts | changed
        counts = {path: texts[path].count(old) for path in texts if old in texts[path]}
        if list(counts.values()) == [1]:
            return next(iter(counts))
        places = "".join(f"\n  {count} in {path.relative_to(self.root)}" for path, count in counts.items())
        raise Stale(f"the old text must occur once in Sources, and occurs {sum(counts.values())} times:"
                    f"\n  {old.strip()}{places}")

    def modules(self, mutation):
        """The modules that a mutation changes."""
        return sorted({path.relative_to(self.root / "Sources").parts[0] for path in self.changes(mutation)})

    def check(self, mutation):
        """Raises Stale if the mutation fits no source or names no suite of the tests."""
        self.changes(mutation)
        target, path = mutation.suite.split(".")
        suite = path.split("/")[-1]
        declaration = re.compile(rf"\b(struct|class|enum) {suite}\b")
        if not any(declaration.search(file.read_text()) for file in (self.root / "Tests" / target).rglob("*.swift")):
            raise Stale(f"there is no suite {mutation.suite}")
