#!/usr/bin/env python3
"""Writes the compiled edition of the public lexicons: kinds, members, types and limits, in the form that CompiledText.swift reads.

usage: lexicons.py EDITION              EDITION is Tests/Fixtures/lexicons.json; prints Swift
       lexicons.py --sets EDITION       prints the Swift of the sandbox network
       lexicons.py --reduce LEXICONS    LEXICONS is a JSON of whole documents; prints an EDITION, which has facts and no descriptions

A line is one definition. These are the lines of app.bsky.feed for a query, a record and an object:

    ?getFeed feed:s'at-uri* limit:i>1<100=50 cursor:s >application/json %UnknownFeed
    .getFeed> {cursor:s feed:[@.defs#feedViewPost]*}
    =like tid {subject:@com.atproto.repo.strongRef* createdAt:s'datetime*}
    .defs#threadContext {rootAuthorLike:s'at-uri}
"""

import itertools
import json
import re
import sys
import textwrap

COLUMNS = 108
LETTERS = {"boolean": "b", "integer": "i", "string": "s", "bytes": "y", "cid-link": "l", "unknown": "u", "token": "t"}
KINDS = {"query": "?", "procedure": "!", "subscription": "~"}
#: The members that are kept, in the order of the edition. All others are words for people, or say nothing.
KEPT = {
    "query": ["type", "parameters", "input", "output", "message", "errors"],
    "record": ["type", "key", "record"],
    "permission-set": ["type", "title", "permissions"],
    "permission": ["type", "resource", "inheritAud", "lxm", "action", "collection"],
    "object": ["type", "required", "nullable", "properties"],
    "array": ["type", "minLength", "maxLength", "items"],
    "ref": ["type", "ref"],
    "union": ["type", "refs", "closed"],
    "blob": ["type", "accept", "maxSize"],
    "boolean": ["type", "const", "default"],
    "integer": ["type", "minimum", "maximum", "default"],
    "bytes": ["type", "minLength", "maxLength"],
    "string": [
        "type", "format", "minLength", "maxLength", "minGraphemes", "maxGraphemes", "enum", "knownValues", "default",
    ],
    "token": ["type"], "unknown": ["type"], "cid-link": ["type"],
}  # fmt: skip
KEPT |= {"procedure": KEPT["query"], "subscription": KEPT["query"], "params": KEPT["object"]}
WORDS = {"description", "title:lang", "detail", "detail:lang", "revision"}


# --- The facts of a document


def facts(value: dict) -> dict:
    """A definition or a type without descriptions, with its members in the order of the edition."""
    kept = KEPT[value["type"]]
    if lost := set(value) - set(kept) - WORDS:
        sys.exit(f"no place for {lost} of {value}")
    result = {name: fact(name, value) for name in kept if name in value}
    nothing = [[], False, {"type": "params", "properties": {}}]
    optional = ["required", "nullable", "closed", "parameters"]
    return {name: fact for name, fact in result.items() if name not in optional or fact not in nothing}


def fact(name: str, owner: dict):
    value = owner[name]
    match name:
        case "required" | "nullable":
            return [key for key in owner["properties"] if key in value]
        case "properties":
            return {key: facts(member) for key, member in value.items()}
        case "permissions":
            return [facts(member) for member in value]
        case "parameters" | "record" | "items":
            return facts(value)
        case "input" | "output" | "message":
            body = {key: value[key] for key in ("encoding",) if key in value}
            return body | ({"schema": facts(value["schema"])} if "schema" in value else {})
        case "errors":
            return [{"name": error["name"]} for error in value]
    return value


def reduce(lexicons: dict) -> None:
    """Prints an edition with a document on each line."""
    print('{"source":' + json.dumps(lexicons["source"]) + ',"lexicons":{')
    lines = []
    for name, document in sorted(lexicons["lexicons"].items(), key=lambda item: item[0].rpartition(".")):
        # Main comes first.
        definitions = sorted(document["defs"].items(), key=lambda item: item[0] != "main")
        reduced = {"lexicon": 1, "id": name, "defs": {key: facts(value) for key, value in definitions}}
        lines.append(json.dumps(name) + ":" + json.dumps(reduced, separators=(",", ":")))
    print(",\n".join(lines) + "\n}}")


# --- The text of a definition


