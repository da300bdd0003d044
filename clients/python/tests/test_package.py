"""The package itself: its types are those of the schema, its methods those of the server, its page and its wheel work."""

import ast
import asyncio
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

import support
from support import PACKAGE, PATIENCE_S, ROOT, SLOW

import drover
import drover.runs
import drover.serving
from drover.ops import EVENTS, POSITIONAL

SERVER = drover.serving.find_program("drover-server", "DROVER_SERVER_PROGRAM")
PAGE = ROOT / "docs/python.md"
TYPES = ("messages.py", "methods.pyi")  # printed when the package is built


def python(*arguments, **options):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=10 * PATIENCE_S, check=False, **options)


class Types(unittest.TestCase):
    def test_the_types_are_those_of_the_schema(self):
        """The same bytes whatever the order of Python's sets; each op is a method of each client, and its reply a type."""
        ops = set(json.loads((ROOT / "protocol.schema.json").read_text(encoding="utf-8"))["$defs"]["op"]["enum"])
        printed = []
        for seed in ("1", "2"):
            with tempfile.TemporaryDirectory() as folder:
                support.print_types(folder, PYTHONHASHSEED=seed)
                printed.append({path.name: path.read_text(encoding="utf-8") for path in pathlib.Path(folder).iterdir()})
        self.assertEqual(printed[0], printed[1])
        self.assertEqual(set(printed[0]), set(TYPES))
        messages = {}
        exec(compile(printed[0]["messages.py"], "messages.py", "exec"), messages)  # pylint: disable=exec-used
        self.assertEqual({op for op in ops if "".join(map(str.capitalize, op.split("_"))) + "Reply" not in messages}, set())
        classes = {one.name: {part.name for part in one.body if isinstance(part, ast.FunctionDef)}
                   for one in ast.parse(printed[0]["methods.pyi"]).body if isinstance(one, ast.ClassDef)}
        self.assertEqual(set(classes), {"SyncRequests", "AsyncRequests", "LaterRequests", "Batch"})
        for name, methods in classes.items():
            self.assertEqual(ops - methods, set(), name)

    def test_the_methods_are_the_ops_of_the_server(self):
        """None is missing; none is there that neither the server nor the schema has; positions have names that the server knows."""
        schema = json.loads((ROOT / "protocol.schema.json").read_text(encoding="utf-8"))["$defs"]["op"]["enum"]
        with drover.serve("seek", paused=True) as world:
            ops = {row["op"]: {field["name"] for field in row["fields"]} for row in world.help()["ops"]}
        self.assertEqual(set(ops), set(schema))
        self.assertEqual(set(schema), set(drover.OPS))
        for op, positional in POSITIONAL.items():
            self.assertLessEqual(set(positional), ops[op], op)
            self.assertTrue(callable(getattr(drover.Drover, op)) and callable(getattr(drover.aio.Drover, op)))
            self.assertTrue(callable(getattr(drover.Batch, op)))

    def test_the_events_are_those_of_the_schema(self):
        text = json.dumps(json.loads((ROOT / "protocol.schema.json").read_text(encoding="utf-8")))
        names = re.findall(r'"event": \{"enum": \[([^\]]*)\]', text) + re.findall(r'"event": \{"const": ("[^"]*")', text)
        self.assertEqual(set(json.loads("[" + ", ".join(names) + "]")), set(EVENTS))

    def test_fields_are_a_text_or_names(self):
        with drover.serve("seek", paused=True) as world:
            for fields in ("pos vel", ["pos", "vel"]):
                self.assertEqual(world.step(1, return_="packed", fields=fields).frame.names, ("id", "x", "y", "vx", "vy"))
                self.assertIn("vx", world.get(layout="packed", fields=fields)["key"])

    def test_the_package_runs_without_the_schema(self):
        for name in (PACKAGE / "drover").glob("*.py"):
            self.assertNotIn("protocol.schema", name.read_text(encoding="utf-8").replace("from protocol.schema.json", ""), name)


class Page(unittest.TestCase):
    """Each block of Python of docs/python.md, run as it stands, in a folder of its own."""

    def test_there_are_blocks(self):
        self.assertGreater(len(BLOCKS), 5)

    def test_calls_are_in_blocks(self):
        """What starts something stands in a block, which is run, not within a sentence, which is not."""
        sentences = re.sub(r"^```.*?^```$", "", PAGE.read_text(encoding="utf-8"), flags=re.M | re.S)
        self.assertEqual(re.findall(r"`drover\.(?:run|serve)\([^)`]+\)[^`]*`", sentences), [])

    def run_block(self, text, line):
        if ("drover.sim" in text or "in_process" in text) and os.environ.get("DROVER_SERVER_PROGRAM") and not os.environ.get("DROVER_SIM_LIBRARY"):
            self.skipTest("a build whose libdrover-sim no interpreter can load")
        with tempfile.TemporaryDirectory() as folder:
            code = "\n" * (line - 1) + text
            done = python("-W", "error", "-c", f"exec(compile({code!r}, 'docs/python.md', 'exec'))", cwd=folder,
                          env={**os.environ, "PYTHONPATH": str(PACKAGE), "DROVER_SERVER_PROGRAM": SERVER})
        self.assertEqual(done.returncode, 0, done.stderr)
        said = [match[1] for match in re.finditer(r"^.*?#> (.*)$", text, re.M)]
        self.assertEqual(done.stdout.splitlines()[:len(said)], said) if said else None


