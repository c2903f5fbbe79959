#!/usr/bin/env python3
"""Writes what the program knows of the public lexicons: the methods, their query parameters and their media types.

usage: lexicons.py LEXICONS        LEXICONS is Tests/Fixtures/lexicons.json; prints Swift
"""

import itertools
import json
import re
import sys
import textwrap

COLUMNS = 108
TYPES = {"string": "s", "integer": "i", "boolean": "b"}


def parameter(name: str, kind: str, is_required: bool) -> str:
    """`limit:i`, `actors:[s]*`: brackets for an array, a star for a required parameter."""
    base = kind.removeprefix("array:")
    letter = TYPES[base] if base == kind else f"[{TYPES[base]}]"
    return f"{name}:{letter}{'*' * is_required}"


def media_type(name: str) -> str:
    return "json" if name == "application/json" else name


def line(name: str, method: dict) -> str:
    """`?getFeed feed:s* limit:i cursor:s >json @feed`: a query has a question mark, a procedure an exclamation mark."""
    required = method.get("required", [])
    words = [("?" if method["type"] == "query" else "!") + name]
    words += [parameter(key, kind, key in required) for key, kind in method.get("params", {}).items()]
    if "input" in method:
        words.append("<" + media_type(method["input"]))
    if "output" in method:
        words.append(">" + media_type(method["output"]))
    words += ["@" + member for member in method.get("paged", [])]
    return " ".join(words)


def wrapped(text: str) -> list[str]:
    """Lines of source for one line of text."""
    parts = textwrap.wrap(
        text, COLUMNS - 14, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
    # The break of a source line takes the place of a space.
    return [part + " \\" for part in parts[:-1]] + parts[-1:]


def main() -> None:
    lexicons = json.load(open(sys.argv[1]))
    methods = sorted(lexicons["methods"].items())
    edition = re.search(r"([A-Z][a-z]+ \d{4})", lexicons["source"]).group(1)
    groups = [
        (authority, [line(name.rpartition(".")[2], method) for name, method in group])
        for authority, group in itertools.groupby(methods, lambda item: item[0].rpartition(".")[0])
    ]
    print("// Written by scripts/dev/generate from Tests/Fixtures/lexicons.json.\n\nextension PublicMethods {")
    print(f'    /// The month of the lexicons.\n    package static let edition = "{edition}"\n')
    print("    /// What the names of methods begin with.\n    package static let authorities = [")
    names = " ".join(f'"{authority}",' for authority, _ in groups)
    print(textwrap.fill(names, COLUMNS, initial_indent=" " * 8, subsequent_indent=" " * 8, break_on_hyphens=False))
    print("    ]\n")
    print("    /// The methods of an authority, one per line; nil for an authority without methods.")
    print("    static func list(of authority: String) -> String? {\n        switch authority {")
    for authority, lines in groups:
        print(f'        case "{authority}":\n            """')
        for text in lines:
            for part in wrapped(text):
                print(" " * 12 + part)
        print('            """')
    print("        default: nil\n        }\n    }\n}")


if __name__ == "__main__":
    main()
