"""Viewers with many queries: get_params, list and inspect wait for a gap between ticks, in turns; ticks do not wait for them."""

import json
import threading
import time
import unittest

from drover_client import Case, Server

SECONDS = 3.0


class Crowd:
    """Sessions on threads of their own that send some queries at a time, wait for the replies and repeat, until the
    with-block ends.

    answered    of each session, once it has ended
    """

    def __init__(self, server, request, sessions, at_once):
        self.text, self.at_once = (json.dumps(request) + "\n") * at_once, at_once
        self.clients = [server.connect() for _ in range(sessions)]
        self.answered, self.errors = [0] * sessions, []
        self.is_over = threading.Event()
        self.threads = [threading.Thread(target=self.keep_asking, args=(index,)) for index in range(sessions)]

    def keep_asking(self, index):
        client = self.clients[index]
        try:
            while not self.is_over.is_set():
                client.send_raw(self.text)
                for _ in range(self.at_once):
                    client.read_line()
                self.answered[index] += self.at_once
        except Exception as error:  # of a thread: reported by __exit__
            self.errors.append(error)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        for thread in self.threads:
            thread.join()
        for client in self.clients:
            client.socket.close()
        if self.errors:
            raise self.errors[0]


class Questions(Case):
    def test_ticks_do_not_wait(self):
        """30 sessions with 10 queries at a time: far more than there is time for. A boundary has half a millisecond for
        them (a query that began is finished, and the machine is noisy: hence the bound)."""
        for request in ({"op": "get_params"}, {"op": "inspect", "agents": list(range(1, 17))}):
            with Server("--rate", "0", "hunters_and_prey") as server, server.connect() as client:
                with Crowd(server, request, sessions=30, at_once=10) as crowd:
                    time.sleep(SECONDS)
                    stats = client.request("stats")
                self.assertLess(stats["phases_ms"]["commands"]["p50"], 5, stats)
                self.assertGreater(min(crowd.answered), 0)
                self.assertLess(max(crowd.answered), 3 * min(crowd.answered), "all are served alike")

    def test_one_question_does_not_wait_for_those_of_many(self):
        for options in ((), ("--paused",)):
            with Server("--rate", "0", *options, "hunters_and_prey") as server, server.connect() as client, \
                    Crowd(server, {"op": "get_params"}, sessions=8, at_once=20):
                count, end = 0, time.monotonic() + SECONDS
                while time.monotonic() < end:
                    self.assert_reply(client.request("list", what="kinds"), "list")
                    count += 1
                self.assertGreater(count, 20)

    def test_a_change_does_not_starve_behind_questions(self):
        """In a paused world, too, where the number of replies is unlimited."""
        with Server("--rate", "0", "--paused", "hunters_and_prey") as server, server.connect() as client, \
                Crowd(server, {"op": "get_params"}, sessions=8, at_once=20):
            end = time.monotonic() + SECONDS
            ticks = 0
            while time.monotonic() < end:
                ticks += 1
                self.assert_reply(client.request("step"), "step", tick=ticks)
            self.assertGreater(ticks, 20)

    def test_a_step_goes_on_beside_questions(self):
        with Server("--rate", "0", "--paused", "murmuration_10k") as server, server.connect() as client, \
                server.connect() as stepper, Crowd(server, {"op": "get_params"}, sessions=8, at_once=20):
            stepper.send("step", count=100000)
            time.sleep(SECONDS)
            first = client.request("ping")["tick"]
            time.sleep(SECONDS)
            self.assertGreater(client.request("ping")["tick"] - first, 5)

    def test_order_of_one_connection(self):
        """A query is answered after the earlier requests of its connection, and before the later ones."""
        with Server("hunters_and_prey") as server, server.connect() as client:
            for i in range(20):
                client.send("set_target", id=f"a{i}", kind="prey", x=1, y=1)
                client.send("list", id=f"b{i}", what="targets")
                client.send("set_param", id=f"c{i}", kind="prey", param="mass", value=1 + i)
                client.send("get_params", id=f"d{i}", kind="prey")
            ticks = []
            for i in range(20):
                for letter in "abcd":
                    reply = client.receive()
                    self.assertEqual((reply["op"], reply["id"]), ("reply", f"{letter}{i}"))
                    ticks.append(reply["tick"])
                mass = next(p["value"] for p in reply["params"] if p["param"] == "mass")
                self.assertEqual(mass, 1 + i)
            self.assertEqual(ticks, sorted(ticks))


if __name__ == "__main__":
    unittest.main()
