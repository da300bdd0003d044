"""Makes the locales of the locale tests in a directory of the build (for LOCPATH), and checks their purpose:
a comma, or an Arabic separator of two bytes, between whole and fraction.

usage: make_locales.py DIRECTORY
"""

import os
import pathlib
import subprocess
import sys

SEPARATORS = {"de_DE": ",", "ps_AF": "\u066b"}


def main():
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    for name, separator in SEPARATORS.items():
        path = directory / f"{name}.UTF-8"
        if not path.is_dir():
            # localedef exits with 1 for mere warnings.
            subprocess.run(["localedef", "-c", "--no-archive", "-i", name, "-f", "UTF-8", str(path)],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        environment = {**os.environ, "LOCPATH": str(directory), "LC_ALL": f"{name}.UTF-8"}
        said = subprocess.run(["locale", "decimal_point"], env=environment, capture_output=True, check=True)
        if said.stdout.decode("utf-8").strip() != separator:
            sys.exit(f"{name}: the decimal point is {said.stdout!r}, not {separator!r} (package locales)")


if __name__ == "__main__":
    main()
