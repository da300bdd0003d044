"""Lock step: seats and go. What holders may do, in which order their requests take effect, how long the world waits, and whether holders
that come, go, stop and die ever change a bit of what the others do."""

import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from drover_client import ROOT, Case, Client, Server, wait_for

FULL = os.environ.get("DROVER_FULL") == "1"
TOOL = os.environ.get("DROVER_TOOL", str(ROOT / "build/asan/bin/drover"))
DRONE = {"radius": 2, "max_speed": 200, "max_force": 100000, "behaviors": [{"external": {"hold": 3}}]}
SMALL = {"name": "Small", "seed": 3, "world": {"size": [4000, 3000], "edge": "wrap"},
         "kinds": {"drone": DRONE, "stray": {"behaviors": [{"wander": {}}]}},
         "agents": [{"kind": "drone", "count": 5, "in": {"rect": [0, 0, 4000, 3000]}}, {"kind": "stray", "count": 20, "in": {"rect": [0, 0, 4000, 3000]}}]}
# A holder in a process of its own, which goes as fast as it can.
HOLDER = """
import json, socket, sys
stream = socket.create_connection(("127.0.0.1", int(sys.argv[1]))).makefile("rw")
def ask(**request):
    stream.write(json.dumps(dict(request, id=1)) + "\\n")
    stream.flush()
    while True:
        line = json.loads(stream.readline())
        if line.get("id") == 1:
            return line
tick = ask(op="seat", name=sys.argv[2], wait_ms=int(sys.argv[3]), on_timeout=sys.argv[4], misses=3)["tick"]
print("seated", flush=True)
while True:
    reply = ask(op="go", tick=tick)
    if reply.get("code") == "no_seat":
        break
    tick = reply["tick"]
"""


class Seats(Case):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="drover-seats-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.small = str(self.folder / "small.json")
        pathlib.Path(self.small).write_text(json.dumps(SMALL), encoding="utf-8")

    def seat(self, client, name, **fields):
        reply = client.request("seat", name=name, **fields)
        self.assert_reply(reply, "seat", name=name)
        return reply

    def go(self, client, tick, **fields):
        reply = client.request("go", tick=tick, **fields)
        self.assert_reply(reply, "go")
        return reply

    def seats(self, client):
        return {row["name"]: row for row in client.request("list", what="seats")["seats"]}

    def wait_for_seats(self, client, count):
        wait_for(lambda: len(self.seats(client)) == count, f"{count} seats")


