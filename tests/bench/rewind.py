"""What it costs to go back in a world that runs: by a second, a minute and ten minutes of its time, from its newest moment each time.

    rewind.py DROVER_SERVER [--scenarios flock,murmuration_10k] [--seconds 1,60,600] [--turns 5]

The world is run as fast as it goes, until it has a past of that length. Each turn goes back, and then on from where the world was left. A row has the median
and the longest time of the reply, the ticks that were simulated on the way (from the nearest checkpoint in memory), the longest `ping` of another
session in the meantime, and the memory that the past takes.
"""
import argparse
import statistics
import threading
import time

from stream import Client, Server

HZ = 60  # of the scenarios


def longest_ping(port, is_over):
    """Of a session that asks all the time, ms."""
    client, longest = Client(port), 0.0
    while not is_over.is_set():
        begun = time.monotonic()
        client.request(op="ping")
        longest = max(longest, 1000 * (time.monotonic() - begun))
        time.sleep(0.001)
    return longest


def go_back(port, client, seconds):
    """(ms until the reply, ticks simulated, ms of the longest ping)"""
    branch = next(row["name"] for row in client.request(op="list", what="branches")["branches"] if row["current"])
    is_over, pings = threading.Event(), []
    other = threading.Thread(target=lambda: pings.append(longest_ping(port, is_over)))
    other.start()
    begun = time.monotonic()
    reply = client.request(op="rewind", seconds=seconds)
    took = 1000 * (time.monotonic() - begun)
    is_over.set()
    other.join()
    client.request(op="rewind", branch=branch)
    return took, reply["simulated"], pings[0]


def measure(program, scenario, options):
    server = Server(program, scenario, "--rewind", "1G")
    try:
        client = Client(server.port)
        client.request(op="speed", max=True)
        while client.request(op="stats")["tick"] < HZ * (max(options.seconds) + 30):
            time.sleep(0.5)
        client.request(op="pause")
        agents = client.request(op="stats")["agents"]
        for seconds in options.seconds:
            rows = [go_back(server.port, client, seconds) for _ in range(options.turns)]
            times = [row[0] for row in rows]
            memory = client.request(op="list", what="branches")["bytes"]
            print(f"{scenario:16} {agents:7} {seconds:5} s {statistics.median(times):9.1f} ms, {max(times):9.1f} {statistics.median(row[1] for row in rows):6.0f} ticks, "
                  f"ping {max(row[2] for row in rows):6.1f} ms, {memory / 1e6:7.1f} MB", flush=True)
    finally:
        server.stop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("server")
    parser.add_argument("--scenarios", type=lambda text: text.split(","), default=["flock", "murmuration_10k"])
    parser.add_argument("--seconds", type=lambda text: [int(word) for word in text.split(",")], default=[1, 60, 600])
    parser.add_argument("--turns", type=int, default=5)
    options = parser.parse_args()
    print("scenario          agents  back    median     longest  simulated, longest ping of another session, memory of the past")
    for scenario in options.scenarios:
        measure(options.server, scenario, options)


if __name__ == "__main__":
    main()
