"""Common to the tests of the package: where things are, and waiting."""

import json
import os
import pathlib
import subprocess
import sys
import time
import warnings

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
ROOT = PACKAGE.parents[1]
for folder in (PACKAGE, ROOT / "tests/e2e"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

PATIENCE_S = 30.0  # for whatever must happen; long, because sanitizers and a busy machine are slow
SLOW = bool(os.environ.get("DROVER_SLOW"))

warnings.simplefilter("error")  # a socket or a process that is left behind is a mistake


def wait_for(condition, what, timeout=PATIENCE_S):
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {timeout} s: {what}")
        time.sleep(0.01)


def print_types(folder, **environment):
    """messages.py and methods.pyi in the folder, as a build of the package prints them."""
    subprocess.run([sys.executable, str(PACKAGE / "tools/make_types.py"), str(folder)], check=True, timeout=PATIENCE_S, env={**os.environ, **environment})


def has_numpy():
    try:
        import numpy  # pylint: disable=import-outside-toplevel,unused-import
        return True
    except ImportError:
        return False


def torus(folder):
    """The path of a scenario without a border: driven agents, and others that wander."""
    path = pathlib.Path(folder) / "torus.json"
    wanderer = {"max_speed": 60, "max_force": 60, "behaviors": [{"wander": {}}]}
    driven = {"max_speed": 60, "max_force": 600, "behaviors": [{"external": {"hold": 12}}]}
    path.write_text(json.dumps({"name": "Torus", "description": "For tests.", "world": {"size": [400, 300], "edge": "wrap"}, "kinds":
                                {"prey": wanderer, "hunter": driven}, "agents": [{"kind": "prey", "count": 30, "in": {"rect": [0, 0, 400, 300]}},
                                                                                {"kind": "hunter", "count": 12, "in": {"rect": [0, 0, 400, 300]}}]}))
    return str(path)
