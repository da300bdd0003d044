"""What the checks of the sources share: their command line, and a tree of a few files to try them on."""

import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def judged(check, files):
    """What check complains about in a tree of these files; {path: text}."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        return check(root)


def run(check, self_test):
    """Prints the complaints about the tree at the first argument, or about this one; --self-test: does that. The exit code."""
    arguments = sys.argv[1:]
    if arguments == ["--self-test"]:
        return self_test()
    complaints = check(pathlib.Path(arguments[0]) if arguments else ROOT)
    print("\n".join(complaints), end="\n" if complaints else "")
    return 1 if complaints else 0
