#!/usr/bin/env python3
"""Takes the parser's own `help` out of a completion script, which comes after ours and would be the one that counts.
In bash it has words taken for names of files only where files are completed: else a command, an account or a method
that a directory here is called like would get a slash.

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

# bash: for every word, and for those that compgen finds among the files.
FILE_NAMES = [
    ("complete -o filenames -F _bskyauth", "complete -F _bskyauth"),
    (
        "__bskyauth_add_completions() {\n",
        """__bskyauth_add_completions() {
    case "${1}" in
    -d|-f) compopt -o filenames 2>/dev/null ;;
    esac
""",
    ),
]


def main() -> None:
    script = sys.stdin.read()
    for pattern, flags in PARSERS_HELP:
        script = re.sub(pattern, "", script, flags=flags)
    for words, others in FILE_NAMES:
        script = script.replace(words, others)
    sys.stdout.write(script)


if __name__ == "__main__":
    main()
