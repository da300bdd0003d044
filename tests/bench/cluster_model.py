#!/usr/bin/env python3
"""A model of how long a tick takes when ranks share the world: the tables of docs/cluster.md. Computed, not measured.

    cluster_model.py [--cores 16] [--agent-ns 15] [--neighbors 10] [--latency-us 30] [--bandwidth 2.5] [--agent-bytes 16]

What it adds up, for N agents and P ranks of C cores:

    work        N * agent_ns / (P * C)            all cores at once; the longest rank has as much as the others
    orders      log2 P latencies                  rank 0 tells what comes next
    sums        2 log2 P latencies                what was reached and caught
    halo        stripes: two border rows of sqrt(k N / pi) * 1.07 agents (k neighbors; cells are a little wider than
                what they look through) at agent_bytes, and a latency; what the inner rows hide of it costs nothing
    sorts       stripes, in so many of the ticks: 4 log2 P latencies for the counts, and the border rows once more
    telling     copy: each rank gets all agents of the others, copy_bytes each, and log2 P latencies

Left out: rows that have more agents than others, a clump, frames, a network that others use, ranks that wait for their
core. Each of them makes it slower, never faster.
"""
import argparse
import math

AGENTS = (100_000, 1_000_000, 10_000_000, 100_000_000)
RANKS = (1, 2, 4, 16, 64, 256)
LEAST_ROWS = 8  # of a window: with fewer, border rows are most of it
CELL = 1.07     # a cell's width, of the radius that agents look through
DEAR_NS = 500.0 # an agent that avoids its neighbors by ORCA
ONE_MACHINE = {"cores": 1, "latency_us": 1.0, "bandwidth": 5.0} # through its memory


def border_agents(agents, given):
    """Agents of one row of cells."""
    return math.sqrt(given.neighbors * agents / math.pi) * CELL


def rows(agents, given):
    """Rows of cells of a square world."""
    return math.sqrt(math.pi * agents / given.neighbors) / CELL


def latencies_ms(count, ranks, given):
    return count * math.log2(ranks) * given.latency_us * 1e-3


def wire_ms(size, given):
    return size / (given.bandwidth * 1e9) * 1e3


def work_ms(agents, ranks, given):
    return agents * given.agent_ns * 1e-6 / (ranks * given.cores)


def stripes_ms(agents, ranks, given):
    """A tick of stripes, on average over those that sort and those that do not."""
    work = work_ms(agents, ranks, given)
    if ranks == 1:
        return work
    halo = wire_ms(2 * border_agents(agents, given) * given.agent_bytes, given) + given.latency_us * 1e-3
    hidden = work * max(1 - 2 * ranks / rows(agents, given), 0)  # the inner rows
    return (work + latencies_ms(3, ranks, given) + max(halo - hidden, 0)
            + given.sorts * (latencies_ms(4, ranks, given) + halo))


def copy_ms(agents, ranks, given):
    work = work_ms(agents, ranks, given)
    if ranks == 1:
        return work
    return work + latencies_ms(4, ranks, given) + wire_ms(agents * given.copy_bytes * (ranks - 1) / ranks, given)


def number(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def table(title, head, body):
    print(f"\n{title}\n")
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in body:
        print("| " + " | ".join(row) + " |")


def label(agents):
    return f"{agents // 1_000_000} million" if agents >= 1_000_000 else f"{agents // 1000} 000"


def cell_of(agents, ranks, given):
    return "–" if ranks > 1 and rows(agents, given) / ranks < LEAST_ROWS else number(stripes_ms(agents, ranks, given))


def ranks_for(agents, given, tick_hz, milliseconds):
    """The fewest ranks that have a tick done in three quarters of its time; None: more do not help."""
    for ranks in range(1, 1025):
        if ranks > 1 and rows(agents, given) / ranks < LEAST_ROWS:
            return None
        if milliseconds(agents, ranks, given) <= 750 / tick_hz:
            return ranks
    return None


def print_tables(given):
    table("Stripes, ms a tick", ["agents", "border row"] + [f"{ranks} rank{'s' * (ranks > 1)}" for ranks in RANKS],
          [[label(agents), f"{border_agents(agents, given) * given.agent_bytes / 1000:.0f} KB"]
           + [cell_of(agents, ranks, given) for ranks in RANKS] for agents in AGENTS])
    table("Strong scaling: times as fast as one rank (of each rank's cores that much is used)",
          ["agents"] + [f"{ranks} ranks" for ranks in RANKS[1:]],
          [[label(agents)] + ["–" if cell_of(agents, ranks, given) == "–" else
                              f"{(gain := stripes_ms(agents, 1, given) / stripes_ms(agents, ranks, given)):.1f} ({100 * gain / ranks:.0f} %)"
                              for ranks in RANKS[1:]] for agents in AGENTS])
    each = (1_000_000, 6_000_000)
    table("Weak scaling: ms a tick with as many agents for each rank",
          ["agents a rank"] + [f"{ranks} rank{'s' * (ranks > 1)}" for ranks in RANKS],
          [[label(agents)] + [cell_of(agents * ranks, ranks, given) for ranks in RANKS] for agents in each])
    table("Ranks for a tick that takes three quarters of its time at most",
          ["agents", "60 Hz", "30 Hz", "10 Hz"],
          [[label(agents)] + [str(ranks_for(agents, given, hz, stripes_ms) or "not reached") for hz in (60, 30, 10)]
           for agents in AGENTS])
    for where, changes in (("", {}), (", ranks of one core on one machine", ONE_MACHINE)):
        dear = argparse.Namespace(**{**vars(given), **changes, "agent_ns": DEAR_NS})
        table(f"Copies{where}: agents of {DEAR_NS:.0f} ns each (a crowd with ORCA), ms a tick",
              ["agents"] + [f"{ranks} rank{'s' * (ranks > 1)}" for ranks in RANKS[:4]],
              [[label(agents)] + [number(copy_ms(agents, ranks, dear)) for ranks in RANKS[:4]] for agents in (20_000, 100_000, 200_000)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cores", type=int, default=16, help="of a rank")
    parser.add_argument("--agent-ns", type=float, default=15.0, help="an agent takes on one core, sorts included")
    parser.add_argument("--neighbors", type=float, default=10.0)
    parser.add_argument("--latency-us", type=float, default=30.0, help="TCP; InfiniBand has 2")
    parser.add_argument("--bandwidth", type=float, default=2.5, help="GB/s")
    parser.add_argument("--agent-bytes", type=int, default=16, help="of a ghost in a tick: motion; 24 with the heading")
    parser.add_argument("--copy-bytes", type=int, default=73, help="motion, heading, state and memory")
    parser.add_argument("--sorts", type=float, default=1 / 3, help="the share of ticks that sort")
    given = parser.parse_args()
    print(f"Model: {given.agent_ns:.1f} ns an agent and core, {given.cores} cores a rank, {given.neighbors:.0f} neighbors, "
          f"{given.latency_us:.0f} µs, {given.bandwidth:.1f} GB/s, {100 * given.sorts:.0f} % of the ticks sort.")
    print_tables(given)


if __name__ == "__main__":
    main()
