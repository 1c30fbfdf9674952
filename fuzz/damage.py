"""Ways to damage a file."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from collections.abc import Callable
from random import Random

Damage = Callable[[Random, bytes], bytes]


def _flip(rng: Random, content: bytes) -> bytes:
    out = bytearray(content)
    for _ in range(rng.choice([1, 3, 20])):
        if out:
            out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


def _truncate(rng: Random, content: bytes) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _behead(rng: Random, content: bytes) -> bytes:
    return content[rng.randrange(1, len(content) + 1) :] if content else content


def _insert(rng: Random, content: bytes) -> bytes:
    at = rng.randrange(len(content) + 1)
    return content[:at] + rng.randbytes(rng.choice([1, 4, 64])) + content[at:]


def _insert_sign(rng: Random, content: bytes) -> bytes:
    at = rng.randrange(len(content) + 1)
    signs = [
        b'"',
        b"\n",
        b"\r",
        b"\x00",
        b",",
        b";",
        b"\t",
        b"'",
        b"\xff",
        b"\xef\xbb\xbf",
        b"\x1b[2J",
        b"\x1a",
        b"=1+1",
    ]
    return content[:at] + rng.choice(signs) + content[at:]


def _double(rng: Random, content: bytes) -> bytes:
    at, size = rng.randrange(len(content) + 1), rng.choice([3, 40, 400])
    return content[:at] + content[at : at + size] * rng.choice([2, 10]) + content[at:]


def _cut(rng: Random, content: bytes) -> bytes:
    at, size = rng.randrange(len(content) + 1), rng.choice([1, 10, 100])
    return content[:at] + content[at + size :]


def _zero(rng: Random, content: bytes) -> bytes:
    at, size = rng.randrange(len(content) + 1), rng.choice([1, 8, 64])
    return content[:at] + bytes(min(size, len(content) - at)) + content[at + size :]


#: For any file.
ANY: list[Damage] = [_flip, _flip, _truncate, _behead, _insert, _insert_sign, _double, _cut, _zero, lambda r, c: b""]


def _delimiters(rng: Random, content: bytes) -> bytes:
    return content.replace(b",", rng.choice([b";", b"\t", b"|", b",,", b" ", b"\r"]), rng.choice([-1, 1, 5]))


def _encode(rng: Random, content: bytes) -> bytes:
    text = content.decode("utf-8", "replace").replace("north", "Münster")
    return text.encode(rng.choice(["utf-16", "utf-16-le", "latin-1", "utf-8-sig", "utf-32", "cp1252"]), "replace")


def _endings(rng: Random, content: bytes) -> bytes:
    return content.replace(b"\n", rng.choice([b"\r\n", b"\r", b"\n\n", b"\n\r", b""]), rng.choice([-1, -1, 1]))


def _huge(rng: Random, content: bytes) -> bytes:
    at = rng.randrange(len(content) + 1)
    return content[:at] + rng.choice([b"x", b'"', b",", b"\n", b"9"]) * rng.choice([10_000, 3_000_000]) + content[at:]


def _no_header(rng: Random, content: bytes) -> bytes:
    return content.split(b"\n", 1)[-1]


def _header_twice(rng: Random, content: bytes) -> bytes:
    return content.split(b"\n", 1)[0] + b"\n" + content


def _open_quote(rng: Random, content: bytes) -> bytes:
    line = content.split(b"\n", 1)[0]
    at = rng.choice([0, *(i + 1 for i, sign in enumerate(line) if sign == ord(","))])
    return content[:at] + b'"' + content[at:]


def _quoted_after_space(rng: Random, content: bytes) -> bytes:
    lines = content.split(b"\n")
    at = rng.randrange(len(lines))
    lines[at] = lines[at].replace(b",", b', "', 1) + b'"'
    return b"\n".join(lines)


def _name_twice(rng: Random, content: bytes) -> bytes:
    header, _, rest = content.partition(b"\n")
    names = header.split(b",")
    names[rng.randrange(len(names))] = rng.choice([rng.choice(names), b"", b"AGE", b"incrowd_x", b" "])
    return b",".join(names) + b"\n" + rest


#: For CSV files, on top.
CSV: list[Damage] = [
    _delimiters, _encode, _endings, _huge, _no_header, _no_header, _header_twice, _open_quote, _open_quote,
    _quoted_after_space, _name_twice,
]  # fmt: skip


def _lines(rng: Random, content: bytes) -> bytes:
    """A line of the plan left out, doubled, or put elsewhere; or its indentation."""
    lines = content.split(b"\n")
    at = rng.randrange(len(lines))
    line = lines.pop(at)
    back = rng.choice([[], [line, line], [b"  " + line], [line.strip()]])
    to = rng.choice([at, rng.randrange(len(lines) + 1)])
    return b"\n".join(lines[:to] + back + lines[to:])


def _value(rng: Random, content: bytes) -> bytes:
    """Another value where one is."""
    lines = content.split(b"\n")
    at = rng.choice([i for i, line in enumerate(lines) if b":" in line or b"- " in line] or [0])
    sign = b": " if b":" in lines[at] else b"- "
    new = rng.choice(
        [b"-1", b"0", b"nan", b"inf", b"1e308", b"9" * 30, b"1e999999", b"", b"''", b"null", b"true", b"[]", b"{}",
         b"~", b"../../etc/passwd", b"/dev/zero", b".", b"/", b"*a", b"&a b", b"!!python/object:os.system x", b"[[[]]]",
         b"\xc3\xa9", b"'\\x1b[2J'", b'"\\e[31m"', b"{a: 1}", b"x" * 5000, b"0x1F", b"1_000", b"plan.yaml"]
    )  # fmt: skip
    lines[at] = lines[at].split(sign, 1)[0] + sign + new
    return b"\n".join(lines)


def _deep(rng: Random, content: bytes) -> bytes:
    many = rng.choice([50, 900, 20_000])
    deep = rng.choice([b"[" * many + b"]" * many, b"{a: " * many + b"}" * many, b"- " * many])
    return content + b"\nextra: " + deep + b"\n"


def _bomb(rng: Random, content: bytes) -> bytes:
    """Aliases of aliases."""
    lines = [b"a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    for number in range(1, rng.choice([3, 7])):
        lines.append(b"a%d: &a%d [%s]" % (number, number, b", ".join([b"*a%d" % (number - 1)] * 9)))
    return b"\n".join(lines) + b"\n" + content


def _loop(rng: Random, content: bytes) -> bytes:
    return b"extra: &a [*a, *a]\n" + content


#: For plans, on top.
YAML: list[Damage] = [_lines, _lines, _value, _value, _value, _value, _deep, _bomb, _loop, _encode, _endings, _huge]


def _member(rng: Random, content: bytes) -> bytes:
    """Take an Excel file apart, damage a part of it, and put it together again."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as old:
            parts = {name: old.read(name) for name in old.namelist()}
    except (zipfile.BadZipFile, zlib.error, ValueError, OSError, NotImplementedError, RuntimeError):
        return content  # damaged before
    name = rng.choice([*parts, *[part for part in parts if "sheet" in part] * 3])
    way = rng.randrange(5)
    if way == 0:
        del parts[name]
    elif way == 1:
        parts[name] = rng.choice(ANY)(rng, parts[name])
    elif way == 2:
        entities = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
        parts[name] = parts[name].replace(b"<v>", b"<v>&b;", 3).replace(b"?>", b"?>" + entities, 1)
    elif way == 3:
        parts[name] = parts[name].replace(b'r="A', b'r="XFD', 1).replace(b'r="2"', b'r="1048576"', 1)
    else:
        parts[name] = parts[name].replace(b"<v>", b"<v>" + b"9" * rng.choice([10, 100_000]), 2)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for part, held in parts.items():
            new.writestr(part, held)
    return out.getvalue()


def _repack(rng: Random, content: bytes) -> bytes:
    """Damage what is inside a gzip file."""
    try:
        return gzip.compress(rng.choice([*ANY, *CSV])(rng, gzip.decompress(content)), mtime=0)
    except (OSError, EOFError, zlib.error):
        return content  # damaged before


#: By the ending of a file.
WAYS: dict[str, list[Damage]] = {
    ".csv": [*ANY, *CSV, *CSV],
    ".yaml": [*ANY, *YAML, *YAML],
    ".xlsx": [*ANY, *[_member] * 8],
    ".gz": [*ANY, *[_repack] * 6],
    **{ending: [*ANY] for ending in (".parquet", ".jsonl", ".sav", ".dta")},
}
