#!/usr/bin/env python3
"""Writes docs/conformance.md: for every rule of docs/design, the tests that fail when it is broken.

usage: conformance.py [--check] [ROOT]      --check writes nothing and fails when the page is out of date

A Swift test names its rules by the trait `.covers("R46")`, a Python test by a comment above it, `# covers: R46`.
A rule without a test says why in docs/design: *Server fact.*, *Held by the build: how.*, *Not built: reason.* or
*Open: what is missing.* Only *Open* may stand beside tests: it says what they leave out.
"""

import dataclasses
import pathlib
import re
import sys

PAGES = ["protocol", "requirements"]
PLACES = ["Tests", "Sandbox/Tests", "Server/Tests"]
RULE = re.compile(r"- \*\*([A-Z]?\d+(?:\.\d+)?[a-z]?)\. (.+?)\.?\*\*(.*)", re.DOTALL)
STANDING = re.compile(r"\*((?:Server fact|Held by the build: |Not built: |Open: )[^*]*)\.\*")
# A string, or one parenthesis. Strings are skipped, because they may contain parentheses.
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|[()]')
SWIFT_TEST = re.compile(r"@(Test|Suite)\b(?=\(?)")
SWIFT_NAME = re.compile(r"\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:\w+ )*?(func|struct|class|actor|enum|extension) `?(\w+)")
PYTHON_TEST = re.compile(r"^# covers: (.+)\n(?:@.*\n)*def (\w+)", re.MULTILINE)


@dataclasses.dataclass
class Rule:
    number: str
    title: str
    standing: str | None
    page: str
    section: str


@dataclasses.dataclass
class CoveringTest:
    suite: str
    name: str
    rules: list[str]
    path: str
    in_sandbox: bool

    def link(self) -> str:
        text = f"{self.suite}: {self.name}" if self.suite else self.name
        return f"[{text.replace('|', chr(92) + '|')}](../{self.path})"


def rules_of(page: str, text: str) -> list[Rule]:
    found, section = [], ""
    for block in re.split(r"\n(?=#|- \*\*|\n)", text):
        if heading := re.match(r"\s*## (.+)", block):
            section = heading[1]
        elif rule := RULE.match(block.strip("\n")):
            body = " ".join(rule[3].split())
            standing = STANDING.search(body)
            found.append(Rule(rule[1], " ".join(rule[2].split()), standing and standing[1], page, section))
    return found


def attribute(text: str, start: int) -> tuple[str, int]:
    """The arguments of the attribute that ends at `start`, and where the declaration after it begins."""
    if text[start : start + 1] != "(":
        return "", start
    depth = 0
    for token in TOKEN.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if depth == 0:
            return text[start + 1 : token.start()], token.end()
    raise ValueError("an attribute without its end")


def swift_tests(text: str, path: str, in_sandbox: bool) -> list[CoveringTest]:
    found, suite = [], ""
    for mark in SWIFT_TEST.finditer(text):
        arguments, end = attribute(text, mark.end())
        declaration = SWIFT_NAME.match(text, end)
        if not declaration:
            continue
        title = re.match(r'\s*"((?:\\.|[^"\\])*)"', arguments)
        name = title[1].replace('\\"', '"') if title else declaration[2]
        if mark[1] == "Suite":
            suite = name
        rules = [
            number
            for trait in re.findall(r"\.covers\(([^)]*)\)", arguments)
            for number in re.findall(r'"([^"]+)"', trait)
        ]
        if rules:
            found.append(CoveringTest(suite if mark[1] == "Test" else "", name, rules, path, in_sandbox))
    return found


def tests_of(root: pathlib.Path) -> list[CoveringTest]:
    found = []
    for path in sorted(path for place in PLACES for path in root.glob(f"{place}/**/*.swift")):
        name = path.relative_to(root).as_posix()
        found += swift_tests(path.read_text(), name, name.startswith("Sandbox/"))
    for path in sorted(path for place in PLACES for path in root.glob(f"{place}/**/*.py")):
        for rules, name in PYTHON_TEST.findall(path.read_text()):
            where = path.relative_to(root).as_posix()
            in_sandbox = where.startswith("Sandbox/")
            found.append(CoveringTest(path.stem, name, re.split(r",\s*", rules.strip()), where, in_sandbox))
    return found


def problems(rules: list[Rule], tests: list[CoveringTest]) -> list[str]:
    numbers = [rule.number for rule in rules]
    covered = {number for test in tests if not test.in_sandbox for number in test.rules}
    found = [f"{number} is in docs/design more than once" for number in sorted(set(numbers)) if numbers.count(number) > 1]
    for rule in rules:
        if rule.number not in covered and not rule.standing:
            found.append(f"{rule.page}:{rule.number} has no test and does not say why")
        if rule.number in covered and rule.standing and not rule.standing.startswith("Open"):
            found.append(f"{rule.page}:{rule.number} has a test, and says that it needs none: {rule.standing}")
    for test in tests:
        for number in test.rules:
            if number not in numbers:
                found.append(f'{test.path}: "{test.name}" covers {number}, which is no rule')
    return found


def page(rules: list[Rule], tests: list[CoveringTest]) -> str:
    lines = [
        "<!-- Written by scripts/dev/generate from docs/design and the tests. -->",
        "# Conformance",
        "",
        "For every rule of [docs/design](design), the tests that fail when it is broken. The column *sandbox* has the",
        "tests that hold our own test network to the rule. *Server fact* marks a rule that asks nothing of a client.",
    ]
    section = None
    for rule in rules:
        if (rule.page, rule.section) != section:
            section = (rule.page, rule.section)
            lines += ["", f"## {rule.section} ([{rule.page}](design/{rule.page}.md))", ""]
            lines += ["| rule | what it says | tests | sandbox |", "|---|---|---|---|"]
        client = [test.link() for test in tests if rule.number in test.rules and not test.in_sandbox]
        sandbox = [test.link() for test in tests if rule.number in test.rules and test.in_sandbox]
        standing = [f"*{rule.standing}*"] if rule.standing else []
        title = rule.title.replace("|", "\\|")
        lines.append(f"| {rule.number} | {title} | {'<br>'.join(client + standing)} | {'<br>'.join(sandbox)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    arguments = [argument for argument in sys.argv[1:] if argument != "--check"]
    root = pathlib.Path(arguments[0] if arguments else ".")
    rules = [rule for name in PAGES for rule in rules_of(name, (root / f"docs/design/{name}.md").read_text())]
    tests = tests_of(root)
    if found := problems(rules, tests):
        sys.exit("\n".join(found))
    output = root / "docs/conformance.md"
    text = page(rules, tests)
    if "--check" not in sys.argv:
        output.write_text(text)
    elif not output.exists() or output.read_text() != text:
        sys.exit("docs/conformance.md is out of date: run scripts/dev/generate")


if __name__ == "__main__":
    main()
