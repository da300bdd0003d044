"""Sources and sinks of a live world: agents come and leave, the numbers add up, frames and saves follow."""

import json
import tempfile
import time
import unittest

import packed
from drover_client import ROOT, Case, Server

STATION = json.loads((ROOT / "scenarios/station.json").read_text())


def station(**more):
    file = tempfile.NamedTemporaryFile("w", suffix=".json")  # pylint: disable=consider-using-with
    json.dump({**STATION, **more}, file)
    file.flush()
    return file


class Sources(Case):
    def numbers(self, client):
        """What was spawned, waits, was removed; and how many there are."""
        listed = client.request("list", what="sources")
        kinds = client.request("list", what="kinds")["kinds"]
        return (sum(row["spawned"] for row in listed["sources"]), sum(row["waiting"] for row in listed["sources"]),
                sum(row["removed"] for row in listed["sinks"]), sum(row["count"] for row in kinds))

    def test_the_numbers_add_up(self):
        with station() as file, Server("--paused", file.name) as server, server.connect() as client, server.connect() as other:
            self.assert_reply(other.request("subscribe", layout="events", events=["entered", "left"]), "subscribe")
            for seconds in (10, 20):
                client.request("step", count=60 * seconds)
                spawned, waiting, removed, alive = self.numbers(client)
                self.assertEqual(alive, spawned - removed)
                self.assertGreater(spawned + waiting, 3 * seconds)
            self.assertGreater(removed, 20)
            entered = left = 0
            for _ in range(200):  # events that a quick step left out come with later ones
                client.request("step", count=60)
                spawned, _, removed, _ = self.numbers(client)
                for event in other.flush():
                    self.assertIn(event["event"], ("entered", "left"))
                    entered += event["count"] if event["event"] == "entered" else 0
                    left += event["count"] if event["event"] == "left" else 0
                if (entered, left) == (spawned, removed):
                    break
                time.sleep(0.1)
            self.assertEqual((entered, left), (spawned, removed))

    def test_a_full_world_makes_them_wait(self):
        with station() as file, Server("--paused", "--max-agents", "30", file.name) as server, server.connect() as client:
            client.request("step", count=1200)
            _, waiting, _, alive = self.numbers(client)
            self.assertLessEqual(alive, 30)
            self.assertGreater(waiting, 10)
            self.assert_logged(server, "the world is full: its sources wait")
            client.request("step", count=60)
            self.assertEqual(server.stderr().count("the world is full"), 1)

    def test_a_save_goes_on_as_the_world_does(self):
        with station() as file, Server("--paused", "--max-agents", "50", file.name) as server, server.connect() as client:
            client.request("step", count=700)
            client.request("save", name="here")
            after = client.request("step", count=500)["hash"]
            numbers = self.numbers(client)
            client.request("load", save="here")
            self.assertEqual(client.request("step", count=500)["hash"], after)
            self.assertEqual(self.numbers(client), numbers)

    def test_keys_come_as_changes(self):
        with station() as file, Server("--paused", file.name) as server, server.connect() as client:
            readers = [server.connect() for _ in range(2)]
            self.assertTrue(readers[0].request("subscribe", layout="packed", key_changes=True)["key_changes"])
            self.assertNotIn("key_changes", readers[1].request("subscribe", layout="packed"))
            client.request("step", count=900)
            streams, changes, sizes = [packed.Stream(), packed.Stream()], 0, [0, 0]
            for _ in range(60):
                tick = client.request("step", count=4)["tick"]
                shown = []
                for i, reader in enumerate(readers):
                    frame = None
                    while frame is None or frame["tick"] < tick:
                        line = reader.read_line()
                        message = json.loads(line)
                        if message["op"] in ("key", "delta"):
                            frame = streams[i].feed(line)
                            sizes[i] += len(line)
                            changes += "from" in message
                            self.assertFalse(i == 1 and "from" in message)
                    shown.append(frame["agents"])
                self.assertEqual(*shown)
            self.assertGreater(changes, 3)
            self.assertLess(sizes[0], sizes[1])
            for reader in readers:
                reader.vanish()


if __name__ == "__main__":
    unittest.main()
