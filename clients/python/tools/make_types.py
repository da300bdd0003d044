#!/usr/bin/env python3
"""Prints messages.py (the lines of the server as TypedDicts) and methods.pyi (the requests as methods with their members)
from protocol.schema.json, as setup.py does when the package is built. Both are for type checkers and editors: the client
does not look at them when it runs.

usage: make_types.py [FOLDER]     FOLDER: where they are put; clients/python/drover without it
"""

import json
import keyword
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE))

from drover.ops import POSITIONAL  # pylint: disable=wrong-import-position

SCHEMA = HERE.parents[1] / "protocol.schema.json"
SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
LINES = {"server_hello": "Hello", "server_scenario": "ScenarioLine", "server_snapshot": "SnapshotLine", "server_key": "KeyLine",
         "server_delta": "DeltaLine", "server_density": "DensityLine", "server_event": "Event", "server_cursors": "CursorsLine",
         "server_error": "ErrorLine", "server_bye": "Bye"}
RETURNS = {"step": "StepResult", "seat": "Seat"}  # methods that return more than their reply


def camel(name):
    return "".join(part.capitalize() for part in name.split("_"))


class Shape:
    """The members of an object: those of the schema and of all its alternatives; required are those that every one requires."""

    def __init__(self, schema, defs):
        self.members, self.required = {}, set(schema.get("required", ()))
        self.order = []
        self._add(schema, defs)

    def _add(self, schema, defs):
        for name, member in schema.get("properties", {}).items():
            if member is not False and isinstance(member, dict):
                self.order += [name] if name not in self.members else []
                self.members.setdefault(name, []).append(member)
        for word in ("oneOf", "anyOf"):
            inner = [Shape(resolve(one, defs), defs) for one in schema.get(word, ())]
            if inner:
                self.required |= set.intersection(*(one.required for one in inner))
            for one in inner:
                self._take(one)
        for one in schema.get("allOf", ()):
            shape = Shape(resolve(one, defs), defs)
            self.required |= shape.required
            self._take(shape)

    def _take(self, other):
        for name in other.order:
            if any(isinstance(member, dict) and set(member) - {"const"} for member in other.members[name]):
                self.order += [name] if name not in self.members else []
                self.members.setdefault(name, []).extend(other.members[name])


def resolve(schema, defs):
    while "$ref" in schema:
        schema = defs[schema["$ref"].rsplit("/", 1)[1]]
    return schema


class Writer:
    def __init__(self, defs):
        self.defs = defs
        self.classes = {}  # name: text, in the order in which they can be defined
        self.wanted = {}

    def union(self, types):
        flat = []
        for one in types:
            flat += [one] if one not in flat else []
        if "float" in flat and "int" in flat:
            flat.remove("int")
        if "Any" in flat:
            return "Any"
        return flat[0] if len(flat) == 1 else f"Union[{', '.join(flat)}]"

    def type_of(self, schema, name, given=False):
        """The type of a value. given: one that the caller gives, so any sequence will do."""
        if "$ref" in schema:
            target = schema["$ref"].rsplit("/", 1)[1]
            return self.type_of(self.defs[target], camel(target), given)
        if "const" in schema:
            return f"Literal[{schema['const']!r}]" if not isinstance(schema["const"], float) else "float"
        if "enum" in schema:
            return f"Literal[{', '.join(repr(value) for value in schema['enum'])}]"
        kind = schema.get("type")
        if isinstance(kind, list):
            return self.union([SIMPLE.get(one, "Any") for one in kind])
        if kind == "array":
            items = [self.type_of(one, name + "Item", given) for one in schema.get("prefixItems", ())]
            if isinstance(schema.get("items"), dict):
                items.append(self.type_of(schema["items"], name + "Item", given))
            return f"{'Sequence' if given else 'List'}[{self.union(items) if items else 'Any'}]"
        if kind == "object" or "properties" in schema:
            return self.object_type(schema, name, given)
        if kind in SIMPLE:
            return "Columns" if given and schema.get("contentEncoding") else SIMPLE[kind]
        for word in ("oneOf", "anyOf"):
            if word in schema:
                types = [self.type_of(one, f"{name}{index or ''}", given) for index, one in enumerate(schema[word])]
                return "Columns" if "Columns" in types else self.union(types)
        return "Any"

    def object_type(self, schema, name, given):
        shape = Shape(schema, self.defs)
        if given:
            return "Mapping[str, Any]"
        if not shape.members:
            values = schema.get("additionalProperties")
            return f"Dict[str, {self.type_of(values, name + 'Value')}]" if isinstance(values, dict) else "Dict[str, Any]"
        if name not in self.classes:
            self.classes[name] = ""  # a recursive type would need a name of its own
            self.classes[name] = self.class_text(name, shape)
            self.classes[name] = self.classes.pop(name)
        return name

    def class_text(self, name, shape):
        """Members that are always there, and a class with the others: what TypedDict can say in Python 3.9."""
        rows = {member: self.union([self.type_of(one, name + camel(member)) for one in shape.members[member]]) for member in shape.order}
        required = {member: rows[member] for member in rows if member in shape.required}
        optional = {member: rows[member] for member in rows if member not in shape.required}
        if not optional:
            return self.one_class(name, "TypedDict", required, "")
        text = self.one_class(f"_{name}Always", "TypedDict", required, "") if required else ""
        base = f"_{name}Always" if required else "TypedDict"
        if any(keyword.iskeyword(member) for member in optional):
            maybe = self.one_class(f"_{name}Maybe" if required else name, "TypedDict", optional, ", total=False")
            return text + maybe + (f"class {name}({base}, _{name}Maybe):\n    pass\n\n\n" if required else "")
        return text + self.one_class(name, base, optional, ", total=False")

    @staticmethod
    def one_class(name, base, rows, total):
        if any(keyword.iskeyword(member) for member in rows):
            members = "".join(f"    {member!r}: {kind},\n" for member, kind in rows.items())
            return f"{name} = TypedDict({name!r}, {{\n{members}}}{total})\n\n\n"
        members = "".join(f"    {member}: {kind}\n" for member, kind in rows.items())
        return f"class {name}({base}{total}):\n{members}\n\n"


