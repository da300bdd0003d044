"""drover-cluster as a server of the end-to-end tests: mpirun on this machine, whatever it has of cores.

DROVER_CLUSTER names the program. Ranks outnumber cores here, so they yield; tests of time belong elsewhere.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
from drover_client import PATIENCE_S, Case, Client, Server, end_process, wait_for  # noqa: F401  pylint: disable=unused-import

# As root, in a container, and with more ranks than cores.
MPI_ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe", "PRTE_MCA_hwloc_default_binding_policy": "none",  # the same in Open MPI 5
    "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "HWLOC_COMPONENTS": "-gl",  # docs/cluster.md
    "UCX_MODULES": "",  # a library of Open MPI 5 looks for them in vain, and LeakSanitizer takes what dlerror() keeps of it for a leak
    # use_tls: LeakSanitizer cannot follow the thread-local memory of libraries that Open MPI has loaded, and crashes now and then.
    "LSAN_OPTIONS": f"suppressions={ROOT / 'tests/cluster/leaks.txt'}:print_suppressions=0:use_tls=0",
}
SHARED_MEMORY = ()
TCP = ("--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo")


def cluster_binary():
    return os.environ.get("DROVER_CLUSTER") or str(ROOT / "build/release/bin/drover-cluster")


def rank_of(pid):
    """The rank that a process is; None if it is none, or is gone."""
    try:
        text = pathlib.Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return None
    match = re.search(rb"(?:^|\0)OMPI_COMM_WORLD_RANK=(\d+)", text)
    return int(match[1]) if match else None


def children_of(pid):
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parent = int(entry.joinpath("stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            continue
        if parent == pid:
            found.append(int(entry.name))
    return found


def run_ranks(ranks, *words, mca=SHARED_MEMORY, before=()):
    """Runs a program on so many ranks to its end, `before` before mpirun; a subprocess.CompletedProcess with text."""
    return subprocess.run([*before, "mpirun", "-n", str(ranks), *mca, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          cwd=ROOT, timeout=4 * PATIENCE_S, env={**os.environ, **MPI_ENVIRONMENT})


def run_unlike(first, second):
    """Rank 0 runs the first words, rank 1 the second; mpirun's own `FIRST : SECOND` crashes in Open MPI 5.0.7."""
    return run_ranks(2, "sh", "-c", f"[ $OMPI_COMM_WORLD_RANK = 1 ] || exec {shlex.join(first)}; exec {shlex.join(second)}")


class Cluster(Server):
    """A real cluster. Leaving the with-block stops rank 0 with SIGTERM and expects exit 0 of all."""

    def __init__(self, ranks, *arguments, mode="copy", mca=SHARED_MEMORY, environment=None, before=(), port=0):
        self.ranks, self._mode, self._mca, self._before = ranks, mode, mca, before
        self._pids = {}
        super().__init__(*arguments, environment={**MPI_ENVIRONMENT, **(environment or {})}, port=port)

    def words(self):
        return [*self._before, "mpirun", "-n", str(self.ranks), *self._mca, cluster_binary(), "--mode", self._mode]

    def pids(self):
        """Rank -> process, of those that mpirun started itself."""
        if not self._pids:
            self._pids = {rank_of(pid): pid for pid in children_of(self.process.pid) if rank_of(pid) is not None}
        return self._pids

    @property
    def pid(self):
        return self.pids()[0]

    def kill(self):
        """Ends what is left by way of mpirun, which ends its ranks."""
        end_process(self.process)
        super().kill()
