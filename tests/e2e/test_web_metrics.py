"""/metrics, /healthz and /readyz: their formats, what they say, who may read them, and that no client adds to them."""

import contextlib
import json
import os
import pathlib
import random
import re
import socket
import tempfile
import time
import unittest

import metrics_parser
from drover_client import ROOT, Case, wait_for
from web_client import WebClient, WebServer, ask, connect_to, parse_answer, read_until_closed

OPENMETRICS = {"Accept": "application/openmetrics-text; version=1.0.0"}
SERIES = 70
FREE_GUESSES = 10  # LIMIT_TOKEN_FREE
SLOW = os.environ.get("DROVER_SLOW") == "1"


def metrics_of(server, **headers):
    status, head, body = ask(server.web, "/metrics", headers={**OPENMETRICS, **headers})
    if status != 200:
        raise AssertionError((status, body))
    if head["content-type"] != "application/openmetrics-text; version=1.0.0; charset=utf-8":
        raise AssertionError(head)
    return metrics_parser.parse(body.decode(), openmetrics=True)


class Metrics(Case):
    def test_both_formats(self):
        with WebServer("flock") as server:
            status, head, body = ask(server.web, "/metrics")
            self.assertEqual((status, head["content-type"]), (200, "text/plain; version=0.0.4; charset=utf-8"))
            self.assertEqual(head["cache-control"], "no-store")
            older = metrics_parser.parse(body.decode(), openmetrics=False)
            newer = metrics_of(server)
            self.assertLessEqual(metrics_parser.count_series(newer), SERIES)
            self.assertEqual(metrics_parser.count_series(newer), metrics_parser.count_series(older))
            for name, family in newer.items():
                ending = {"counter": "_total", "info": "_info"}.get(family.type, "")
                self.assertIn(name + ending, older)
            for name in ("drover_ticks", "drover_agents", "drover_tick_phase_seconds", "process_open_fds"):
                self.assertIn(name, newer)
            status, _, body = ask(server.web, "/metrics", method="HEAD")
            self.assertEqual((status, body), (200, b""))

    def test_they_say_what_stats_says(self):
        with WebServer("--paused", "flock") as server, WebClient(server.web) as client:
            client.request("step", count=20)
            client.request("set_param", kind="bird", param="max_speed", value="wrong")
            stats = client.request("stats")
            now = metrics_of(server)
            self.assertEqual(now["drover_agents"].values("", "kind"), {"bird": stats["agents"]})
            self.assertEqual(now["drover_tick_hz"].value(), stats["tick_hz"])
            self.assertEqual(now["drover_paused"].value(), 1)
            self.assertEqual(now["drover_sessions"].values("", "role"), {"none": 0, "viewer": 0, "operator": 0, "admin": 1})
            self.assertEqual(now["drover_requests"].value("_total"), 3)
            self.assertEqual(now["drover_requests_refused"].value("_total"), 1)
            phases = now["drover_tick_phase_seconds"]
            self.assertEqual(phases.value("_count", phase="step"), 20)
            self.assertEqual(phases.value("_bucket", phase="step", le="+Inf"), 20)
            self.assertGreater(now["process_resident_memory_bytes"].value(), 1 << 20)
            self.assertLess(abs(now["process_start_time_seconds"].value() - time.time()), 60)
            self.assertGreater(now["process_cpu_seconds"].value("_total"), 0)
            self.assertGreaterEqual(now["process_open_fds"].value(), 5)
            build = dict(next(iter(now["drover_build"].samples))[1])
            self.assertEqual(set(build), {"version", "simd", "compiler"})

    def test_the_page_about_them_names_each(self):
        tables = re.findall(r"^\| name \| \|\n\|[-|]+\|\n((?:\|.*\n)+)", (ROOT / "docs/deploy.md").read_text(), re.M)
        rows = [row.split("|")[1] for table in tables for row in table.splitlines() if "{rank}" not in row]
        named = set(re.findall(r"`([a-z_]+?)(?:_total|_info)?(?:\{[^}]*\})?`", " ".join(rows)))
        with tempfile.TemporaryDirectory() as folder, WebServer("--state", f"{folder}/state", "--seconds",
                                                                            f"{folder}/seconds", "flock") as server:
            wait_for(lambda: "drover_seconds_ok" in metrics_of(server), "the thread of the seconds")
            self.assertEqual(set(metrics_of(server)), named)

    def test_a_journal_that_stops_shows(self):
        """Its folder goes: /metrics says so, and /readyz of a server that was told to."""
        with tempfile.TemporaryDirectory() as folder:
            state = f"{folder}/state"
            options = ["--state", state, "--checkpoint-every", "1", "--ready-journal", "flock"]
            with WebServer(*options, code=4) as server, WebClient(server.web) as client:
                wait_for(lambda: metrics_of(server)["drover_checkpoint_tick"].value() > 0, "a checkpoint")
                now = metrics_of(server)
                self.assertEqual(now["drover_journal_ok"].value(), 1)
                self.assertGreater(now["drover_disk_free_bytes"].value(), 0)
                self.assertLess(now["drover_checkpoint_age_seconds"].value(), 30)
                client.request("pause")
                wait_for(lambda: metrics_of(server)["drover_journal_waiting_bytes"].value() == 0, "all is on disk")
                self.assertEqual(metrics_of(server)["drover_journal_unsynced_seconds"].value(), 0)
                self.assertEqual(ask(server.web, "/readyz")[0], 200)
                os.rename(state, f"{state}-moved")
                client.request("resume")
                wait_for(lambda: metrics_of(server)["drover_journal_ok"].value() == 0, "the end of the journal")
                last = metrics_of(server)["drover_journal_unsynced_seconds"].value()
                wait_for(lambda: metrics_of(server)["drover_journal_unsynced_seconds"].value() > last, "the age grows")
                status, _, body = ask(server.web, "/readyz")
                self.assertEqual(status, 503)
                self.assertIn(b"the journal has ended: ", body)
                self.assertEqual(ask(server.web, "/healthz")[0], 200)

    def test_counters_grow(self):
        with WebServer("flock") as server, WebClient(server.web) as client:
            client.request("subscribe", hz=20)
            first = metrics_of(server)
            client.receive_op("snapshot")

            def has_grown():
                now = metrics_of(server)
                return all(now[name].value("_total") > first[name].value("_total")
                           for name in ("drover_ticks", "drover_frames_sent", "drover_bytes_sent"))

            wait_for(has_grown, "the counters grow")

    def test_no_counter_falls(self):
        """Whatever ends: a session that watched, a recording, a world, a pause."""
        counted = "ticks", "overruns", "dropped_ticks", "commands", "bytes_received", "bytes_sent", "frames_sent", "frames_skipped"

        def counters(client):
            found = {(name, *sample): value for name, family in metrics_of(server).items()
                     if family.type in ("counter", "histogram") for sample, value in family.samples.items()}
            stats = client.request("stats")
            found.update({name: stats[name] for name in counted})
            found["ever"], found["refused"] = stats["sessions"]["ever"], stats["sessions"]["refused"]
            return found

        with tempfile.TemporaryDirectory() as folder, \
                WebServer("--recordings", folder, "flock") as server, server.connect_tcp() as client:
            before = counters(client)

            def expect_more(what):
                nonlocal before
                now = counters(client)
                self.assertEqual({name: (value, now.get(name)) for name, value in before.items() if now.get(name, -1) < value}, {},
                                 what)
                before = now

            for leave in ("bye", "reset"):
                with server.connect_tcp() as other:
                    other.request("subscribe", hz=60)
                    for _ in range(5):
                        other.receive_op("snapshot")
                    expect_more("watched")
                    self.assertGreater(before["frames_sent"], 0)
                    if leave == "bye":
                        other.request("bye")
                    else:
                        other.vanish()
                wait_for(lambda: client.request("stats")["sessions"]["now"] == 1, "the other one has gone")
                expect_more(leave)
            for on in (True, False):
                self.assertEqual(client.request("record", on=on)["op"], "reply")
            expect_more("recorded")
            for scenario in ("seek", "flock"):
                self.assertEqual(client.request("load", scenario=scenario)["op"], "reply")
                expect_more("loaded")
            client.request("pause")
            client.request("step", count=3)
            expect_more("stepped")

    def test_no_client_names_a_series(self):
        odd = random.Random(3)
        with WebServer("--max-clients", "40", "flock") as server:
            before = set(metrics_of(server))
            for i in range(1000 if SLOW else 150):
                with contextlib.suppress(OSError, TimeoutError), server.connect_tcp() as client:
                    client.send("hello", name=odd.choice(["a\"b", "{x=\"1\"}", f"name {i}", "\\n# EOF"]))
                    client.send_raw(odd.choice([b"\0\xff\n", b"GET /\r\n\r\n", b'{"op":"nonsense%d"}\n' % i,
                                                b'{"op":"load","scenario":"../%d"}\n' % i, b"x" * 70000]))
                    if i % 3:
                        client.vanish()
                ask(server.web, f"/metrics/{i}?{i}", headers={"X-Odd": str(i)})
            with socket.create_connection(("127.0.0.1", server.port)) as wrong_door:
                wrong_door.sendall(b"GET / HTTP/1.1\r\n\r\n")
                read_until_closed(wrong_door)
            now = metrics_of(server)
            self.assertEqual(set(now), before)
            self.assertLessEqual(metrics_parser.count_series(now), SERIES)
            self.assertEqual(now["drover_sessions_refused"].value("_total", reason="protocol"), 1)

    def test_many_kinds(self):
        """Of a scenario with more kinds than there is room for, the last ones are added up."""
        kinds = [f"kind{i}" for i in range(12)]
        scenario = {"name": "Many", "world": {"size": [400, 300]}, "kinds": {kind: {"behaviors": [{"wander": {}}]} for kind in kinds},
                    "agents": [{"kind": kind, "count": 3, "in": {"rect": [0, 0, 400, 300]}} for kind in kinds]}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "many.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(scenario, file)
            with WebServer(path) as server:
                metrics = metrics_of(server)
                self.assertLessEqual(metrics_parser.count_series(metrics), SERIES)
                self.assertEqual(metrics["drover_agents"].value(kind="kind0"), 3)
                self.assertEqual(metrics["drover_agents"].value(kind="(others)"), 8 * 3)

    def test_a_lost_past(self):
        """A damaged line of the journal: what hello and `stats` say is in the metrics, too."""
        def lost(server):
            metrics = metrics_of(server)
            return [metrics["drover_left_out" + end].value() for end in ("", "_ticks", "_requests")]

        with tempfile.TemporaryDirectory() as folder:
            state = pathlib.Path(folder, "state")
            with WebServer("--state", str(state), "--sync", "always", "--paused", "flock").doomed() as server, server.connect() as client:
                self.assertEqual(lost(server), [0, 0, 0])
                for agent in (1, 2, 3):
                    self.assert_reply(client.request("place", agent=agent, x=10, y=20), "place")
                server.kill()
            journal = state / "journal-000001.drover"
            text = journal.read_bytes()
            self.assertEqual(text.count(b'"agent":2,"x":10'), 1)
            journal.write_bytes(text.replace(b'"agent":2,"x":10', b'"agent":2,"x":18'))
            with WebServer("--state", str(state)) as server, server.connect() as client:
                wait_for(lambda: "left_out" in client.request("stats"), "left_out")
                self.assertEqual(lost(server), [1, 0, 2])

    def test_off(self):
        with WebServer("--web-metrics", "off", "flock") as server:
            self.assertEqual(ask(server.web, "/metrics")[0], 404)
            self.assertEqual(ask(server.web, "/healthz")[0], 200)