def replies(defs):
    """The schema of each op's reply."""
    found = {}
    for schema in defs["server_reply"]["oneOf"]:
        to = schema["properties"]["to"]
        for op in to.get("enum", [to.get("const")]):
            found[op] = schema
    return found


def messages(defs):
    writer = Writer(defs)
    for name, title in LINES.items():
        writer.object_type(defs[name], title, False)
    for op, schema in sorted(replies(defs).items()):
        writer.object_type(schema, camel(op) + "Reply", False)
    head = ('"""The lines of the server, for type checkers. Printed by tools/make_types.py from protocol.schema.json.\n\n'
            'A line may have members that are not here: they are kept.\n"""\n\n'
            "from typing import Any, Dict, List, Literal, TypedDict, Union\n\n\n")
    return head + "".join(writer.classes.values()).rstrip("\n") + "\n"


def signature(op, schema, writer, result):
    shape = Shape(schema, writer.defs)
    types = {name: writer.union([writer.type_of(one, camel(name), True) for one in shape.members[name]]) for name in shape.order
             if name not in ("op", "id")}
    words = ["self"]
    for name in POSITIONAL[op]:
        kind = types.pop(name, "Any")
        kind = "Union[int, str, Sequence[int]]" if name == "agents" and kind != "Columns" else kind
        always = name in shape.required and not any(word.endswith("= ...") for word in words)
        words.append(f"{name}: {kind}" if always else f"{name}: Optional[{kind}] = ...")
    words.append("*")
    for name, kind in types.items():
        python = name + "_" if keyword.iskeyword(name) else name
        kind = f"Union[str, {kind}]" if name == "fields" else kind  # ops.split
        words.append(f"{python}: {kind}" if name in shape.required else f"{python}: Optional[{kind}] = ...")
    words += ["id: Union[int, str] = ...", "timeout: Optional[float] = ...", "reply: bool = ...", "**more: Any"]
    text = ",\n        ".join(words)
    return f"def {op}(\n        {text},\n    ) -> {result}: ..."


COMMON = {
    "ask": ("op: str, *, timeout: Optional[float] = ..., reply: bool = ..., **fields: Any", "Dict[str, Any]"),
    "fields": ("op: str, *, timeout: Optional[float] = ...", "Dict[str, Field]"),
}


def methods(defs):
    writer = Writer(defs)
    answers = replies(defs)
    known = [op for op in POSITIONAL if f"client_{op}" in defs]
    text = ('"""The requests as methods. Printed by tools/make_types.py from protocol.schema.json."""\n\n'
            "from typing import Any, Awaitable, Callable, Dict, List, Literal, Mapping, Optional, Sequence, Union, overload\n\n"
            "from . import messages\nfrom .client import Pending\nfrom .frames import Frame, Snapshot\nfrom .ops import Field, Param, Seat, StepResult\n\n"
            "Columns = Any  # a sequence of numbers, or a buffer of them: a numpy array, an array.array\n")
    for name, wrap in (("SyncRequests", "{}"), ("AsyncRequests", "Awaitable[{}]"), ("LaterRequests", "Pending[{}]")):
        text += f"\nclass {name}:\n    _numpy: Optional[bool]\n"
        for method, (arguments, result) in COMMON.items():
            text += f"    def {method}(self, {arguments}) -> {wrap.format(result)}: ...\n"
        for arguments, result in (("kind: str", "Dict[str, Param]"), ("kind: None = ...", "Dict[str, Dict[str, Param]]")):
            text += f"    @overload\n    def params(self, {arguments}, *, timeout: Optional[float] = ...) -> {wrap.format(result)}: ...\n"
        for layout, result in (("Literal['packed'] = ...", "Frame"), ("Literal['objects']", "Snapshot")):
            text += (f"    @overload\n    def snapshot(self, fields: Union[str, Sequence[str], None] = ..., *, layout: {layout}, "
                     f"timeout: Optional[float] = ..., **more: Any) -> {wrap.format(result)}: ...\n")
        for op in POSITIONAL:
            if op in known:
                result = RETURNS.get(op, f"messages.{camel(op)}Reply")
                text += "    " + signature(op, defs[f"client_{op}"], writer, wrap.format(result)) + "\n"
            else:
                text += f"    def {op}(self, *values: Any, **fields: Any) -> {wrap.format('Dict[str, Any]')}: ...\n"
    text += "\nclass Batch:\n    requests: List[Dict[str, Any]]\n    def __init__(self) -> None: ...\n"
    text += "    def add(self, op: str, **fields: Any) -> Batch: ...\n    def __len__(self) -> int: ...\n"
    text += "    def __getitem__(self, at: int) -> Dict[str, Any]: ...\n"
    for op in POSITIONAL:
        text += f"    def {op}(self, *values: Any, **fields: Any) -> Batch: ...\n"
    return text


def main(arguments):
    folder = pathlib.Path(arguments[0]) if arguments else HERE / "drover"
    if not SCHEMA.is_file():
        raise SystemExit(f"there is no {SCHEMA}, which the types of the package are printed from; build in the whole source tree, or from the sdist")
    defs = json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"]
    for name, text in (("messages.py", messages(defs)), ("methods.pyi", methods(defs))):
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
