#!/usr/bin/env python3
"""Takes the parser's own `help` out of a completion script, which comes after ours and would be the one that counts.

usage: bskyauth --generate-completion-script SHELL | completions.py
"""

import re
import sys

PARSERS_HELP = [
    # bash and zsh: its name where all are, and its function, which follows the one of ours.
    (r"(?<=\bhelp)[ |]help(?=['|)])", 0),
    (r"(?<=\n\}\n\n)_bskyauth_help\(\) \{\n(?:    .*\n|\n)*?\}\n\n(?!_bskyauth_help)", 0),
    # zsh and fish: its line in the list of commands.
    (r"^.*Show subcommand help information\..*\n", re.MULTILINE),
    # fish: its case, and its options, which ours has too.
    (r"(?<=\n)        case 'help'\n.* -r 1 'version'\n", 0),
    (r"""^(complete .*"bskyauth help" version'.*\n)(?=(?:.*\n)*\1)""", re.MULTILINE),
]


def main() -> None:
    script = sys.stdin.read()
    for pattern, flags in PARSERS_HELP:
        script = re.sub(pattern, "", script, flags=flags)
    sys.stdout.write(script)


if __name__ == "__main__":
    main()