class Text:
    """The text of the definitions of one authority."""

    def __init__(self, authority: str):
        self.authority = authority

    def name(self, text: str) -> str:
        """A reference or an NSID. A point stands for the authority."""
        return self.word(text.removeprefix(self.authority) if text.startswith(self.authority + ".") else text)

    def word(self, text: str) -> str:
        if not re.fullmatch(r"[^\s()\[\]{}<>=?'\"]+", text) or text.startswith("~"):
            sys.exit(f"the form has no place for the value {text!r}")
        return text

    def words(self, texts: list[str]) -> str:
        if dotted := [text for text in texts if text.startswith(".")]:
            sys.exit(f"the form would take these values for names: {dotted}")
        return " ".join(self.word(text) for text in texts)

    def names(self, texts: list[str]) -> str:
        return " ".join(self.name(text) for text in texts)

    def limits(self, of: dict) -> str:
        marks = {
            "minimum": ">", "minLength": ">", "minGraphemes": ">>",
            "maximum": "<", "maxLength": "<", "maxSize": "<", "maxGraphemes": "<<",
        }  # fmt: skip
        return "".join(mark + str(of[name]) for name, mark in marks.items() if name in of)

    def type(self, of: dict) -> str:
        match of["type"]:
            case "object":
                return "{" + self.members(of) + "}"
            case "array":
                return "[" + self.type(of["items"]) + "]" + self.limits(of)
            case "ref":
                return "@" + self.name(of["ref"])
            case "union":
                return "@" + "!" * of.get("closed", False) + "(" + self.names(of["refs"]) + ")"
            case "blob":
                return "x" + self.limits(of) + ("(" + self.words(of["accept"]) + ")" if "accept" in of else "")
        text = LETTERS[of["type"]] + ("'" + of["format"] if "format" in of else "") + self.limits(of)
        if "enum" in of:
            text += "(" + self.words(of["enum"]) + ")"
        if "knownValues" in of:
            text += "(~" + self.words(of["knownValues"]) + ")"
        for name, mark in ("default", "="), ("const", "=="):
            if name in of:
                value = of[name]
                text += mark + (self.word(value) if isinstance(value, str) else json.dumps(value))
        return text

    def members(self, of: dict) -> str:
        """A star for a required member, a question mark for one that may be null."""
        required, nullable = of.get("required", []), of.get("nullable", [])
        return " ".join(
            f"{self.word(name)}:{self.type(member)}{'*' * (name in required)}{'?' * (name in nullable)}"
            for name, member in of["properties"].items()
        )

    def method(self, name: str, of: dict) -> tuple[str, list[str]]:
        """The line of a method, and the lines of its bodies. The body of a subscription is its message."""
        line, bodies = [KINDS[of["type"]] + name], []
        if "parameters" in of:
            line.append(self.members(of["parameters"]))
        for key, mark in ("input", "<"), ("output", ">"), ("message", ">"):
            if key in of:
                if "encoding" in of[key]:
                    line.append(mark + of[key]["encoding"])
                if "schema" in of[key]:
                    bodies.append(f".{name}{mark} {self.type(of[key]['schema'])}")
        line += ["%" + self.word(error["name"]) for error in of.get("errors", [])]
        return " ".join(line), bodies

    def permission(self, of: dict) -> str:
        text = of["resource"] + "^" * of.get("inheritAud", False)
        for key, mark in ("lxm", "m"), ("action", "a"), ("collection", "c"):
            if key in of:
                text += mark.join((" ", "(")) + self.names(of[key]) + ")"
        return text

    def lines(self, name: str, document: dict) -> tuple[list[str], list[str]]:
        """The line of a method, if the document has one, and the other lines."""
        methods, others = [], []
        for key, of in document["defs"].items():
            if of["type"] in KINDS:
                line, bodies = self.method(name, of)
                methods.append(line)
                others += bodies
            elif of["type"] == "record":
                others.append(f"={name} {self.word(of['key'])} {self.type(of['record'])}")
            elif of["type"] == "permission-set":
                permissions = " ".join(self.permission(permission) for permission in of["permissions"])
                others.append(f'+{name} "{of["title"]}" {permissions}')
            else:
                others.append(f".{name}#{key} {self.type(of)}")
        return methods, others

    def text(self, documents: list[tuple[str, dict]]) -> list[str]:
        """All lines. Methods come first, because every call looks for one."""
        parts = [self.lines(name.rpartition(".")[2], document) for name, document in documents]
        # A subscription is no method that is called, so its line is behind the queries and procedures.
        methods = sorted((line for lines, _ in parts for line in lines), key=lambda line: line.startswith("~"))
        return methods + [line for _, lines in parts for line in lines]


# --- Swift


def wrapped(text: str) -> list[str]:
    """Lines of source for one line of text."""
    parts = textwrap.wrap(text, COLUMNS - 14, break_long_words=False, break_on_hyphens=False)
    # The break of a source line takes the place of a space.
    return [part + " \\" for part in parts[:-1]] + parts[-1:]


def swift(edition: dict) -> None:
    year, month = re.search(r"(\d{4})-(\d{2})", edition["source"]).groups()
    months = "January February March April May June July August September October November December".split()
    documents = sorted(edition["lexicons"].items(), key=lambda item: item[0].rpartition("."))
    groups = [
        (authority, Text(authority).text(list(group)))
        for authority, group in itertools.groupby(documents, lambda item: item[0].rpartition(".")[0])
    ]
    print("// Written by scripts/dev/generate from Tests/Fixtures/lexicons.json.\n\nextension CompiledLexicons {")
    print(f'    /// The month of the lexicons.\n    package static let edition = "{months[int(month) - 1]} {year}"\n')
    print("    /// What the names of documents begin with.\n    package static let authorities = [")
    names = " ".join(f'"{authority}",' for authority, _ in groups)
    print(textwrap.fill(names, COLUMNS, initial_indent=" " * 8, subsequent_indent=" " * 8, break_on_hyphens=False))
    print("    ]\n")
    print("    /// The definitions of an authority, one per line; nil for an authority without documents.")
    print("    static func text(of authority: String) -> String? {\n        switch authority {")
    for authority, lines in groups:
        print(f'        case "{authority}":\n            """')
        for text in lines:
            for part in wrapped(text):
                print(" " * 12 + part)
        print('            """')
    print("        default: nil\n        }\n    }\n}")


def sandbox(edition: dict) -> None:
    """The permission sets for the sandbox network, which reads them by itself."""
    print("// Written by scripts/dev/generate from Tests/Fixtures/lexicons.json.\n\nextension PermissionSet {")
    print("    /// The published sets, one per line: the name and the definition.\n    static let published = #\"\"\"")
    for name, document in sorted(edition["lexicons"].items()):
        main = document["defs"].get("main", {})
        if main.get("type") == "permission-set":
            for part in wrapped(f"{name} {json.dumps(main, separators=(', ', ': '))}"):
                print(" " * 8 + (part[:-1] + "\\#" if part.endswith("\\") else part))
    print('        """#\n}')


def main() -> None:
    *options, path = sys.argv[1:]
    lexicons = json.load(open(path))
    {"--reduce": reduce, "--sets": sandbox, "": swift}[" ".join(options)](lexicons)


if __name__ == "__main__":
    main()
