"""A cut of the power at any moment of a server with --sync always: nothing that a client was told is missing afterwards.

A server runs with power/disk_trace.c, which writes down every change of its folder, every sync and every reply. From that
power/disk_model.py makes what a disk may hold after a cut, and a server is started on it.
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import time
import unittest

from drover_client import Case, Server, wait_for

sys.path.insert(0, str(pathlib.Path(__file__).parent / "power"))
import disk_model  # pylint: disable=wrong-import-position

STARTS = 1000000 if os.environ.get("DROVER_SLOW") else 100  # of servers, each on a disk as a cut may leave it
SCENARIO = json.dumps({
    "name": "Small", "seed": 3, "world": {"size": [400, 300], "edge": "wrap"}, "targets": {"mouse": [60, 120]},
    "kinds": {"seeker": {"radius": 4, "max_speed": 90, "max_force": 200, "behaviors": [{"seek": {"target": "mouse"}}]}},
    "agents": [{"kind": "seeker", "count": 3, "in": {"rect": [0, 0, 400, 300]}}],
})
# Until the first kill -9; in the start after it; in one that puts all aside. A string is a file that is waited for: the next
# checkpoint, after which older files go.
FIRST = [
    ("set_target", {"name": "mouse", "x": 50.5, "y": 60}), ("step", {"count": 4}), ("save", {"name": "one"}),
    ("spawn", {"kind": "seeker", "count": 2}), ("record", {"last": 60, "name": "past"}), ("step", {"count": 2}),
    ("record", {"on": True, "name": "live"}), ("set_param", {"kind": "seeker", "param": "max_speed", "value": 71.3}),
    ("load", {"save": "one"}), ("record", {"on": False}), ("remove", {"agents": [1]}), ("remove_save", {"name": "one"}),
    ("save", {"name": "two"}), ("step", {"count": 3}), ("save", {"name": "two", "replace": True}),
    ("batch", {"requests": [{"op": "spawn", "kind": "seeker"}, {"op": "set_target", "agent": 3, "x": 7, "y": 8.5}]}),
    "checkpoint-000002.drover", "checkpoint-000003.drover", ("add_target", {"name": "flag", "x": 1, "y": 2}),
    "checkpoint-000004.drover", ("step", {"count": 1}),
]
SECOND = [("set_target", {"name": "mouse", "x": 1, "y": 6}), ("step", {"count": 1})]
THIRD = [("set_target", {"name": "mouse", "x": 9, "y": 6}), ("step", {"count": 2})]
FILES = {"save": "saves", "remove_save": "saves", "record": "recordings"}  # requests that have no number, and where their files are

# cut: right after the reply had left.
Answer = collections.namedtuple("Answer", "cut op members reply")


class Run:
    """What servers did in a folder, one after the other.

    answers, disk  once end() was called: the requests that were answered, and the disk that the records of the trace make
    """

    def __init__(self, root):
        self.root, self.trace, self.asked = root, root.with_name("trace"), []
        self.before = disk_model.read_tree(root)
        self.answers = self.disk = None
        self.trace.unlink(missing_ok=True)

    def serve(self, script, *options, ends="kill"):
        """ends: by SIGTERM (stop), by kill -9, or so while one more request is written, but not synced yet (early)."""
        state, stall = self.root / "state", self.trace.with_name("trace.stall")
        server = Server("--state", str(state), "--sync", "always", "--checkpoint-every", "1", *options, environment={
            "LD_PRELOAD": os.environ["DROVER_DISK_TRACE"], "DROVER_TRACE": str(self.trace), "DROVER_TRACE_ROOT": str(self.root),
            "ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0"})
        with server.doomed(), server.connect() as client:
            client.request("hello", id="hello", seq=True)
            for what in script:
                if isinstance(what, str):
                    wait_for(lambda path=state / what: self._touch(client) or path.exists(), what)
                else:
                    self._ask(client, *what)
            client.request("ping", id="last")  # the records of the replies before it are written
            if ends == "stop":
                server.stop()
            elif ends == "early":
                wait_for(self._is_quiet, "the last sync")
                stall.touch()
                members = {"name": "mouse", "x": 44, "y": 44}
                client.send("set_target", **members)
                wait_for(lambda: any(b'"x":44,' in path.read_bytes() for path in state.glob("journal-*")), "the line")
                self.asked.append(("set_target", members, {"id": None, "seq": self.asked[-1][2]["seq"] + 1}))
        stall.unlink(missing_ok=True)

    def _is_quiet(self):
        kinds = [record.kind for record in disk_model.read_trace(self.trace)]
        return kinds.count("b") == kinds.count("e")

    def end(self):
        records = disk_model.read_trace(self.trace)
        cuts = {**self._cuts(records), None: len(records) + 1}  # None: never
        self.answers = [Answer(cuts[reply["id"]], op, members, reply) for op, members, reply in self.asked]
        self.disk = disk_model.Disk(self.root, self.before, records)

    def _ask(self, client, op, members):
        self.asked.append((op, members, client.request(op, id=len(self.asked), **members)))

    def _touch(self, client):
        """A checkpoint is made where a second is over and the world is not as it was."""
        time.sleep(0.25)
        self._ask(client, "set_target", {"name": "mouse", "x": len(self.asked), "y": 5})

    @staticmethod
    def _cuts(records):
        cuts, rest = {}, b""
        for at, record in enumerate(records):
            if record.kind == "s":
                *lines, rest = (rest + record.data).split(b"\n")
                cuts.update({json.loads(line)["id"]: at + 1 for line in lines if line.startswith(b'{"op":"reply"')})
        return cuts

    def seq_at(self, cut):
        """The last number that a client was told before the cut; -1: none."""
        return max([answer.reply["seq"] for answer in self.answers if answer.cut <= cut and answer.op not in FILES], default=-1)

    def lost_files(self, cut, tree):
        """Of saves and recordings that were promised before the cut: those that are neither as they were then nor as later."""
        promised = {path: 0 for path, text in self.before.items() if text and re.search("/(saves|recordings)/", path)}
        for answer in self.answers:
            if answer.cut <= cut and answer.op in FILES and answer.members.get("last", answer.op != "record"):
                promised[f"state/{FILES[answer.op]}/{answer.members['name']}.drover"] = answer.cut
        return [path for path, since in promised.items()
                if not any(self.disk.live(at).get(path) == tree.get(path) for at in range(since, cut + 1))]


def worlds_of(scenario, run):
    """seq -> the (tick, hash) that it may have, from a server that keeps nothing and is never interrupted. A step has its number from
    its begin, so its first tick belongs to it."""
    known = {}
    with Server("--paused", scenario) as server, server.connect() as client:
        def note(seq):
            now = client.request("save", name="now", replace=True)
            known.setdefault(seq, []).append((now["tick"], now["hash"]))
        client.request("hello", seq=True)
        note(0)
        for answer in [answer for answer in run.answers if answer.op != "record"]:
            if answer.op == "step":
                note(answer.reply["seq"])
            again = client.request(answer.op, **answer.members)
            if again["op"] != "reply" or again["seq"] != answer.reply["seq"]:
                raise AssertionError((again, answer))
            note(again["seq"])
    return known


class Power(Case):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="drover-power-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.scenario = str(cls.folder / "small.json")
        pathlib.Path(cls.scenario).write_text(SCENARIO, encoding="utf-8")
        root = cls.folder / "disk"
        root.mkdir()
        cls.first = Run(root)
        cls.first.serve(FIRST, "--paused", cls.scenario, ends="early")
        cls.first.serve(SECOND, cls.scenario, ends="stop")
        cls.first.end()
        cls.again = Run(root)
        cls.again.serve(THIRD, "--state-new", "--paused", cls.scenario)
        cls.again.end()

    def test_a_reply_leaves_when_its_line_is_synced(self):
        for run in self.first, self.again:
            for cut, op, members, reply in run.answers:
                if op in FILES or reply["id"] is None:
                    continue
                synced = [text for path, text in run.disk.least(cut).items() if re.fullmatch("state/journal-[0-9]+.drover", path)]
                numbers = [json.loads(line).get("seq", 0) for text in synced for line in text.split(b"\n")[:-1]]
                self.assertGreaterEqual(max(numbers, default=0), reply["seq"], f"{op} {members}: its reply left before its line was on disk")

    def test_files_that_were_promised_are_there(self):
        """Also those of a world that was put aside."""
        compared = 0
        for name, run in ("first", self.first), ("new", self.again):
            old = {text for path, text in run.before.items() if re.search("/(journal|checkpoint)-", path)} if run is self.again else set()
            for cut in run.disk.cuts():
                for what, tree in run.disk.states(cut):
                    where = f"{name} run, cut after record {cut}, on disk: {what}"
                    self.assertEqual(run.lost_files(cut, tree), [], where)
                    self.assertLessEqual(old, set(tree.values()), where)
                    compared += 1
        self.assertGreater(compared, 500)

    def test_no_change_that_was_answered_is_missing(self):
        old, new = worlds_of(self.scenario, self.first), worlds_of(self.scenario, self.again)
        starts = {**self.starts_of(self.first, [old]), **self.starts_of(self.again, [new, old])}
        starts = [starts[key] for key in sorted(starts)]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            wrong = [what for what in pool.map(self.start, range(len(starts)), starts[:STARTS]) if what]
        self.assertFalse(wrong, f"{len(wrong)} of {min(len(starts), STARTS)} starts\n" + "\n".join(wrong))

    @staticmethod
    def starts_of(run, worlds):
        """Of each tree that a cut may leave: where, what a client was told at most, the worlds that may be there, the tree."""
        found = {}
        for cut in run.disk.cuts():
            for what, tree in run.disk.states(cut):
                found[disk_model.sum_of(tree)] = f"cut after record {cut}, on disk: {what}", run.seq_at(cut), worlds, tree
        return found

    def start(self, number, start):
        where, told, worlds, tree = start
        options = ["--state-new"] if told < 0 and len(worlds) > 1 else []  # what was asked for and not done yet is asked for again
        folder = self.folder / f"start-{number}"
        folder.mkdir()
        disk_model.write_tree(folder, tree)
        try:
            with Server("--state", str(folder / "state"), *options, "--paused", self.scenario).doomed() as server, server.connect() as client:
                client.request("hello", seq=True)
                now = client.request("save", name="now", replace=True)
                lost = server.hello().get("left_out")
        except AssertionError as error:
            return f"{where}: {error}"
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        if now["op"] != "reply":
            return f"{where}: {now}"
        # The world that goes on after a loss has numbers behind what is lost, and one of its own.
        seq, allowed = now["seq"] - (lost["requests"] + 1 if lost and lost["requests"] else 0), worlds[:1] if told >= 0 else worlds
        if seq < told or not any((now["tick"], now["hash"]) in world.get(seq, []) for world in allowed):
            return f"{where}: goes on at seq {seq}, tick {now['tick']}; clients were told {told}"
        return None


if __name__ == "__main__":
    unittest.main(verbosity=2)
