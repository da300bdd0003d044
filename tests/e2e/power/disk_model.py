"""What a disk may hold after a power cut, from a trace of disk_trace.c: the method of ALICE and CrashMonkey.

What was synced before the cut is there. Of everything else each step may be missing or there by itself: a name that was made,
linked, renamed or removed (a rename is one step), and the bytes of a file, in parts too. A cut is the number of records before it.
"""

import dataclasses
import hashlib
import os
import pathlib
import random
import struct

HEAD = struct.Struct("=6q")
BLOCK = 4096


@dataclasses.dataclass
class Record:
    kind: str
    descriptor: int
    offset: int
    path: str
    other: str
    data: bytes


def read_trace(path):
    raw, at, records = pathlib.Path(path).read_bytes(), 0, []
    while at + HEAD.size <= len(raw):
        kind, descriptor, offset, *lengths = HEAD.unpack_from(raw, at)
        at += HEAD.size
        parts = []
        for length in lengths:
            parts.append(raw[at:at + length])
            at += length
        if at <= len(raw):  # the last one may be cut off by kill -9
            records.append(Record(chr(kind), descriptor, offset, parts[0].decode(), parts[1].decode(), parts[2]))
    return records


class Node:
    """A file (data) or a folder (entries), and the steps that made it what it is now."""

    def __init__(self, is_folder):
        self.is_folder = is_folder
        self.steps = []
        self.first = {} if is_folder else b""  # before the trace
        self.now = {} if is_folder else bytearray()


@dataclasses.dataclass(eq=False)
class Step:
    """changes: of folders, (folder, name, node or None); of a file, (offset, bytes), or (length, None) for a truncation."""
    at: int
    changes: list
    synced_at: int = None


class Disk:
    """The folder as the trace left it, with its history. states() are the legal ones after a cut."""

    def __init__(self, root, files, records):
        """files: path below the root -> bytes, None for a folder: what was on disk when the trace began."""
        self.root, self.records = str(root), records
        self.top = Node(True)
        self.nodes, self.open, self.begun, self.seen = [self.top], {}, {}, {}
        for path, data in sorted(files.items()):
            folder, name = self._find(f"{self.root}/{path}")
            node = self._add(Node(data is None))
            if data is not None:
                node.first, node.now = data, bytearray(data)
            folder.first[name] = folder.now[name] = node
        for at, record in enumerate(records):
            self._take(at, record)

    def _add(self, node):
        self.nodes.append(node)
        return node

    def _find(self, path):
        """The folder that a path lies in, and the name there."""
        names = os.path.relpath(path, self.root).split("/")
        folder = self.top
        for name in names[:-1]:
            folder = folder.now[name]
        return folder, names[-1]

    def _node(self, path):
        if path == self.root:
            return self.top
        folder, name = self._find(path)
        return folder.now.get(name)

    def _name(self, at, *changes):
        step = Step(at, list(changes))
        for folder, name, node in changes:
            if node is None:
                folder.now.pop(name)
            else:
                folder.now[name] = node
        for folder in {id(change[0]): change[0] for change in changes}.values():
            folder.steps.append(step)

    def _bytes(self, at, node, offset, data):
        node.steps.append(Step(at, [(offset, data)]))
        node.now = apply_bytes(node.now, offset, data)

    def _take(self, at, record):  # pylint: disable=too-many-branches
        node = self.open.get(record.descriptor)
        if record.kind == "o":
            folder, name = self._find(record.path)
            if self._node(record.path) is None:
                self._name(at, (folder, name, self._add(Node(False))))
            self.open[record.descriptor] = self._node(record.path)
            if record.offset & os.O_TRUNC:
                self._bytes(at, self._node(record.path), 0, None)
        elif record.kind == "m":
            self._name(at, (*self._find(record.path), self._add(Node(True))))
        elif record.kind == "u":
            self._name(at, (*self._find(record.path), None))
        elif record.kind in "rl":
            found = self._node(record.path)
            removed = [(*self._find(record.path), None)] if record.kind == "r" else []
            self._name(at, *removed, (*self._find(record.other), found))
        elif record.kind == "w":
            self._bytes(at, node, record.offset, record.data)
        elif record.kind == "t":
            self._bytes(at, node, record.offset, None)
        elif record.kind == "b":
            self.begun.setdefault(record.descriptor, []).append(at)
        elif record.kind == "e":
            begun = self.begun[record.descriptor].pop(0)
            for step in node.steps:
                if step.at < begun and step.synced_at is None:
                    step.synced_at = at
        elif record.kind == "k":
            self.open, self.begun = {}, {}
        elif record.kind == "c":
            self.open.pop(record.descriptor, None)

    # ---- states

    def cuts(self):
        return range(len(self.records) + 1)

    def least(self, cut):
        return self._build(self._loose(cut)[2], {}, {})

    def live(self, cut):
        """What the system sees, whatever is on disk."""
        if cut not in self.seen:
            names, files, sure = self._loose(cut)
            self.seen[cut] = self._build(sure | set(names), {index: "all" for index in files}, files)
        return self.seen[cut]

    def _loose(self, cut):
        """The steps of names, and of each file, that are on disk or not; those that surely are."""
        names, files, sure = [], {}, set()
        for index, node in enumerate(self.nodes):
            for step in node.steps:
                if step.at >= cut:
                    continue
                if step.synced_at is not None and step.synced_at < cut:
                    sure.add(step)
                elif node.is_folder:
                    names += [step] if step not in names else []
                else:
                    files.setdefault(index, []).append(step)
        return names, files, sure

    def _build(self, present, forms, files):
        """path -> bytes (None: a folder). files: the loose steps of files by their index. forms: what is there of them."""
        folders, contents = {}, {}
        for index, node in enumerate(self.nodes):
            if node.is_folder:
                folders[id(node)] = dict(node.first)
            else:
                contents[id(node)] = build_file(node, present, files.get(index, []), forms.get(index, "none"))
        steps = {step.at: step for node in self.nodes if node.is_folder for step in node.steps if step in present}
        for at in sorted(steps):
            for folder, name, node in steps[at].changes:
                if node is None:
                    folders[id(folder)].pop(name, None)
                else:
                    folders[id(folder)][name] = node
        tree = {}

        def walk(folder, prefix):
            for name, node in folders[id(folder)].items():
                tree[prefix + name] = None if node.is_folder else contents[id(node)]
                if node.is_folder:
                    walk(node, f"{prefix}{name}/")
        walk(self.top, "")
        return tree

    def states(self, cut, chance=2):
        """(what it is, tree) of what may be on disk after a cut: everything and nothing of what was not synced, each step by itself,
        everything but it, and some of them at random."""
        names, files, sure = self._loose(cut)
        everything, whole = sure | set(names), {index: "all" for index in files}
        yield "least", self._build(sure, {}, files)
        if not names and not files:
            return
        yield "most", self._build(everything, whole, files)
        for index in files:
            yield "bytes alone", self._build(sure, {index: "all"}, files)
            for form in ("none", "torn", "zeros", "hole"):
                yield form, self._build(everything, {**whole, index: form}, files)
        for step in names if len(names) > 1 or files else []:
            yield "a name alone", self._build(sure | {step}, {}, files)
            yield "a name with bytes", self._build(sure | {step}, whole, files)
            yield "without a name", self._build(everything - {step}, whole, files)
        draw = random.Random(cut)
        for _ in range(chance if len(names) + len(files) > 2 else 0):
            some = {step for step in names if draw.random() < 0.5}
            yield "chance", self._build(sure | some, {index: draw.choice(("none", "torn", "all")) for index in files}, files)


