"""Builds the package; pyproject.toml says what it is. Its types are printed first, where the source tree is whole: an sdist has them."""

import pathlib
import subprocess
import sys

from setuptools import setup

TOOL = pathlib.Path(__file__).resolve().parent / "tools/make_types.py"
if TOOL.is_file() and subprocess.call([sys.executable, "-B", str(TOOL)]) != 0:
    sys.exit("the types of the package could not be printed")
setup()