class Rules(Seats):
    def test_names_numbers_and_refusals(self):
        with Server("--paused", "seek") as server, server.connect() as b, server.connect() as a, server.connect() as other:
            self.assert_error(a.request("go", tick=0), "no_seat")
            self.assert_reply(self.seat(b, "b", of=2), "seat", seat=1, seats=1, of=2, tick=0)
            self.assert_error(b.request("seat", name="c"), "exists")
            self.assert_error(a.request("seat", name="b"), "exists")
            self.assertIn("is taken by session 1", a.request("seat", name="b")["message"])
            self.assert_reply(self.seat(a, "a"), "seat", seat=1, seats=2, of=2)  # in the order of names
            self.assertEqual([(row["seat"], name) for name, row in sorted(self.seats(other).items())], [(1, "a"), (2, "b")])
            self.assertEqual(other.request("stats")["seats"], {"taken": 2, "of": 2, "waits_for": ["a", "b"]})
            self.assert_error(other.request("step"), "seated")
            early = a.request("go", tick=5)
            self.assert_error(early, "early")
            self.assertEqual(early["tick"], 0)
            b.request("resume")
            a.send("go", tick=0, id="go")
            wait_for(lambda: other.request("stats")["seats"]["waits_for"] == ["b"], "one goes")
            self.assertEqual(self.go(b, 0)["tick"], 1)
            self.assertEqual(a.answer_to("go")["tick"], 1)
            late = a.request("go", tick=0)
            self.assert_error(late, "late")
            self.assertEqual(late["tick"], 1)
            self.assert_error(a.request("go", tick=1, fields=["pos"]), "bad_param")
            for wrong in ({"wait_ms": 0}, {"of": 65}, {"on_timeout": "wait"}, {"misses": 0}):
                self.assertEqual(other.request("seat", name="x", **wrong)["field"], list(wrong)[0])

    def test_a_seat_is_free_at_once(self):
        ways = {"leave": lambda client: client.request("leave"), "bye": lambda client: client.send("bye"), "end": lambda client: client.socket.close(),
                "reset": lambda client: client.vanish(), "half": lambda client: client.half_close()}
        with Server("--paused", "seek") as server, server.connect() as a:
            self.seat(a, "a", wait_ms=600000)
            a.request("resume")
            tick = 0
            for way, leave in ways.items():
                for goes in (False, True):
                    if goes and way == "half":
                        continue  # its go is answered first
                    with self.subTest(way=way, goes=goes):
                        client = Client(server.port)
                        client.request("subscribe", layout="events")
                        self.seat(client, "z", wait_ms=600000)
                        if goes:
                            client.send("go", tick=tick, count=1000, id="go")
                        else:
                            client.send("spawn", kind="seeker", id="s")
                        if way == "leave":
                            self.assert_reply(client.request("leave"), "leave", seats=1)
                            if goes:
                                self.assertTrue(client.answer_to("go")["stopped"])
                            else:
                                self.assertEqual(client.answer_to("s")["code"], "withdrawn")
                        else:
                            leave(client)
                        tick = self.go(a, tick)["tick"]  # waits for nobody
                        self.wait_for_seats(a, 1)
                        client.socket.close()
            self.assertEqual(a.request("list", what="kinds")["kinds"][0]["count"], 1)

    def test_pause_load_and_speed(self):
        with Server("--paused", "flock") as server, server.connect() as a, server.connect() as admin:
            self.seat(a, "a", wait_ms=20, on_timeout="leave")
            time.sleep(0.2)  # no wait runs while the world is paused
            self.assertEqual(list(self.seats(admin)), ["a"])
            a.request("leave")
            self.assert_reply(self.seat(a, "a", wait_ms=600000), "seat", tick=0)
            a.send("go", tick=0, count=3, id="go")
            admin.request("speed", max=True)
            admin.request("resume")
            self.assertEqual(a.answer_to("go")["tick"], 3)
            admin.request("pause")
            a.send("spawn", kind="bird", id="s")
            a.send("go", tick=3, id="go")
            wait_for(lambda: not self.seats(admin)["a"]["awaited"], "the go")
            self.assert_reply(admin.request("load", scenario="flock"), "load", tick=0)
            self.assertTrue(a.answer_to("go")["stopped"])
            self.assertEqual(a.answer_to("s")["code"], "withdrawn")
            late = a.request("go", tick=3)
            self.assert_error(late, "late")
            self.assertEqual(late["tick"], 0)
            admin.request("resume")
            self.assertEqual(self.go(a, 0, count=2, **{"return": "packed"})["frame"]["tick"], 2)
            a.request("leave")
            wait_for(lambda: admin.request("stats")["tick"] > 50, "a world without seats runs")

    def test_the_last_seat_that_is_lost(self):
        """Nobody is waited for then, and no event says so."""
        with Server("flock") as server, server.connect() as a, server.connect() as other:
            other.request("subscribe", hz=1, events=["waiting", "seat_timeout"])
            self.seat(a, "a", wait_ms=150, on_timeout="leave")
            wait_for(lambda: not self.seats(other), "the end of the wait")
            for _ in range(5):
                self.seat(a, "a", wait_ms=600000)
                time.sleep(0.15)
                self.assert_reply(a.request("leave"), "leave", seats=0)
            events = [message for message in other.flush() if message["op"] == "event"]
            self.assertEqual([event for event in events if event.get("seat") != "a"], [])
            self.assertEqual(events[1]["event"], "seat_timeout")

    def test_a_holder_resumes_the_world_behind_its_own_go(self):
        with Server("--paused", "flock") as server, server.connect() as a:
            self.seat(a, "a", wait_ms=600000)
            a.send("go", tick=0, count=2, id="go")
            self.assert_reply(a.request("list", what="seats"), "list", tick=0)
            self.assert_reply(a.request("get"), "get", tick=0)
        with Server("--paused", "flock") as server, server.connect() as a:
            self.seat(a, "a", wait_ms=600000)
            a.send("go", tick=0, count=2, id="go")
            self.assert_reply(a.request("resume"), "resume", tick=0)
            self.assertEqual(a.answer_to("go")["tick"], 2)

    def test_waits_are_bounded(self):
        with Server("--paused", "seek") as server, server.connect() as a, server.connect() as b, server.connect() as viewer:
            viewer.request("subscribe", layout="events")
            self.seat(a, "a", wait_ms=600000)
            self.seat(b, "b", wait_ms=300, on_timeout="go", misses=2)
            began = time.monotonic()
            b.request("resume")
            self.assertGreater(self.go(a, 0)["waited_ms"], 0)
            self.assertGreaterEqual(time.monotonic() - began, 0.3)
            told = [viewer.receive() for _ in range(3)][1:]
            self.assertEqual([(event["event"], event["seat"]) for event in told], [("waiting", "b"), ("seat_timeout", "b")])
            self.assertEqual(told[1]["on_timeout"], "go")
            self.assertEqual(self.seats(viewer)["b"]["misses"], 1)
            self.go(a, 1)  # the second in a row
            self.assertEqual(list(self.seats(viewer)), ["a"])
            self.assert_error(b.request("go", tick=2), "no_seat")
            self.seat(b, "b", wait_ms=30)
            a.send("go", tick=2, id="go")
            wait_for(lambda: viewer.request("stats")["paused"], "the pause")
            began = time.monotonic()
            viewer.request("ping")
            self.assertLess(time.monotonic() - began, 5)
            b.send("go", tick=2, id="go")
            wait_for(lambda: not self.seats(viewer)["b"]["awaited"], "the go")
            viewer.request("resume")
            self.assertEqual(b.answer_to("go")["tick"], 3)
            self.assertEqual(a.answer_to("go")["tick"], 3)

    def test_many_requests_before_a_go(self):
        """However many there are, go is read: in a seat requests wait for it. Too many are refused."""
        with Server("--paused", "--rate", "0", "seek") as server, server.connect() as a, server.connect() as other:
            self.seat(a, "a", wait_ms=600000)
            other.request("resume")
            tick = 0
            for count in (128, 400, 1024):
                for number in range(count):
                    a.send("set_target", name="mouse", x=number, y=1, id=f"t{number}")
                a.send("go", tick=tick, id="go")
                for number in range(count):
                    self.assert_reply(a.answer_to(f"t{number}"), "set_target", tick=tick)
                self.assertEqual(a.answer_to("go")["tick"], tick + 1)
                tick += 1
            for number in range(1300):  # as many more are refused as a connection may otherwise have waiting, and then some
                a.send("set_target", name="mouse", x=number, y=1, id=f"t{number}")
            refusal = a.answer_to("t1024")
            self.assert_error(refusal, "full")
            self.assertIn("at most 1024 requests", refusal["message"])
            self.assert_error(a.answer_to("t1299"), "full")
            self.assertEqual(self.seats(other)["a"]["requests"], 1024)
            a.send("leave", id="leave")
            self.assert_reply(a.answer_to("leave"), "leave", seats=0)
            self.assert_error(a.answer_to("t1023"), "withdrawn")
            self.assert_reply(a.request("set_target", name="mouse", x=1, y=1), "set_target")

    def test_many_long_answers_before_a_go(self):
        """Of requests with long answers, which are held back sooner, as many may wait for a go; also those that came right behind `seat`."""
        with Server("--paused", "seek") as server, server.connect() as a, server.connect() as other:
            a.send("seat", name="a", wait_ms=600000, id="seat")
            for number in range(40):
                a.send("batch", requests=[{"op": "spawn", "kind": "seeker"}], id=f"t{number}")
                a.send("remove", agents=[999999], id=f"r{number}")
            wait_for(lambda: self.seats(other).get("a", {}).get("requests") == 80, "80 requests")
            other.request("resume")
            a.send("go", tick=0, id="go")
            for number in range(40):
                self.assert_reply(a.answer_to(f"t{number}"), "batch")
            self.assertEqual(a.answer_to("go")["tick"], 1)

    def test_all_seats_share_the_requests_that_wait(self):
        """Four seats with all that one may have leave 128 for each other one."""
        with contextlib.ExitStack() as stack:
            server = stack.enter_context(Server("--paused", "--rate", "0", "seek"))
            clients = [stack.enter_context(server.connect()) for _ in range(5)]
            for number, client in enumerate(clients):
                self.seat(client, f"s{number}", wait_ms=600000)
                for at in range(1024 if number < 4 else 129):
                    client.send("set_target", name="mouse", x=at, y=1, id=f"t{at}")
                wait_for(lambda: self.seats(clients[0])[f"s{number}"]["requests"] == (1024 if number < 4 else 128), "the requests")
            refusal = clients[4].answer_to("t128")
            self.assert_error(refusal, "full")
            self.assertIn("of all seats", refusal["message"])
            clients[0].request("resume")
            for client in clients:
                client.send("go", tick=0, id="go")
            for client in clients:
                self.assertEqual(client.answer_to("go")["tick"], 1)

    def test_after_a_lost_seat_requests_take_effect_at_once(self):
        with Server("--paused", "seek") as server, server.connect() as a, server.connect() as other:
            other.request("subscribe", layout="events")
            self.seat(a, "a", wait_ms=50, on_timeout="leave")
            for number in range(300):
                a.send("set_target", name="mouse", x=number, y=1, id=f"t{number}")
            wait_for(lambda: self.seats(other)["a"]["requests"] == 300, "the requests")
            other.request("resume")
            wait_for(lambda: not self.seats(other), "the end of the wait")
            self.assert_error(a.answer_to("t0"), "withdrawn")
            self.assert_error(a.answer_to("t299"), "withdrawn")
            self.assert_reply(a.request("set_target", name="mouse", x=1, y=1), "set_target")
            wait_for(lambda: other.request("stats")["tick"] > 1, "ticks")
            self.assert_error(a.request("set_target", name="mouse", x=1, y=1, at=0), "late")
            self.assert_error(a.request("go", tick=0), "no_seat")


