"""Validates lines of JSON against docs/bskyauth.schema.json: `validate.py SCHEMA < LINES`.

Each line is an object of standard output, which names its definition, or a failure of standard error. Prints the
definitions that were met, one a line; exits 1 where a line is not what its definition says.
"""

import json
import sys

import jsonschema

schema = json.load(open(sys.argv[1], encoding="utf-8"))
jsonschema.Draft202012Validator.check_schema(schema)
wrong = 0
met = set()
for line in sys.stdin:
    value = json.loads(line)
    name = "error" if "error" in value and "schema" not in value else value["schema"].removeprefix("bskyauth.")
    if name not in schema["$defs"]:
        print(f"there is no definition {name}", file=sys.stderr)
        wrong = 1
        continue
    met.add(name)
    pointer = name.replace("~", "~0").replace("/", "~1")
    validator = jsonschema.Draft202012Validator({**schema, "$ref": f"#/$defs/{pointer}"})
    for error in validator.iter_errors(value):
        print(f"{name} {error.json_path}: {error.message}", file=sys.stderr)
        wrong = 1
print("\n".join(sorted(met)))
sys.exit(wrong)
