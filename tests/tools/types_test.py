#!/usr/bin/env python3
"""Is a number format compared with a particular one only where that is allowed?

    python3 tests/tools/types_test.py      0: yes; 1: the lines that do, one a line

"f32 or else f64" takes every third format for f64 without a word. spec::is_f32() refuses one by
name, and what depends on a format is asked of it: bytes(), largest(), rounded(). So nothing but the
rows of ALLOWED may compare with a named format, or with the word or letter of one. The number is
how many lines of the file do; it must be right, so that the table stays short."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALLOWED = {
    "spec/format.h": 3,  # is_native() and is_f32()
    "spec/format.cpp": 2,  # rounded(): the two that the processor rounds to
    "src/blas/call_reader.h": 1,  # the letters of BLAS names: S, D, C, Z
}
KINDS = r"(?:\w+::)*\b(?:Type|Format)::(?:f|bf|tf|e)\d\w*"
WORDS = r"\"(?:f32|f64|f16|bf16|tf32|e4m3|e5m2)\""
COMPARED = re.compile(
    rf"[=!]=\s*(?:{KINDS}|{WORDS}|'[sdSD]')|(?:{KINDS}|{WORDS})\s*[=!]=|\bcase\s+{KINDS}\s*:")


def lines_that_compare(text):
    lines = text.splitlines()
    code = "\n".join(line.split("//", 1)[0] for line in lines)
    starts = sorted({code.count("\n", 0, found.start()) for found in COMPARED.finditer(code)})
    return [(start + 1, lines[start].strip()) for start in starts]


def wrong_lines():
    for top in ("spec", "kernels", "reveal", "src", "include", "bench"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".c"):
                continue
            name = str(path.relative_to(ROOT))
            found = lines_that_compare(path.read_text())
            if len(found) == ALLOWED.get(name, 0):
                continue
            for number, line in found:
                yield f"{name}:{number}: compares with one format, others pass for the rest: {line}"
            if not found:
                yield f"{name}: compares with no format any more: take it out of the table"


def self_test():
    """What must be found, and what must not."""
    wrong = ["if (type == Type::f32)", "spec::Type::f64 != call.type", "case Type::bf16:",
             "return format == spec::Format::e4m3;", 'name(type) == "f32"', "letter == 's'", "type ==\n    Type::f32"]
    right = ["Type type = Type::f32;", "for (const Type t : {Type::f32, Type::f64})",
             "a.type == b.type", "x; // == Type::f32", "case Format::Specials::ieee:",
             "NodeFormat::wide == format"]
    return [f"not found: {line}" for line in wrong if not lines_that_compare(line)] + [
        f"found: {line}" for line in right if lines_that_compare(line)]


def main():
    wrong = self_test() + list(wrong_lines())
    print("\n".join(wrong) if wrong else "no format is compared with but where it may be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