class Order(Seats):
    def run_once(self, chance):
        """Three holders that spawn, move and remove; the arrivals are at random. The hashes of ten ticks."""
        names = ["a", "b", "c"]
        with Server("--paused", self.small) as server:
            clients = {name: server.connect() for name in chance.sample(names, 3)}
            for name, client in clients.items():
                self.seat(client, name, of=3, wait_ms=60000)
            clients["a"].request("speed", max=True)
            clients["a"].request("resume")
            hashes = []
            for tick in range(0, 20, 2):
                for name in chance.sample(names, 3):
                    client, rank = clients[name], names.index(name)
                    time.sleep(chance.choice((0, 0, 0.003)))
                    client.send("spawn", kind="stray", x=100 * rank, y=40 * tick)
                    client.send("set_param", kind="stray", param="max_speed", value=50 + 10 * rank, at=tick)
                    client.send("set_param", kind="drone", param="max_speed", value=150 + 10 * rank, at=tick + 1)
                    client.send("drive", kind="drone", vx=rank, vy=tick)
                    client.send("go", tick=tick, count=2, hash=True, id=tick)
                hashes.append({client.answer_to(tick)["hash"] for client in clients.values()})
            for client in clients.values():
                client.socket.close()
        self.assertTrue(all(len(one) == 1 for one in hashes))
        return hashes

    def test_the_network_never_changes_a_bit(self):
        runs = [self.run_once(random.Random(seed)) for seed in range(12 if FULL else 3)]
        self.assertTrue(all(run == runs[0] for run in runs))
        self.assertEqual(len({next(iter(one)) for one in runs[0]}), 10)

    def test_others_come_after_seats(self):
        with Server("--paused", self.small) as server, server.connect() as a, server.connect() as other:
            self.seat(a, "a", wait_ms=60000)
            a.request("resume")
            other.send("spawn", kind="stray", id="o")
            wait_for(lambda: a.request("stats")["commands_waiting"] == 1, "the request of the other")
            a.send("spawn", kind="stray", id="s")
            self.go(a, 0)
            self.assertLess(a.answer_to("s")["last_id"], other.answer_to("o")["last_id"])

    def test_what_is_driven_in_a_tick_is_seen_in_the_next(self):
        count = 10000 if FULL else 150
        with Server("--paused", self.small) as server, server.connect() as a, server.connect() as b:
            self.seat(b, "b", of=2, wait_ms=60000)
            self.seat(a, "a", of=2, wait_ms=60000)
            a.request("speed", max=True)
            a.request("resume")
            for tick in range(count):
                want = {}
                for agent, client in ((1, a), (2, b)):
                    want[agent] = (float((tick * agent) % 90), -float(tick % 70))
                    client.send("drive", agent=agent, vx=want[agent][0], vy=want[agent][1], id=f"d{tick}")
                    client.send("go", tick=tick, id=f"g{tick}", **{"return": "objects", "fields": ["vel"], "kinds": ["drone"]})
                for agent, client in ((1, a), (2, b)):
                    self.assert_reply(client.answer_to(f"d{tick}"), "drive", tick=tick, driven=1)
                    frame = client.answer_to(f"g{tick}")["frame"]
                    self.assertEqual(frame["tick"], tick + 1)
                    seen = {row["id"]: (row["vx"], row["vy"]) for row in frame["agents"] if row["id"] in want}
                    self.assertEqual(seen, want, f"tick {tick + 1}")


