#!/usr/bin/env python3
"""Writes the topics of `bskyauth help`: sections of the manuals as text.

usage: topics.py MAN        MAN is the directory of the manuals; prints Swift
"""

import pathlib
import re
import subprocess
import sys
import textwrap

from manuals import sections, set_examples, subsections

# The name of a topic, its page and section or subsection, and its summary.
TOPICS = [
    ("ci", "bskyauth-ci.7", "DESCRIPTION", "Running in CI and cron."),
    ("environment", "src/bskyauth.mdoc", "ENVIRONMENT", "Environment variables."),
    ("examples", "src/bskyauth.mdoc", "EXAMPLES", "Log in, post, follow, delete, and other first steps."),
    ("exit-codes", "src/bskyauth.mdoc", "EXIT STATUS", "Exit statuses, for scripts."),
    ("facets", "src/bskyauth-call.mdoc", "Mentions, links and tags", "Mentions, links and tags in a text."),
    ("items", "src/bskyauth-call.mdoc", "ITEMS", "The parameters of a call."),
    ("json", "src/bskyauth.mdoc", "OUTPUT", "Output, JSON and errors."),
    ("keys", "bskyauth-vault.5", "KEYS", "Passphrases and key files of the vault."),
    ("selecting-accounts", "src/bskyauth.mdoc", "WHICH ACCOUNT", "Which account a command uses."),
    ("sharing", "bskyauth-sharing.7", "DESCRIPTION", "Sharing a vault between machines."),
]
COLUMNS = 78


def text(section: str) -> str:
    """A section as mandoc formats it for a terminal, without its title."""
    page = f".Dd January 1, 2026\n.Dt BSKYAUTH 1\n.Os\n.Sh TEXT\n{section}"
    # The margin of a page is 5 columns.
    mandoc = ["mandoc", "-T", "utf8", "-O", f"width={COLUMNS + 5}"]
    set_page = subprocess.run(mandoc, input=page, capture_output=True, text=True, check=True).stdout
    lines = re.sub(r".\x08", "", set_page).split("\nTEXT\n")[1].rstrip().splitlines()[:-1]
    # mandoc puts two spaces between sentences; the program puts one.
    return re.sub(r"(?<=[.?])  (?=\S)", " ", textwrap.dedent("\n".join(lines)).strip("\n"))


def main() -> None:
    man = pathlib.Path(sys.argv[1])
    print("// Written by scripts/dev/generate from the manuals.\n\nextension HelpTopic {")
    print("    /// Every topic, by name.\n    static let all = [")
    for name, page, section, abstract in TOPICS:
        found = sections((man / page).read_text())
        for whole in list(found.values()):
            found.update(subsections(whole))
        body = text(set_examples(found[section]))
        print(f'        HelpTopic(\n            name: "{name}", abstract: "{abstract}",\n            text: #"""')
        print(textwrap.indent(body, " " * 16))
        print('                """#),')
    print("    ]\n}")


if __name__ == "__main__":
    main()
