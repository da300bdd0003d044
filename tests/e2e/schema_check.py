"""protocol.schema.json as the tests use it: with its own four keywords, and fast enough for thousands of lines.

JSON Schema cannot count bytes, multiply, read base64 and compare lengths, so the file has maxBytes, maxProduct, packed and sameLength;
Validator knows them. References are resolved,
and a line is checked against the one branch that its op, `to` or `event` names: the same verdict as the whole schema
(test_schema compares), in a tenth of the time.
"""

import base64
import binascii
import functools
import json
import math
import struct

import jsonschema

from drover_client import ROOT

SCHEMA = json.loads((ROOT / "protocol.schema.json").read_text(encoding="utf-8"))
DEFS = SCHEMA["$defs"]
OPS = DEFS["op"]["enum"]


def max_bytes(_, most, value, __):
    if isinstance(value, str) and len(value.encode()) > most:
        yield jsonschema.ValidationError(f"{value!r} has more than {most} bytes")


def max_product(_, most, value, __):
    if isinstance(value, list) and all(isinstance(n, (int, float)) for n in value) and math.prod(value) > most:
        yield jsonschema.ValidationError(f"the product of {value} is more than {most}")


def unpacked(text):
    """The bytes of a text in base64, or None when it is none: one text for one sequence of bytes."""
    try:
        found = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return found if base64.b64encode(found).decode() == text and len(found) % 4 == 0 else None


def packed(_, form, value, __):
    if not isinstance(value, str):
        return
    found = unpacked(value)
    if found is None:
        yield jsonschema.ValidationError(f"{value!r} is not base64 of 4 bytes each")
        return
    numbers = struct.unpack(f"<{len(found) // 4}{'I' if form['type'] == 'uint32' else 'f'}", found)
    if not all(form["minimum"] <= number <= form["maximum"] for number in numbers):
        yield jsonschema.ValidationError(f"{value!r} has numbers out of range")


def rows_of(value):
    if isinstance(value, str):
        found = unpacked(value)
        return None if found is None else len(found) // 4
    return len(value) if isinstance(value, list) else None


def same_length(_, names, value, __):
    if isinstance(value, dict) and len({rows_of(value[name]) for name in names if name in value}) > 1:
        yield jsonschema.ValidationError("columns have different lengths")


Validator = jsonschema.validators.extend(jsonschema.Draft202012Validator, {
    "maxBytes": max_bytes, "maxProduct": max_product, "packed": packed, "sameLength": same_length})


def inlined(schema):
    if isinstance(schema, list):
        return [inlined(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return inlined(DEFS[schema["$ref"].removeprefix("#/$defs/")])
    return {key: inlined(part) for key, part in schema.items()}


def whole(side):
    """The schema of a side as it is in the file."""
    return Validator({"$ref": f"#/$defs/from_{side}", "$defs": DEFS})


@functools.lru_cache(maxsize=None)
def branch(side, op, which):
    """What a message with this op (and this `to` or `event`) must match, or None when there is no such op."""
    schema = DEFS.get(f"{side}_{op}")
    if schema is None or op not in (OPS if side == "client" else DEFS["from_server"]["properties"]["op"]["enum"]):
        return None
    if which is not None:
        name = {"reply": "to", "event": "event"}[op]
        fitting = [part for part in schema["oneOf"] if which in part["properties"][name]["enum"]]
        if len(fitting) != 1:
            return None
        schema = fitting[0]
    return Validator(inlined(schema))


def complaint(side, message):
    """Why the message is not one of this side, or None if it is."""
    op = message.get("op") if isinstance(message, dict) else None
    which = message.get({"reply": "to", "event": "event"}.get(op, ""), "") if side == "server" and op in ("reply", "event") else None
    if not isinstance(op, str) or not isinstance(which, (str, type(None))):
        return "no message: an object with an op"
    found = branch(side, op, which)
    if found is None:
        return f"no {op} {which or ''}"
    if found.is_valid(message):
        return None
    error = jsonschema.exceptions.best_match(found.iter_errors(message))
    return f"{error.json_path}: {error.message[:300]}"