BLOCKS = []
if PAGE.is_file():
    _text = PAGE.read_text(encoding="utf-8")
    BLOCKS = [(m[1], _text.count("\n", 0, m.start()) + 2) for m in re.finditer(r"^```python\n(.*?)^```$", _text, re.M | re.S)]
for _block in BLOCKS:
    setattr(Page, f"test_line_{_block[1]}", lambda self, block=_block: self.run_block(*block))


class Runs(unittest.TestCase):
    OPTIONS = {"seed": range(1, 3), "set": {"seeker.max_speed": [100, 120.5]}, "seconds": 1, "jobs": 1}

    def test_the_command_line(self):
        words = drover.runs.command("seek", "/tmp/out", drover="/x/drover", **self.OPTIONS, measure=["count", "speed"], from_="a.drover", resume=True)
        self.assertEqual(words, ["/x/drover", "run", "--out", "/tmp/out", "--seed", "1..2", "--set", "seeker.max_speed=100,120.5", "--measure",
                                 "count,speed", "--seconds", "1", "--jobs", "1", "--from", "a.drover", "--resume", "seek"])
        self.assertEqual(drover.runs.command(None, "o", drover="d", seed=[3, 5])[4:], ["--seed", "3,5"])
        self.assertRaises(TypeError, drover.runs.command, "seek", "o", drover="d", sed=1)

    def test_runs(self):
        rows = drover.run("seek", **self.OPTIONS)
        self.assertEqual([row["seed"] for row in rows], [1, 1, 2, 2] if rows[1]["seed"] == 1 else [1, 2, 1, 2])
        self.assertEqual({row["tick"] for row in rows}, {60})
        with drover.serve("seek", paused=True) as world:
            self.assertEqual(world.run(**self.OPTIONS), rows)
            with self.assertRaises(drover.DroverError) as caught:
                world.run("nowhere")
            self.assertEqual(caught.exception.code, "run")
            self.assertIn("nowhere", caught.exception.message)

        async def run():
            async with drover.aio.serve("seek", paused=True) as world:
                return await world.run(**self.OPTIONS)

        self.assertEqual(asyncio.run(run()), rows)

    def test_a_folder_that_is_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            rows = drover.run("seek", out=folder + "/kept", **self.OPTIONS)
            self.assertEqual(drover.run("seek", out=folder + "/kept", resume=True, **self.OPTIONS), rows)


@unittest.skipUnless(SLOW, "slow")
class Wheel(unittest.TestCase):
    def test_the_wheel(self):
        """Built without an index, from the source tree and from an sdist, installed by unpacking, and used."""
        with tempfile.TemporaryDirectory() as folder:
            source = self.copy_source(pathlib.Path(folder) / "tree")
            wheel = self.build_wheel(source, pathlib.Path(folder) / "wheel")
            self.assertRegex(wheel.name, r"^drover_sim-[0-9.]+-py3-none-any\.whl$")
            with zipfile.ZipFile(wheel) as archive:
                names = set(archive.namelist())
                archive.extractall(folder)
            for name in ("__init__.py", "py.typed", "aio.py", *TYPES):
                self.assertIn(f"drover/{name}", names)
            self.assertFalse([name for name in names if "test" in name])
            done = python("-c", "import drover\nwith drover.serve('seek', paused=True) as w: print(w.step(60).tick, drover.__file__)",
                          cwd=folder, env={**os.environ, "PYTHONPATH": folder, "DROVER_SERVER_PROGRAM": SERVER})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"60 {folder}", done.stdout)

            source = self.copy_source(pathlib.Path(folder) / "other")
            done = python("-c", "from setuptools import build_meta; build_meta.build_sdist('..')", cwd=source)
            self.assertEqual(done.returncode, 0, done.stderr)
            shutil.unpack_archive(next(source.parent.glob("*.tar.gz")), folder)
            with zipfile.ZipFile(self.build_wheel(next(pathlib.Path(folder).glob("*/setup.py")).parent, pathlib.Path(folder) / "again")) as archive:
                self.assertEqual(set(archive.namelist()), names)

    def test_the_schema_is_missed(self):
        with tempfile.TemporaryDirectory() as folder:
            source = self.copy_source(pathlib.Path(folder))
            (pathlib.Path(folder) / "protocol.schema.json").unlink()
            done = python("setup.py", "--name", cwd=source)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("protocol.schema.json, which the types of the package are printed from", done.stderr)

    @staticmethod
    def copy_source(root):
        """What a build needs of the source tree, without what a build leaves there; returns the folder of the package."""
        source = shutil.copytree(PACKAGE, root / "clients/python", ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info", *TYPES))
        shutil.copy(ROOT / "protocol.schema.json", root)
        return source

    def build_wheel(self, source, into):
        done = python("-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-q", "-w", str(into), str(source))
        if done.returncode and "bdist_wheel" in done.stderr + done.stdout:
            self.skipTest("the Python package wheel is not installed")
        self.assertEqual(done.returncode, 0, done.stderr)
        return next(into.glob("*.whl"))


if __name__ == "__main__":
    unittest.main()
