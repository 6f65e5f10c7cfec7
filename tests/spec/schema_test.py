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


# What each certificate says; the rest is left out where it was not done.
CERTIFICATE = ["shapes_checked", "outputs_checked", "largest", "calls", "seed", "not_checked"]
MOST_MUTATED = 20_000  # bytes: the validator takes a second for longer documents


def one_of_each(items):
    """The first item of sum or dot, and the first of gemv or gemm."""
    for wanted in (True, False):
        for at, item in enumerate(items):
            if (item["routine"] in ("sum", "dot")) == wanted:
                yield at, item, wanted
                break


def mutations(document):
    """Documents that differ from a valid one in one forbidden way, with what was done."""

    def changed(what, change):
        other = copy.deepcopy(document)
        change(other)
        return what, other

    for key in document:
        if key != "empty_rules":
            yield changed(f"no {key}", lambda d, key=key: d.pop(key))
    yield changed("unknown key", lambda d: d.update(colour="red"))
    yield changed("other format", lambda d: d.update(format="reprosum-spec/1"))
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
    yield changed("no rules", lambda d: d.update(empty_rules=[]))
    for at, found, is_vector in one_of_each(document["entries"]):
        entry = lambda d: d["entries"][at]
        guard = lambda d: entry(d)["guard"]
        regime = lambda d: entry(d)["regimes"][0]
        certificate = lambda d: entry(d)["certificate"]
        for key in found:
            yield changed(f"no {key} of an entry", lambda d: entry(d).pop(key))
        for key in CERTIFICATE:
            yield changed(f"no {key} of a certificate", lambda d: certificate(d).pop(key))
        yield changed("unknown routine", lambda d: entry(d).update(routine="axpy"))
        yield changed("no regimes", lambda d: entry(d).update(regimes=[]))
        yield changed("no threads", lambda d: guard(d).update(threads=[]))
        yield changed("negative seed", lambda d: certificate(d).update(seed=-1))
        yield changed("largest of one", lambda d: certificate(d).update(largest=9))
        yield changed("largest of two", lambda d: certificate(d).update(largest=[1, 9]))
        yield changed("no sizes", lambda d: certificate(d).update(revealed=[]))
        yield changed("no repetitions", lambda d: certificate(d).update(repetitions=0))
        yield changed("key of version 1", lambda d: certificate(d).update(random_vectors=1))
        if is_vector:
            yield changed("routine", lambda d: entry(d).update(routine="gemm"))
            yield changed("modulus", lambda d: guard(d).update(modulus=24))
            yield changed("m_max", lambda d: entry(d).update(m_max=1))
            yield changed("order of an entry", lambda d: entry(d).update(order=0))
            yield changed("two regimes", lambda d: entry(d).update(regimes=2 * found["regimes"]))
            yield changed("atoms", lambda d: regime(d).update(guard=[]))
            yield changed("two classes", lambda d: regime(d).update(classes=2 * regime(d)["classes"]))
            yield changed("zero rule", lambda d: regime(d)["classes"][0].update(beta_zero="store"))
        else:
            yield changed("matrix routine", lambda d: entry(d).update(routine="dot"))
            yield changed("trans", lambda d: guard(d).update(trans="C"))
            yield changed("atom", lambda d: regime(d).update(guard=[["km", "<=", 3]]))
            yield changed("equal", lambda d: regime(d).update(guard=[["equal", "m"]]))
            yield changed("negative length", lambda d: regime(d)["rows"][0].update(words=[[[1, [0, -1]]]]))
            yield changed("key in class", lambda d: regime(d).update(classes=[{"order": 0}]))
    for at, found, is_vector in one_of_each(document.get("empty_rules", [])):
        rule = lambda d: d["empty_rules"][at]
        for key in ("routine", "type", "threads", "result"):
            yield changed(f"no {key} of a rule", lambda d: rule(d).pop(key))
        yield changed("routine of a rule", lambda d: rule(d).update(routine="gemm" if is_vector else "dot"))
        yield changed("result", lambda d: rule(d).update(result="keep" if is_vector else "+0"))
        yield changed("unknown result", lambda d: rule(d).update(result="0"))
        if is_vector:
            yield changed("result below zero", lambda d: rule(d).update(below_zero="scale"))
            yield changed("m_max of a rule", lambda d: rule(d).update(m_max=1))
        else:
            yield changed("below zero", lambda d: rule(d).update(below_zero="+0"))
            yield changed("no m_max", lambda d: rule(d).pop("m_max"))


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
