#!/usr/bin/env python3
"""Writes the manual of each command, from the program's help and from man/src.

usage: manuals.py DUMP SOURCES TARGET

DUMP is the output of `bskyauth --experimental-dump-help`. SOURCES has a file of mdoc(7) sections for each page, such as
bskyauth-call.mdoc. Its DESCRIPTION follows the program's description; its other sections follow the options. Subcommands
are described on the page of their command.
"""

import json
import pathlib
import re
import sys
import textwrap

DATE = "January 1, 2026"
# The page that describes the options of every command.
FIRST_PAGE = "bskyauth"
# Marks the place of the hand-written description.
END_OF_DESCRIPTION = "END OF DESCRIPTION"
# The flags, variables and code in the program's texts, with the punctuation around them.
MARKED = re.compile(
    r"(?P<before>\(?)(?:`(?P<code>[^`]+)`|(?P<flag>--?[A-Za-z][a-z-]*)|\$?(?P<variable>BSKYAUTH_[A-Z_]+))"
    r"(?P<after>[.,:;)]*)(?=\s|$)"
)
# groff prints these as other characters, and a shell would not understand those.
TYPED = str.maketrans({"\\": r"\e", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "~": r"\(ti", "^": r"\(ha"})


def sections(text: str) -> dict[str, str]:
    """The sections of an mdoc source by their titles."""
    parts = re.split(r"^\.Sh (.*)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def subsections(text: str) -> dict[str, str]:
    """The subsections of a section by their titles."""
    parts = re.split(r"^\.Ss (.*)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def typed(line: str) -> str:
    """A line of an example, escaped so that it prints as it is typed."""
    line = line.translate(TYPED)
    return r"\&" + line if line.startswith(".") else line


def literal(lines: list[str]) -> list[str]:
    return [".Bd -literal -offset indent", *map(typed, lines), ".Ed"]


def set_examples(source: str) -> str:
    """A hand-written section with escaped examples."""
    return re.sub(
        r"(?<=^\.Bd -literal -offset indent\n).*?(?=^\.Ed$)",
        lambda example: "".join(typed(line) + "\n" for line in example[0].splitlines()),
        source,
        flags=re.MULTILINE | re.DOTALL,
    )


def prose(text: str) -> list[str]:
    """A paragraph of the program's help: one sentence on a line, with flags, variables and code marked up."""
    lines = []

    def write(words: str) -> None:
        for sentence in re.split(r"(?<=[.:?]) +(?=[A-Z])", words.strip()):
            lines.extend(textwrap.wrap(sentence.replace("\\", r"\e"), 78, break_on_hyphens=False))

    rest = 0
    for mark in MARKED.finditer(text):
        if mark.start() and not text[mark.start() - 1].isspace():
            continue
        write(text[rest : mark.start()])
        rest = mark.end()
        if mark["code"]:
            macro = "Cm " + mark["code"]
        elif mark["flag"]:
            macro = "Fl " + mark["flag"][1:]
        else:
            macro = "Ev " + mark["variable"]
        name, words = macro.split(" ", 1)
        lines.append(" ".join(filter(None, [f".{name}", mark["before"], words, *mark["after"]])))
    write(text[rest:])
    return [r"\&" + line if line.startswith("'") else line for line in lines]


def discussion(command: dict) -> list[str]:
    """The help of a command after its first line: paragraphs and indented examples."""
    lines = []
    for paragraph in command.get("discussion", "").split("\n\n"):
        if paragraph.startswith("  "):
            lines += literal(textwrap.dedent(paragraph).split("\n"))
        elif paragraph:
            lines += ([".Pp"] if lines else []) + prose(" ".join(paragraph.split()))
    return lines


def shown(command: dict) -> list[dict]:
    return [argument for argument in command["arguments"] if argument["shouldDisplay"]]


def value(argument: dict) -> str:
    """The values of an argument, or its placeholder."""
    choices = argument.get("allValues")
    return " | ".join(f"Cm {choice}" for choice in choices) if choices else f"Ar {argument['valueName']}"


def names(argument: dict) -> str:
    """An option with its value, its short name first."""
    ordered = sorted(argument["names"], key=lambda name: name["kind"] != "short")
    flags = " , ".join("Fl " + ("" if name["kind"] == "short" else "-") + name["name"] for name in ordered)
    return flags if argument["kind"] == "flag" else f"{flags} {value(argument)}"


def synopsis(words: str, command: dict, common: list[dict]) -> list[str]:
    """The synopsis of a command. It lists only the required options."""
    own = [argument for argument in shown(command) if argument not in common]
    lines = [f".Nm {words}"]
    if any(argument["kind"] != "positional" and argument["isOptional"] for argument in own):
        lines.append(".Op Ar options")
    for argument in own:
        repeated = " ..." if argument["isRepeating"] and argument["kind"] == "positional" else ""
        if argument["kind"] == "positional":
            text = f"Ar {argument['valueName']}{repeated}"
            lines.append(f".Op {text}" if argument["isOptional"] else f".{text}")
        elif not argument["isOptional"]:
            lines.append(f".{names(argument)}")
    return lines


def arguments(command: dict, common: list[dict]) -> list[str]:
    """The arguments and options of a command with their help."""
    own = [argument for argument in shown(command) if argument not in common]
    if not own:
        return []
    lines = [".Bl -tag -width Ds"]
    for argument in own:
        lines.append(".It " + (names(argument) if argument["kind"] != "positional" else value(argument)))
        lines += prose(argument["abstract"])
        default = argument.get("defaultValue")
        if default and argument["kind"] == "option":
            lines += ["The default is", f".Cm {default} ."]
        elif default:
            lines.append("This is the default.")
    return lines + [".El"]


def leaves(command: dict, words: str, is_default: bool = False):
    """The commands below a command that do something, each with its words, and whether it runs if no other is named."""
    nested = command.get("subcommands") or []
    if not nested:
        yield words, command, is_default
    for one in nested:
        name = one["commandName"]
        yield from leaves(one, f"{words} {name}", name == command.get("defaultSubcommand"))


class Manual:
    """The pages of a program."""

    def __init__(self, root: dict, sources: pathlib.Path):
        self.root = root
        self.sources = sources
        # The parser's own help command comes last. Our help command replaces it.
        self.commands = root["subcommands"][:-1]
        shared = [shown(leaf) for command in self.commands for _, leaf, _ in leaves(command, "")]
        self.common = [one for one in shared[0] if all(one in others for others in shared)]

    def pages(self) -> dict[str, str]:
        made = {FIRST_PAGE: self.first_page()}
        for command in self.commands:
            made[f"{FIRST_PAGE}-{command['commandName']}"] = self.page(command)
        return {name: self.complete(name, lines) for name, lines in made.items()}

    def complete(self, name: str, lines: list[str]) -> str:
        """A page with its hand-written sections."""
        own = sections((self.sources / f"{name}.mdoc").read_text())
        head = [f'.\\" Written by scripts/dev/generate from the commands and man/src/{name}.mdoc.']
        head += [f".Dd {DATE}", f".Dt {name.upper()} 1", ".Os"]
        description = set_examples(own.pop("DESCRIPTION")).splitlines()
        end = lines.index(END_OF_DESCRIPTION)
        rest = ([] if lines[end - 1].startswith(".Sh") else [".Pp"]) + description + lines[end + 1 :]
        text = "\n".join(head + lines[:end] + rest) + "\n"
        return text + "".join(f".Sh {title}\n{set_examples(body)}" for title, body in own.items())

    def first_page(self) -> list[str]:
        lines = [".Sh NAME", f".Nm {FIRST_PAGE}", f".Nd {described(self.root)}"]
        lines += [".Sh SYNOPSIS", f".Nm {FIRST_PAGE}", ".Ar command", ".Op Ar options"]
        lines += [f".Nm {FIRST_PAGE}", ".Cm help", ".Op Ar command | topic"]
        lines += [".Sh DESCRIPTION", *discussion(self.root), END_OF_DESCRIPTION]
        lines += [".Sh COMMANDS", "Each command has its own manual.", ".Bl -tag -width Ds"]
        for command in self.commands:
            lines += [f".It Xr {FIRST_PAGE}-{command['commandName']} 1", *prose(command["abstract"])]
        lines += [".El", ".Sh OPTIONS", "These options work with every command, before or after its name."]
        return lines + arguments({"arguments": self.common}, [])

    def page(self, command: dict) -> list[str]:
        name = command["commandName"]
        words = f"{FIRST_PAGE} {name}"
        nested = bool(command.get("subcommands"))
        lines = [".Sh NAME", f".Nm {FIRST_PAGE}-{name}", f".Nd {described(command)}", ".Sh SYNOPSIS"]
        for called, one, _ in leaves(command, words):
            lines += synopsis(called, one, self.common)
        lines += [".Sh DESCRIPTION", *discussion(command), END_OF_DESCRIPTION]
        if nested:
            lines.append(".Sh COMMANDS")
        for called, one, is_default in leaves(command, words) if nested else []:
            lines += [f".Ss {called}", *prose(one["abstract"])]
            if is_default:
                lines.append("This is the default command.")
            told, taken = discussion(one), arguments(one, self.common)
            lines += ([".Pp"] if told else []) + told + taken
        lines += [".Sh OPTIONS", *([] if nested else arguments(command, self.common))]
        if not lines[-1].startswith(".Sh"):
            lines.append(".Pp")
        lines += ["The options of every command, the environment variables and the exit statuses"]
        return lines + ["are described in", f".Xr {FIRST_PAGE} 1 ."]


def described(command: dict) -> str:
    """The first line of a command's help, as mdoc's Nd wants it."""
    line = command["abstract"].removesuffix(".")
    return line[0].lower() + line[1:]


def main() -> None:
    dump, sources, target = map(pathlib.Path, sys.argv[1:])
    target.mkdir(parents=True, exist_ok=True)
    for name, text in Manual(json.loads(dump.read_text())["command"], sources).pages().items():
        (target / f"{name}.1").write_text(text)


if __name__ == "__main__":
    main()
