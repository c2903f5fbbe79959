#!/usr/bin/env python3
"""Removes the parser's own `help` command from a completion script, because it would override ours.
For bash it also restricts the treatment of words as file names to places where files are completed. Otherwise a command, an
account or a method with the name of a directory would get a slash.
In bash and zsh no space follows the equals sign of a parameter. fish adds none.

usage: bskyauth --generate-completion-script SHELL | completions.py
"""

import re
import sys

PARSERS_HELP = [
    # bash and zsh: the name of the parser's command in the list, and its function after the function of our command.
    (r"(?<=\bhelp)[ |]help(?=['|)])", 0),
    (r"(?<=\n\}\n\n)_bskyauth_help\(\) \{\n(?:    .*\n|\n)*?\}\n\n(?!_bskyauth_help)", 0),
    # zsh and fish: the line of the parser's command in the list.
    (r"^.*Show subcommand help information\..*\n", re.MULTILINE),
    # fish: the case of the parser's command, and its options. Our command has the same options.
    (r"(?<=\n)        case 'help'\n.* -r 1 'version'\n", 0),
    (r"""^(complete .*"bskyauth help" version'.*\n)(?=(?:.*\n)*\1)""", re.MULTILINE),
]

# bash: the option for all words is replaced by one for the words that compgen finds among the files.
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

# bash, zsh: what follows a parameter is its value.
NO_SPACE = [
    (
        """    done < <(IFS=$'\\n' compgen "${@}" -- "${cur}")
}
""",
        """    done < <(IFS=$'\\n' compgen "${@}" -- "${cur}")
    case "${COMPREPLY[*]}" in
    *=) compopt -o nospace 2>/dev/null ;;
    esac
}
""",
    ),
    (
        """    if [[ "${#completions[@]}" -gt 1 ]]; then
        __bskyauth_complete""",
        """    if [[ "${completions[1]}" == *= ]]; then
        compadd -S '' -- "${completions[@]:0:-1}"
    elif [[ "${#completions[@]}" -gt 1 ]]; then
        __bskyauth_complete""",
    ),
]


def main() -> None:
    script = sys.stdin.read()
    for pattern, flags in PARSERS_HELP:
        script = re.sub(pattern, "", script, flags=flags)
    for words, others in FILE_NAMES + NO_SPACE:
        script = script.replace(words, others)
    sys.stdout.write(script)


if __name__ == "__main__":
    main()
