#!/usr/bin/env python3
"""Rows or tiles? Counts, in real worlds, what ranks would have and send each other if the world were cut into bands of rows of cells, as
drover-cluster --mode stripes does it, and into tiles (rows and columns): docs/cluster.md, "Rows, not tiles". Nothing is timed.

    cluster_tiles.py SCENARIO[:AGENTS[:WIDTHxHEIGHT]] ... [--ticks 500] [--corner PART] [--ranks 2,4,8,16,32,64]

AGENTS and WIDTHxHEIGHT replace those of the scenario, which has one kind. --corner PART puts that part of the agents into a corner of an eighth of the width and
height. The world is stepped by libdrover-sim ($DROVER_SIM_LIBRARY), with numpy.

Cells are as wide as the widest zone (the program's are up to 7 % wider). Bands have as equal numbers of agents as whole rows allow (rank_rules.c); tiles are cut into R
bands in the same way and each of these into C parts by whole columns of its own, which balances better than one raster for all. R x C is the shape
with the fewest ghosts. A ghost is an agent in a cell beside a rank's own, corners included, the torus' seam too.

A tick, for the rank that has most: work = agents * --agent-ns / --cores; halo = a latency, --overhead-us for each message sent and received, and the
ghosts' 16 bytes each over the bandwidth. All messages of a rank travel at once: that favors tiles, which have 8. What both have (orders, sums) is left out.
"""
import argparse
import json
import pathlib
import sys

try:
    import numpy
except ImportError:  # --help does without
    numpy = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "clients/python"))
from drover import sim  # noqa: E402  pylint: disable=wrong-import-position

GHOST_BYTES = 16
NETWORKS = (("TCP", 30.0, 2.5, 5.0), ("InfiniBand", 2.0, 12.0, 0.5))  # latency, us; GB/s; overhead of a message, us


def zone_of(scenario):
    """The widest zone of the one kind's flock."""
    kind, = scenario["kinds"].values()
    return max(value for behavior in kind["behaviors"] for name, value in behavior.get("flock", {}).items() if name.endswith("_radius"))


def world_of(words, corner):
    name, _, rest = words.partition(":")
    agents, _, size = rest.partition(":")
    scenario = json.loads((ROOT / f"scenarios/{name}.json").read_text(encoding="utf-8"))
    if size:
        scenario["world"]["size"] = [int(side) for side in size.split("x")]
    width, height = scenario["world"]["size"]
    placed, = scenario["agents"]
    count = int(agents or placed["count"])
    crowd = int(count * corner)
    scenario["agents"] = [{"kind": placed["kind"], "count": count - crowd, "in": {"rect": [0, 0, width, height]}}]
    if crowd > 0:
        scenario["agents"].append({"kind": placed["kind"], "count": crowd, "in": {"rect": [0, 0, width / 8, height / 8]}})
    return scenario, count


