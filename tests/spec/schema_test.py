"""Validates documents against spec/reprosum-spec.schema.json.

usage: schema_test.py SCHEMA DOCUMENT...   (exit 77: python3-jsonschema is absent)
Every document must be valid, and a short one no longer after any of the mutations below.
"""

import copy
import json
import os
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is absent")
    sys.exit(77)


MOST_MUTATED = 20_000  # bytes: the validator takes a second for longer documents


def mutations(document):
    """Documents that differ from a valid one in one forbidden way, with what was done."""

    def changed(what, change):
        other = copy.deepcopy(document)
        change(other)
        return what, other

    for key in document:
        if key != "matrices":
            yield changed(f"no {key}", lambda d, key=key: d.pop(key))
    yield changed("unknown key", lambda d: d.update(colour="red"))
    yield changed("other format", lambda d: d.update(format="reprosum-spec/2"))
    yield changed("short hash", lambda d: d.update(sha256="abc"))
    yield changed("provenance number", lambda d: d["provenance"].update(calls=3))
    if document["orders"]:
        order = lambda d: d["orders"][0]
        yield changed("boolean", lambda d: order(d).update(zero_start=True))
        yield changed("flush", lambda d: order(d).update(flush="none"))
        yield changed("no regime", lambda d: order(d).update(regimes=[]))
        yield changed("float", lambda d: order(d)["regimes"][0].update(lo=1.5))
        yield changed("unknown rule", lambda d: order(d)["regimes"][0]["rule"].update(kind="spiral"))
        yield changed("key in rule", lambda d: order(d)["regimes"][0]["rule"].update(extra=1))
    if document["entries"]:
        entry = lambda d: d["entries"][0]
        yield changed("routine", lambda d: entry(d).update(routine="gemm"))
        yield changed("modulus", lambda d: entry(d)["guard"].update(modulus=24))
        yield changed("no threads", lambda d: entry(d)["guard"].update(threads=[]))
        yield changed("negative seed", lambda d: entry(d)["certificate"].update(seed=-1))
    if document.get("matrices"):
        matrix = lambda d: d["matrices"][0]
        regime = lambda d: matrix(d)["regimes"][0]
        yield changed("matrix routine", lambda d: matrix(d).update(routine="dot"))
        yield changed("no matrices", lambda d: d.update(matrices=[]))
        yield changed("trans", lambda d: matrix(d)["guard"].update(trans="C"))
        yield changed("no regimes", lambda d: matrix(d).update(regimes=[]))
        yield changed("atom", lambda d: regime(d).update(guard=[["km", "<=", 3]]))
        yield changed("negative length", lambda d: regime(d)["rows"][0].update(words=[[[1, [0, -1]]]]))
        yield changed("key in class", lambda d: regime(d).update(classes=[{"order": 0}]))


def main():
    with open(sys.argv[1]) as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    wrong = 0
    for path in sys.argv[2:]:
        with open(path) as file:
            document = json.load(file)
        for error in validator.iter_errors(document):
            print(f"{path}: {error.json_path}: {error.message[:200]}")
            wrong += 1
        if os.path.getsize(path) > MOST_MUTATED:
            continue
        for what, mutant in mutations(document):
            if validator.is_valid(mutant):
                print(f"{path}: still valid after '{what}'")
                wrong += 1
    print(f"{len(sys.argv) - 2} documents, {wrong} wrong")
    sys.exit(1 if wrong else 0)


main()