class Mayhem(Seats):
    """A holder that drives, whose hashes are compared with those of a run alone, and others that come, go, stop and die beside it."""

    def drive(self, client, ticks):
        chance, hashes, longest = random.Random(7), [], 0.0
        self.seat(client, "main", wait_ms=60000)
        client.request("speed", max=True)
        client.request("resume")
        for tick in range(ticks):
            client.send("drive", agent=1 + tick % 5, vx=chance.randint(-99, 99), vy=chance.randint(-99, 99))
            if tick % 50 == 0:
                client.send("spawn", kind="stray")
            began = time.monotonic()
            hashes.append(self.go(client, tick, hash=True)["hash"])
            longest = max(longest, time.monotonic() - began)
        return hashes, longest

    def disturb(self, server, chance, over):
        """One after the other, until `over` is set."""
        processes = []
        try:
            while not over.is_set():
                what, name = chance.choice(("kill", "stop", "think", "half", "reset", "come and go")), f"x{chance.randrange(4)}"
                wait_ms, then = str(chance.choice((20, 60))), chance.choice(("go", "leave"))
                if what in ("kill", "stop"):
                    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(server.port), name, wait_ms, then], stdout=subprocess.PIPE,
                                               stderr=subprocess.DEVNULL)
                    processes.append(process)
                    process.stdout.readline()
                    process.send_signal(signal.SIGKILL if what == "kill" else signal.SIGSTOP)
                    continue
                with server.connect() as client:
                    tick = client.request("seat", name=name, wait_ms=int(wait_ms), on_timeout=then, misses=3).get("tick", 0)
                    client.send("go", tick=tick, count=chance.choice((1, 1, 100000)))
                    if what == "half":
                        client.half_close()
                    elif what == "reset":
                        client.vanish()
                    elif what == "think":
                        over.wait(0.1)
                    else:
                        client.request("leave")
        finally:
            for process in processes:
                process.kill()
                process.wait()
                process.stdout.close()

    def test_holders_that_die_and_stop_change_no_bit(self):
        ticks = 3000 if FULL else 250
        with Server("--paused", self.small) as server, server.connect() as client:
            alone, _ = self.drive(client, ticks)
        record = self.folder / "records"
        record.mkdir()
        over = threading.Event()
        with Server("--paused", "--record", str(record / "seats.drover"), self.small) as server, server.connect() as client:
            disturbers = [threading.Thread(target=self.disturb, args=(server, random.Random(seed), over)) for seed in range(2)]
            for thread in disturbers:
                thread.start()
            try:
                together, longest = self.drive(client, ticks)
            finally:
                over.set()
                for thread in disturbers:
                    thread.join()
            self.assertEqual(together, alone)
            self.assertLess(longest, 10)  # a wait has 60 ms, of at most four others
            self.wait_for_seats(client, 1)
        run = subprocess.run([TOOL, "verify", str(record / "seats.drover")], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)


if __name__ == "__main__":
    unittest.main()
