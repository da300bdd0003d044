"""Drover: scripts for a simulation server.

    import drover
    with drover.serve("boids", seed=7) as world:
        for frame in world.watch(hz=20, fields="pos state"):
            print(frame.tick, frame.x[0], frame.missed)
            if frame.tick > 600:
                break

`connect` and `serve` are synchronous, `drover.aio` has the same for asyncio. docs/python.md describes all of it,
protocol.md the requests.
"""

from __future__ import annotations

from typing import Any, Optional, Sequence

from . import aio
from .client import Drover, Pending, Watch, connect
from .columns import Names
from .errors import DroverError, DroverWarning
from .frames import Density, Frame, Snapshot
from .methods import Batch
from .ops import DEFAULT_TIMEOUT_S, OPS, Field, Param, Step, check_options
from .runs import Run, run
from .serving import ServerProcess

__version__ = "0.1.0"
__all__ = ["Batch", "Density", "Drover", "DroverError", "DroverWarning", "Field", "Frame", "Names", "OPS", "Param", "Pending", "Run", "ServerProcess",
           "Snapshot", "Step", "Watch", "aio", "connect", "run", "serve"]


def serve(scenario: Optional[str] = None, *, seed: Optional[int] = None, paused: bool = False, server: Optional[str] = None,
          arguments: Sequence[str] = (), timeout: Optional[float] = DEFAULT_TIMEOUT_S, numpy: Optional[bool] = None, **hello: Any) -> Drover:
    """Starts a server of one's own on a free port of 127.0.0.1 and connects to it; closing the world ends it, and so does the
    end of the script, however it ends.

    scenario   a name or the path of a file; None: the server's default
    server     the path of drover-server; None: $DROVER_SERVER_PROGRAM, the PATH, or a build beside the package
    arguments  further options of drover-server
    """
    check_options("serve", hello, ("scenario", "seed", "paused", "server", "arguments", "timeout", "numpy"))
    process = ServerProcess(scenario, seed=seed, paused=paused, server=server, arguments=arguments)
    try:
        process.wait_until_listening()
        world = Drover(process.port, timeout=timeout, numpy=numpy, server=process, **hello)
        return world.open()
    except BaseException:
        process.end()
        raise
