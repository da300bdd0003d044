#!/usr/bin/env python3
"""Nothing but drover-cluster is linked with MPI: servers, viewers and libraries run on machines without it.

usage: mpi_alone.py [--with PROGRAM] FILE...     PROGRAM, if it is built, has to be linked with it: proves that readelf sees it
"""

import subprocess
import sys


def needs_mpi(file):
    shown = subprocess.run(["readelf", "-d", file], capture_output=True, text=True, check=True).stdout
    libraries = [line for line in shown.splitlines() if "NEEDED" in line]
    if not libraries:
        sys.exit(f"readelf shows no library of {file}: the check looks at the wrong thing")
    return any(name in line for line in libraries for name in ("libmpi", "libopen-", "libpmix"))


def main(arguments):
    if arguments[:1] == ["--with"]:
        if not needs_mpi(arguments[1]):
            sys.exit(f"{arguments[1]} is not linked with MPI")
        arguments = arguments[2:]
    wrong = [file for file in arguments if needs_mpi(file)]
    if wrong:
        sys.exit(f"linked with MPI, which is for drover-cluster alone: {', '.join(wrong)}")
    print(f"{len(arguments)} files without MPI")


if __name__ == "__main__":
    main(sys.argv[1:])
