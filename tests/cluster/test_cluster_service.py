"""drover-cluster as a service: the stand-in for systemd of tests/e2e/test_service.py starts and stops its unit with the real mpirun."""

import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import unittest

from cluster import MPI_ENVIRONMENT, ROOT, Case, cluster_binary, wait_for
from drover_client import PATIENCE_S, Client
from test_service import Manager, exposure_of

UNIT = "drover-cluster.service"
EXPOSURE = 1.8  # mpirun binds ranks to cores, looks at /proc, and asks for the machine's networks


class ClusterManager(Manager):
    environment = {"DROVER_MPI": "-n 2", **MPI_ENVIRONMENT}

    def __init__(self, folder):
        super().__init__(folder, UNIT)

    def stop(self, state):
        """ExecStop. Returns the exit code of mpirun."""
        words = [word.replace("$$", "$") for word in shlex.split(self.unit["ExecStop"][0])]
        waits = subprocess.Popen(words, env={**os.environ, "STATE_DIRECTORY": state, "MAINPID": str(self.process.pid)})
        code = self.process.wait(PATIENCE_S)
        self.process.stdout.close()
        assert waits.wait(PATIENCE_S) == 0
        return code


class Service(Case):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="drover-service-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def test_started_stopped_and_started_again(self):
        """The world goes on, and a stop is no failure though mpirun itself ends with 1 after a signal."""
        reached = 0
        for options in ("--seed 5 boids", "--mode stripes"):
            with ClusterManager(self.folder) as manager:
                state = manager.start(options)
                self.assertEqual(manager.wait_for("READY"), "1")
                self.assertTrue(manager.wait_for("STATUS").startswith("boids, "))
                with Client(manager.port) as client:
                    stats = client.request("stats")
                    self.assertEqual(stats["cluster"]["count"], 2)
                    self.assertGreaterEqual(stats["tick"], reached)
                    wait_for(lambda: client.request("stats")["tick"] >= reached + 30, "some ticks")
                    reached = client.request("stats")["tick"]
                self.assertEqual(manager.stop(state), 0)

    def test_no_start_follows_a_mistake(self):
        with ClusterManager(self.folder) as manager:
            self.assertEqual(manager.unit["RestartPreventExitStatus"], ["2"])
            with self.assertRaises(AssertionError):
                manager.start("no-such-scenario")
            self.assertEqual(manager.process.wait(PATIENCE_S), 2)
            manager.process.stdout.close()

    def test_exposure(self):
        self.assertLessEqual(exposure_of(self, UNIT), EXPOSURE)


class Slurm(Case):
    def test_the_job_of_the_documents(self):
        """A minute before its end the script alone gets SIGTERM: the ranks end in order, and the job is queued again. Without the signal it is not."""
        document = (ROOT / "docs/cluster.md").read_text(encoding="utf-8")
        script = re.search(r"^```\n(#!/bin/bash\n.*?)^```$", document, re.MULTILINE | re.DOTALL)[1]
        for words, instead in (("--listen 0.0.0.0 --token-file tokens --threads 16 million", "--port 0 boids"), ("mpirun ", "mpirun -n 2 ")):
            self.assertEqual(script.count(words), 1)
            script = script.replace(words, instead)
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "scontrol").write_text('#!/bin/sh\necho "$@" >"$SCRATCH/queued"\n', encoding="utf-8")
            pathlib.Path(folder, "scontrol").chmod(0o755)
            os.symlink(cluster_binary(), f"{folder}/drover-cluster")
            environment = {**os.environ, **MPI_ENVIRONMENT, "SCRATCH": folder, "PATH": f"{folder}:{os.environ['PATH']}", "SLURM_JOB_ID": "77"}
            queued = pathlib.Path(folder, "queued")
            for is_signaled in (False, True):
                with subprocess.Popen(["bash", "-c", script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                      cwd=ROOT, env=environment) as job:
                    self.addCleanup(job.kill)
                    port = int(job.stdout.readline().rsplit(":", 1)[1])
                    with Client(port) as client:
                        rank_0 = int(pathlib.Path(folder, "million/lock").read_text())
                        os.kill(job.pid if is_signaled else rank_0, signal.SIGTERM)
                        self.assertEqual(client.until_closed()[-1]["reason"], "shutdown")
                    self.assertEqual(job.wait(PATIENCE_S), 0)
                self.assertEqual(queued.exists(), is_signaled)
            self.assertEqual(queued.read_text(), "requeue 77\n")


if __name__ == "__main__":
    unittest.main()