def cells_of(scenario, count, ticks):
    """Agents by row and column of cells."""
    width, height = scenario["world"]["size"]
    zone = zone_of(scenario)
    with sim.Simulation(scenario, max_agents=count, columns="x y", numpy=True) as world:
        for _ in range(ticks):
            world.turn(1)
        agents = world.agents("x y")
        columns, rows = int(width // zone), int(height // zone)
        at = numpy.minimum((agents.y * (rows / height)).astype(int), rows - 1) * columns + numpy.minimum((agents.x * (columns / width)).astype(int), columns - 1)
        return numpy.bincount(at, minlength=rows * columns).reshape(rows, columns)


def cut(weights, parts):
    """Where whole rows are cut so that parts have equal sums: parts + 1 indices, each part at least one row."""
    sums = numpy.concatenate(([0], numpy.cumsum(weights)))
    cuts = [int(numpy.abs(sums - sums[-1] * i / parts).argmin()) for i in range(parts + 1)]
    for i in range(1, parts):
        cuts[i] = min(max(cuts[i], cuts[i - 1] + 1), len(weights) - parts + i)
    return cuts


def tiles_of(cells, bands, across):
    """(first row, end, first column, end) of each rank."""
    rows = cut(cells.sum(axis=1), bands)
    for top, end in zip(rows, rows[1:]):
        columns = cut(cells[top:end].sum(axis=0), across)
        for left, right in zip(columns, columns[1:]):
            yield top, end, left, right


def measure(cells, bands, across):
    """Of R x C ranks: rows of the lowest, narrowest width in cells, most agents, balance, most ghosts, messages."""
    height, width = cells.shape
    own, ghosts, lowest, narrowest = [], [], height, width
    for top, end, left, right in tiles_of(cells, bands, across):
        lowest, narrowest = min(lowest, end - top), min(narrowest, right - left)
        ring_rows = numpy.arange(top - 1, end + 1) % height if end - top + 2 <= height else numpy.arange(height)
        ring_columns = numpy.arange(left - 1, right + 1) % width if right - left + 2 <= width else numpy.arange(width)
        inside = int(cells[top:end, left:right].sum())
        own.append(inside)
        ghosts.append(int(cells[numpy.ix_(ring_rows, ring_columns)].sum()) - inside)
    return {"rows": lowest, "columns": narrowest, "agents": max(own), "balance": sum(own) / len(own) / max(own), "ghosts": max(ghosts),
            "messages": 2 if 1 in (bands, across) else 5 if 2 in (bands, across) else 8}


def best_tiles(cells, ranks):
    shapes = [(bands, ranks // bands) for bands in range(1, ranks // 2 + 1) if ranks % bands == 0]
    return min(((shape, measure(cells, *shape)) for shape in shapes), key=lambda found: found[1]["ghosts"])


def halo_us(found, latency, bandwidth, overhead):
    return latency + 2 * found["messages"] * overhead + found["ghosts"] * GHOST_BYTES / (bandwidth * 1e3)


def print_world(words, scenario, cells, given):
    print(f"\n{words}: {cells.sum()} agents, {cells.shape[0]} rows of {cells.shape[1]} cells, after {given.ticks} ticks"
          f"{f', {100 * given.corner:.0f} % begun in a corner' if given.corner else ''}\n")
    print("| ranks | rows each | ghosts | KB | balance | tiles | ghosts | KB | balance | work, µs | halo, TCP: rows, tiles | InfiniBand: rows, tiles |")
    print("|" + "---|" * 12)
    for ranks in given.ranks:
        rows = measure(cells, ranks, 1)
        shape, tiles = best_tiles(cells, ranks)
        work = [found["agents"] * given.agent_ns * 1e-3 / given.cores for found in (rows, tiles)]
        halos = [f"{halo_us(rows, *network):.0f}, {halo_us(tiles, *network):.0f}" for _, *network in NETWORKS]
        kilobytes = [found["ghosts"] * GHOST_BYTES / 1000 for found in (rows, tiles)]
        print(f"| {ranks} | {cells.shape[0] / ranks:.0f}{'' if cells.shape[0] / ranks >= 4 else ' (refused)'} | {rows['ghosts']} | {kilobytes[0]:.0f} | {rows['balance']:.2f} "
              f"| {shape[0]}x{shape[1]} | {tiles['ghosts']} | {kilobytes[1]:.0f} | {tiles['balance']:.2f} | {work[0]:.0f}, {work[1]:.0f} | {halos[0]} | {halos[1]} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("worlds", nargs="+", metavar="SCENARIO[:AGENTS[:WIDTHxHEIGHT]]")
    parser.add_argument("--ticks", type=int, default=500)
    parser.add_argument("--corner", type=float, default=0.0)
    parser.add_argument("--ranks", type=lambda text: [int(word) for word in text.split(",")], default=[2, 4, 8, 16, 32, 64])
    parser.add_argument("--agent-ns", type=float, default=15.0)
    parser.add_argument("--cores", type=int, default=16)
    given = parser.parse_args()
    if numpy is None:
        sys.exit("cluster_tiles.py: numpy is not installed (python3-numpy)")
    for words in given.worlds:
        scenario, count = world_of(words, given.corner)
        print_world(words, scenario, cells_of(scenario, count, given.ticks), given)


if __name__ == "__main__":
    main()
