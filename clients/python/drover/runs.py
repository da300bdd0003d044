"""Many runs of a scenario, by the program `drover run`."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import tempfile
from typing import IO, Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from .errors import DroverError
from .serving import dies_with_parent, find_program

POLL_S = 0.05
Run = Dict[str, Any]  # one line of `drover run`: the run's seed and parameters, and what was measured


def _range(values: Union[int, range, Iterable[int]]) -> str:
    """What --seed takes: "7", "1..20" or "3,5,8"."""
    if isinstance(values, int):
        return str(values)
    if isinstance(values, range) and values.step == 1 and len(values) > 1:
        return f"{values[0]}..{values[-1]}"
    return ",".join(str(value) for value in values)


def _value(value: Any) -> str:
    return repr(value) if isinstance(value, float) else str(value)


def command(scenario: Optional[str], folder: str, *, seed: Union[int, range, Iterable[int], None] = None,
            set: Optional[Mapping[str, Any]] = None, measure: Union[str, Sequence[str], None] = None, resume: bool = False,
            agents: bool = False, record: bool = False, drover: Optional[str] = None, server: Optional[str] = None,
            arguments: Sequence[str] = (), **options: Any) -> List[str]:
    """The command line of `run`."""
    words = [find_program("drover", "DROVER_TOOL", drover, server), "run", "--out", folder]
    words += ["--seed", _range(seed)] if seed is not None else []
    for name, values in (set or {}).items():
        listed = values if isinstance(values, (list, tuple, range)) else [values]
        words += ["--set", f"{name}=" + ",".join(map(_value, listed))]
    words += ["--measure", measure if isinstance(measure, str) else ",".join(measure)] if measure else []
    for name in ("seconds", "ticks", "until", "every", "jobs", "design", "from_", "scenarios"):
        value = options.pop(name, None)
        words += ["--" + name.rstrip("_"), _value(value)] if value is not None else []
    if options:
        raise TypeError(f"run has no option {', '.join(options)}")
    words += ["--resume"] * resume + ["--agents"] * agents + ["--record"] * record
    return words + [str(argument) for argument in arguments] + ([str(scenario)] if scenario else [])


class _Program:
    """A `drover run` and its folder; one of its own when the caller wants none."""

    def __init__(self, scenario: Optional[str], out: Optional[str], options: Dict[str, Any]) -> None:
        self._own = None if out is not None else tempfile.TemporaryDirectory(prefix="drover-run-")
        # A folder that does not exist yet: `drover run` makes it.
        self._folder = out if self._own is None else os.path.join(self._own.name, "runs")
        self._errors = tempfile.TemporaryFile()
        self.process = _start(command(scenario, str(self._folder), **options), self._errors)

    def end(self) -> None:
        """Interrupts the program when it still runs: what is done is kept."""
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()

    def results(self) -> List[Run]:
        if self.process.returncode:
            self._errors.seek(0)
            said = self._errors.read().decode("utf-8", "replace").strip()
            raise DroverError("run", said or f"drover run ended with {self.process.returncode}")
        with open(os.path.join(str(self._folder), "runs.ndjson"), encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]

    def close(self) -> None:
        self.end()
        self._errors.close()
        if self._own is not None:
            self._own.cleanup()


def run(scenario: Optional[str] = None, *, out: Optional[str] = None, **options: Any) -> List[Run]:
    """Runs a scenario as fast as the processor goes and returns what was measured, a dict for each row, in order of runs.

    seed      a number, a range or several: `seed=range(1, 21)`
    set       values of parameters, all combinations of them: `set={"bird.max_speed": [80, 100, 120]}`
    seconds, ticks, until   how long a run is
    every     ticks from one row of a run to the next; without it a run has one row, of its end
    measure   what to measure, names in a list; all by default
    jobs      runs at a time
    out       the folder that keeps the results, with which `resume=True` goes on; by default none is kept
    design    a CSV file with a row for each run
    from_     a saved world to begin with, in place of the scenario
    agents, record   write where the agents were, and recordings, into `out`
    drover    the path of the program; None: $DROVER_TOOL, beside the server, the PATH
    """
    program = _Program(scenario, out, options)
    try:
        program.process.wait()
        return program.results()
    finally:
        program.close()


async def run_async(scenario: Optional[str] = None, *, out: Optional[str] = None, **options: Any) -> List[Run]:
    """run for asyncio: other tasks go on meanwhile, and cancellation ends the program."""
    program = _Program(scenario, out, options)
    try:
        while program.process.poll() is None:
            await asyncio.sleep(POLL_S)
        return program.results()
    finally:
        program.close()


def _start(words: List[str], errors: IO[bytes]) -> "subprocess.Popen[bytes]":
    try:
        return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, preexec_fn=dies_with_parent())
    except OSError as error:
        errors.close()
        raise DroverError("run", f"{words[0]} cannot be started ({error})") from None