def apply_bytes(data, offset, new):
    if new is None:
        return data[:offset] + b"\0" * (offset - len(data))
    data = data + b"\0" * (offset - len(data))
    return data[:offset] + new + data[offset + len(new):]


def build_file(node, present, loose, form):
    """form, of the loose bytes: none, all, torn (half of them), zeros in their place, a hole (zeros in their
    first block, the others are there)."""
    data = bytearray(node.first)
    for step in node.steps:
        if step in present:
            data = apply_bytes(data, *step.changes[0])
    sure = len(data)
    if form == "none":
        return bytes(data)
    for step in loose:
        data = apply_bytes(data, *step.changes[0])
    if form == "torn":
        data = data[:sure + (len(data) - sure) // 2]
    elif form == "zeros":
        data = data[:sure] + b"\0" * (len(data) - sure)
    elif form == "hole":
        block = (sure // BLOCK + 1) * BLOCK
        data = data[:sure] + b"\0" * (min(block, len(data)) - sure) + data[block:]
    return bytes(data)


def sum_of(tree):
    digest = hashlib.sha1()
    for path, data in sorted(tree.items()):
        digest.update(f"{path}\0{data is None}\0{0 if data is None else len(data)}\0".encode() + (data or b""))
    return digest.hexdigest()


def read_tree(folder):
    """path -> bytes (None: a folder), as it is now."""
    folder = pathlib.Path(folder)
    return {str(path.relative_to(folder)): None if path.is_dir() else path.read_bytes() for path in folder.rglob("*")}


def write_tree(folder, tree):
    for path, data in sorted(tree.items()):
        target = pathlib.Path(folder, path)
        if data is None:
            target.mkdir(mode=0o700, parents=True, exist_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
