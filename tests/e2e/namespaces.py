"""Tests that restart themselves in namespaces of their own (`unshare`), where they lay cables and pull them. The machine's own
network is not touched. Skipped (exit code 77) where that is not allowed."""

import os
import shutil
import signal
import subprocess
import sys
import unittest

INSIDE = "DROVER_CABLE_INSIDE"


def is_inside():
    return bool(os.environ.get(INSIDE))


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=20)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(words)}: {done.stderr}")


def what_is_missing(programs, namespaces, trial):
    """Why this machine allows no cable; None if it does. trial: what a shell must be able to do inside."""
    missing = [name for name in programs if not shutil.which(name)]
    if missing:
        return f"not installed: {', '.join(missing)}"
    done = subprocess.run([*namespaces, "sh", "-c", trial], capture_output=True, text=True, timeout=20)
    return f"no namespaces here: {done.stderr.strip()}" if done.returncode != 0 else None


def check_inside(case, namespaces, script, limit_s):
    """Runs the script's tests inside. All must pass but the one that calls this."""
    inside = subprocess.Popen([*namespaces, sys.executable, script, "-v"], env={**os.environ, INSIDE: "1"},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        said, _ = inside.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        inside.send_signal(signal.SIGKILL)
        said, _ = inside.communicate()
        case.fail(f"took too long:\n{said}")
    case.assertEqual(inside.returncode, 0, said)
    case.assertIn("skipped=1", said)


def main(programs, namespaces, trial):
    reason = None if is_inside() else what_is_missing(programs, namespaces, trial)
    if reason:
        print(f"SKIP: {reason}")
        sys.exit(77)
    unittest.main()
