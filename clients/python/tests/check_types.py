#!/usr/bin/env python3
"""mypy --strict of the package, and of a script that uses its types; mistakes in the script must be found."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from support import PACKAGE, print_types

SCRIPT = """
import asyncio
import drover

def synchronous() -> None:
    with drover.serve("boids", seed=7) as world:
        first: int = world.spawn("boid", count=3, x=1.5, y=2)["first_id"]
        tick, digest = world.step(first)
        print(tick + 1, world.params("boid")["max_speed"].unit.upper(), world.params()["boid"]["mass"].value + 1)
        world.spawn("boid", cuont=3)
        world.spawn("boid", count="three")  # wrong: arg-type
        world.spawn()  # wrong: call-arg
        world.spawn("boid")["frist_id"]  # wrong: typeddict-item
        world.pasue()  # wrong: attr-defined

async def asynchronous() -> None:
    async with drover.aio.connect(7717) as world:
        last: int = (await world.spawn("boid"))["last_id"]
        async for frame in world.watch(hz=20):
            print(frame.tick + last, frame.x[0], frame.kind.names, frame.color)  # wrong: attr-defined
        async for density in world.watch(layout="density"):
            print(density.grid, (await world.snapshot(layout="objects")).agents, (await world.snapshot()).x)
        world.pause().get("tick")  # wrong: attr-defined

asyncio.run(asynchronous())
"""


def mypy(folder, *arguments):
    return subprocess.run(["mypy", "--strict", "--no-error-summary", "--cache-dir", os.devnull, *arguments], cwd=folder, capture_output=True,
                          text=True, timeout=500, check=False)


def main():
    with tempfile.TemporaryDirectory() as folder:
        print_types(shutil.copytree(PACKAGE / "drover", pathlib.Path(folder) / "drover"))
        done = mypy(folder, "-p", "drover")
        if done.returncode:
            raise SystemExit(f"the package:\n{done.stdout}{done.stderr}")
        (pathlib.Path(folder) / "script.py").write_text(SCRIPT, encoding="utf-8")
        done = mypy(folder, "script.py")
    wanted = [(number, match[1]) for number, line in enumerate(SCRIPT.splitlines(), 1) if (match := re.search("# wrong: (.*)", line))]
    found = [(int(number), code) for number, code in re.findall(r"^\S+:(\d+): error: .*\[([a-z-]+)\]$", done.stdout, re.M)]
    if found != wanted:
        raise SystemExit(f"expected {wanted}, found {found}\n{done.stdout}{done.stderr}")
    print(f"the types are right, {len(wanted)} mistakes were found")


if __name__ == "__main__":
    main()