class Tokens(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.tokens = f"{folder.name}/tokens"
        with open(self.tokens, "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write("viewer scrape-me-1\nadmin rule-them-all\n")

    def test_a_token_is_needed(self):
        with WebServer("--token-file", self.tokens, "flock") as server:
            status, head, _ = ask(server.web, "/metrics")
            self.assertEqual((status, head["www-authenticate"]), (401, 'Bearer realm="drover"'))
            self.assertEqual(ask(server.web, "/metrics", headers={"Authorization": "Basic scrape-me-1"})[0], 401)
            self.assertEqual(ask(server.web, "/metrics?token=scrape-me-1")[0], 401)
            self.assertEqual(ask(server.web, "/metrics", headers={"Authorization": "Bearer scrape-me-2"})[0], 401)
            for token in ("scrape-me-1", "rule-them-all"):
                self.assertIn("drover_ticks", metrics_of(server, Authorization=f"Bearer {token}"))
            for path in ("/healthz", "/readyz"):
                self.assertEqual(ask(server.web, path)[0], 200)
            self.assertNotIn("scrape-me", server.stderr())

    def test_wrong_tokens_cost_time_and_right_ones_none(self):
        with WebServer("--token-file", self.tokens, "flock") as server:
            wrong = {"Authorization": "Bearer not-this-one"}
            began = time.monotonic()
            free = 0
            while ask(server.web, "/metrics", headers=wrong)[0] == 401 and time.monotonic() - began < 3 and free < 20:
                free += 1
            self.assertGreaterEqual(time.monotonic() - began, 1.0, "the answers are slowed down")
            began = time.monotonic()
            metrics_of(server, Authorization="Bearer scrape-me-1")
            self.assertLess(time.monotonic() - began, 10)

    def test_wrong_tokens_leave_room_for_others(self):
        with WebServer("--token-file", self.tokens, "flock") as server, contextlib.ExitStack() as stack:
            guesses = []
            for _ in range(8):  # more than there is room for at once
                for _ in range(20):
                    guesses.append(stack.enter_context(connect_to(server.web)))
                    guesses[-1].sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer not-this-one\r\n\r\n")
                self.assertEqual(ask(server.web, "/healthz")[0], 200)
            answers = [parse_answer(read_until_closed(guess))[0] for guess in guesses]
            self.assertEqual(set(answers), {401, 429})
            self.assertGreater(answers.count(429), 80)

    def test_so_many_wrong_tokens_wait(self):
        def guess(connection, token="not-this-one"):
            connection.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n" % token.encode())
            return connection

        with WebServer("--token-file", self.tokens, "flock") as server, contextlib.ExitStack() as stack:
            for _ in range(FREE_GUESSES + 2):  # one after the other: never too many
                self.assertEqual(ask(server.web, "/metrics", headers={"Authorization": "Bearer not-this-one"})[0], 401)
            waiting = []

            def is_refused():  # on a busy machine some are answered before the last ones come
                waiting.extend(guess(stack.enter_context(connect_to(server.web))) for _ in range(12))
                return ask(server.web, "/metrics", headers={"Authorization": "Bearer scrape-me-1"})[0] == 429

            wait_for(is_refused, "a refusal")
            self.assertEqual(ask(server.web, "/metrics")[0], 401)  # without a token
            self.assertEqual({parse_answer(read_until_closed(one))[0] for one in waiting}, {401, 429})
            self.assertEqual(ask(server.web, "/metrics", headers={"Authorization": "Bearer scrape-me-1"})[0], 200)

    def test_a_server_stops_while_an_answer_is_held_back(self):
        with WebServer("--token-file", self.tokens, "flock") as server:
            for _ in range(3):
                ask(server.web, "/metrics", headers={"Authorization": "Bearer not-this-one"})
            held = [connect_to(server.web) for _ in range(8)]
            for connection in held:
                connection.sendall(b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer not-this-one\r\n\r\n"
                                   % server.web)
            self.assertEqual(ask(server.web, "/healthz")[0], 200)
            self.assertEqual(server.stop(), 0)
            for connection in held:
                connection.close()


class Health(Case):
    def test_a_world_that_moves_or_is_paused_is_well(self):
        for arguments in ([], ["--paused"]):
            with WebServer(*arguments, "flock") as server, WebClient(server.web) as client:
                if not arguments:
                    wait_for(lambda client=client: client.request("ping")["tick"] > 20, "ticks")
                for path in ("/healthz", "/readyz"):
                    status, head, body = ask(server.web, path)
                    self.assertEqual((status, body), (200, b"ok\n"), path)
                    self.assertEqual(head["cache-control"], "no-store")

    def test_a_long_pause_ends_well(self):
        with WebServer("--paused", "flock") as server, WebClient(server.web) as client:
            time.sleep(2.5)  # longer than a tick of a world that runs may be due
            client.request("resume")
            for _ in range(20):
                self.assertEqual(ask(server.web, "/healthz")[::2], (200, b"ok\n"))

    def test_a_long_step_is_well(self):
        with WebServer("--paused", "flock") as server, WebClient(server.web) as client:
            client.send("step", count=100000, id="long")
            deadline = time.monotonic() + 3
            while time.monotonic() < deadline:
                self.assertEqual(ask(server.web, "/healthz")[::2], (200, b"ok\n"))
                time.sleep(0.2)

    def test_a_tick_that_does_not_end_is_unwell(self):
        with WebServer("--paused", "flock") as server, WebClient(server.web) as client:
            for _ in range(4):
                self.assert_reply(client.request("spawn", kind="bird", count=100000, x=100, y=100), "spawn")
            self.assert_reply(client.request("resume"), "resume")

            def is_unwell():
                status, _, body = ask(server.web, "/healthz")
                return status == 503 and re.fullmatch(rb"a tick has taken \d+\.\d s so far\n", body)

            wait_for(is_unwell, "the server is unwell")
            self.assertEqual(ask(server.web, "/readyz")[0], 503)
            self.assertEqual(ask(server.web, "/metrics")[0], 200)
            self.assert_reply(client.request("load", scenario="seek"), "load")
            wait_for(lambda: ask(server.web, "/healthz")[0] == 200, "another world is well")

    def test_a_slow_world_has_its_own_pace(self):
        with WebServer("flock") as server, WebClient(server.web) as client:
            self.assert_reply(client.request("speed", factor=0.01), "speed")
            wait_for(lambda: client.request("ping")["tick"] >= 2, "ticks, less than one a second")
            self.assertEqual(ask(server.web, "/healthz")[::2], (200, b"ok\n"))


if __name__ == "__main__":
    unittest.main()
