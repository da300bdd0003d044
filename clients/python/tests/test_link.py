"""The link to the server: lost and found again, refused, slow, interrupted; the server that a script starts."""

import asyncio
import contextlib
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
import warnings

import support
from support import PACKAGE, PATIENCE_S, SLOW, wait_for

import drover
from drover.address import parse_address
from drover.serving import ServerProcess, find_program
from scripted_server import HELLO, FakeServer, line_of, refuses_again, reply_to


def is_alive(pid):
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


@contextlib.contextmanager
def script(text):
    """A Python process that runs this text; it prints lines of which the first is its server's process id."""
    process = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "PYTHONPATH": str(PACKAGE)})
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(PATIENCE_S)
        process.stdout.close()
        process.stderr.close()


class Code(unittest.TestCase):
    def code_of(self, call, *arguments, **fields):
        with self.assertRaises(drover.DroverError) as caught:
            call(*arguments, **fields)
        return caught.exception.code


class Requests(Code):
    def test_a_request_that_may_have_taken_effect_is_not_repeated(self):
        """The fake server hangs up at random moments: before an answer, in the middle of one, after it."""
        rng = random.Random(7)

        def answer(_, line):
            whole = reply_to(line)
            chance = rng.random()
            if chance < 0.1:
                return None
            if chance < 0.2:
                return whole[:rng.randrange(len(whole))], "close"
            if chance < 0.3:
                return whole, "close"
            return whole

        with FakeServer(answer) as server, drover.connect(server.port) as world:
            done, lost = set(), set()
            for number in range(60 if not SLOW else 600):
                try:
                    world.ask("spawn", mark=number)
                    done.add(number)
                except drover.DroverError as error:
                    self.assertEqual(error.code, "lost")
                    lost.add(number)
            came = [json.loads(line)["mark"] for _, line in server.lines if b"mark" in line]
            self.assertEqual(len(came), len(set(came)), "a request came twice")
            self.assertLessEqual(done, set(came))
            self.assertGreater(len(lost), 3)
            self.assertGreater(server.connections, 5)

    def test_a_loop_ends_when_its_subscription_does(self):
        with FakeServer(refuses_again) as server, drover.connect(server.port) as world:
            watch = world.watch(layout="objects", timeout=PATIENCE_S)
            next(watch)
            server.hang_up_all()
            self.assertEqual(self.code_of(next, watch), "replaced")

    def test_an_answer_that_cannot_be_read_does_not_keep_its_request_waiting(self):
        for line in (b'{"op":"reply","to":"ping","id":1,"name":"\xff"}\n', b'{"op":"reply","id":1,\n', b"[1]\n"):
            with FakeServer(lambda *_, line=line: line) as server, drover.connect(server.port, timeout=None, reconnect=False) as world:
                self.assertEqual(self.code_of(world.ask, "ping"), "protocol")

    def test_asyncio_does_not_repeat_either(self):
        rng = random.Random(11)

        def answer(_, line):
            chance = rng.random()
            return None if chance < 0.05 else (reply_to(line), "close") if chance < 0.1 else reply_to(line)

        async def one(world, number, results):
            try:
                await world.ask("spawn", mark=number)
                results[number] = "done"
            except drover.DroverError as error:
                results[number] = error.code

        async def run(server):
            results = {}
            async with drover.aio.connect(server.port) as world:
                for start in range(0, 80, 8):
                    await asyncio.gather(*(one(world, number, results) for number in range(start, start + 8)))
            return results

        with FakeServer(answer) as server:
            results = asyncio.run(run(server))
            came = [json.loads(line)["mark"] for _, line in server.lines]
            self.assertEqual(len(came), len(set(came)), "a request came twice")
            self.assertEqual(set(results.values()) - {"done", "lost"}, set())
            self.assertLessEqual({number for number, what in results.items() if what == "done"}, set(came))

    def query(self, world, op, **fields):
        """What a script does with a query that was lost: it asks again."""
        while True:
            try:
                return world.ask(op, **fields)
            except drover.DroverError as error:
                self.assertEqual(error.code, "lost")

    def test_killing_the_server_again_and_again(self):
        """A world that is kept on disk: each spawn that was answered is there once, each that was lost at most once."""
        rng = random.Random(3)
        with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as reserved:
            port = reserved.getsockname()[1]
            reserved.close()
            options = ("--state", folder, "--sync", "always", "--port", str(port))
            server = ServerProcess("seek", paused=True, arguments=options)
            server.wait_until_listening()
            done = lost = 0
            try:
                with drover.connect(port, timeout=PATIENCE_S) as world:
                    before = self.query(world, "list", what="kinds")["kinds"][0]["count"]
                    for _ in range(5 if not SLOW else 100):
                        left = rng.randrange(1, 12)
                        while left or server.process.poll() is None:
                            left = max(0, left - 1)
                            if left == 0 and server.process.poll() is None:
                                self.query(world, "ping")
                                world.session.request("spawn", {"kind": "seeker", "mark": "in flight"})
                                world._flush()
                                server.process.kill()
                                server.process.wait()
                                lost += 1
                            try:
                                if left:
                                    world.ask("spawn", kind="seeker")
                                    done += 1
                            except drover.DroverError as error:
                                self.assertEqual(error.code, "lost")
                                lost += 1
                        server.end()
                        server = ServerProcess("seek", arguments=options)
                        server.wait_until_listening()
                    after = self.query(world, "list", what="kinds")["kinds"][0]["count"]
            finally:
                server.end()
            self.assertTrue(before + done <= after <= before + done + lost, f"{before} + {done} done, {lost} lost: {after}")

    def test_what_was_not_sent_goes_to_the_next_connection(self):
        with FakeServer() as server, drover.connect(server.port) as world:
            server.hang_up_all()
            time.sleep(0.15)  # the client looks before it sends after so long a silence
            self.assertEqual(world.ask("spawn")["to"], "spawn")
            self.assertEqual([json.loads(line)["op"] for _, line in server.lines], ["spawn"])

    def test_timeouts(self):
        with FakeServer(lambda _, line: b"" if b"step" in line else reply_to(line)) as server, \
                drover.connect(server.port, timeout=0.1) as world:
            self.assertEqual(self.code_of(world.step), "timeout")
            self.assertEqual(self.code_of(world.ask, "step", timeout=0.05), "timeout")
            self.assertEqual(world.ask("ping")["to"], "ping")

    def test_a_late_answer_is_not_taken_for_another(self):
        held = []

        def answer(_, line):
            if b"slow" in line:
                held.append(reply_to(line, late=True))
                return b""
            return b"".join(held) + reply_to(line)

        with FakeServer(answer) as server, drover.connect(server.port) as world:
            self.assertEqual(self.code_of(world.ask, "ping", timeout=0.1, slow=1), "timeout")
            self.assertNotIn("late", world.ask("ping"))

    def test_requests_that_are_not_waited_for(self):
        held = []

        def answer(_, line):
            if b"spawn" in line:
                held.append(reply_to(line, count=len(held)))
                return b""
            return b"".join(reversed(held)) + reply_to(line, hash="0" * 16)

        with FakeServer(answer) as server, drover.connect(server.port) as world:
            first, second = world.later.spawn("a", at=10), world.later.spawn("a", at=5)
            self.assertFalse(first.done)
            self.assertEqual(self.code_of(first.result, timeout=0.05), "timeout")
            self.assertEqual(world.step(20).hash, "0" * 16)
            self.assertTrue(first.done)
            self.assertEqual((first.result()["count"], second.result()["count"]), (0, 1))
            lost = world.later.spawn("a", at=30)
            self.assertFalse(lost.done)
            server.hang_up_all()
            self.assertEqual(self.code_of(lost.result), "lost")

    def test_refusals_keep_code_field_and_message(self):
        with drover.serve("seek", paused=True) as world:
            with self.assertRaises(drover.DroverError) as caught:
                world.set_param("seeker", "max_sped", 1)
            error = caught.exception
            self.assertEqual((error.code, error.field), ("no_param", "param"))
            self.assertIn("max_speed", error.message)
            self.assertEqual(error.reply["op"], "error")
            self.assertIn("no_param (param): ", str(error))

    def test_unknown_members_warn(self):
        with drover.serve("seek", paused=True) as world:
            with self.assertWarnsRegex(drover.DroverWarning, "did you mean \"count\"") as caught:
                world.spawn("seeker", cuont=2)
            self.assertEqual(os.path.basename(caught.filename), "test_link.py")

    def test_names_that_no_event_has_warn(self):
        with drover.serve("seek", paused=True) as world:
            with self.assertWarnsRegex(drover.DroverWarning, "'cought'; did you mean \"caught\"") as caught:
                world.on("cought", print)
            self.assertEqual(os.path.basename(caught.filename), "test_link.py")
            with self.assertWarnsRegex(drover.DroverWarning, "'cought'; did you mean \"caught\"") as caught:
                self.assertEqual(list(world.events("cought", timeout=0.01)), [])
            self.assertEqual(os.path.basename(caught.filename), "test_link.py")
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                world.on("caught", print)
                world.on("link", print)

    def test_options_that_serve_does_not_have(self):
        for serve in (drover.serve, drover.aio.serve):
            with self.assertRaisesRegex(TypeError, "serve has no option sed; did you mean \"seed\""):
                serve("seek", sed=7)

    def test_answers_of_a_pipeline_come_in_order(self):
        with drover.serve("seek", paused=True) as world:
            answers = world.pipeline([{"op": "spawn", "kind": "seeker"}, {"op": "spawn", "kind": "none"}, {"op": "step", "count": 3}])
            self.assertEqual((answers[0]["first_id"], answers[1].code, answers[2]["tick"]), (2, "no_kind", 3))


class Links(Code):
    def test_it_subscribes_again_and_says_so(self):
        def answer(number, line):
            frame = line_of({"op": "snapshot", "tick": number, "time": 0, "agents": [], "targets": [], "clock": 0})
            return reply_to(line) + (frame if b'"subscribe"' in line else b"")

        with FakeServer(answer) as server, drover.connect(server.port, name="Ann", fixed_hz=True) as world:
            links = []
            world.on("link", links.append)
            ticks = []
            for frame in world.watch(layout="objects", region=(0, 0, 5, 5), timeout=PATIENCE_S):
                ticks.append(frame.tick)
                if frame.tick == 3:
                    break
                server.hang_up_all()
            self.assertEqual(ticks, [1, 2, 3])
            self.assertEqual([link["up"] for link in links], [False, True, False, True])
            self.assertTrue(links[-1]["again"] and links[-1]["subscribed"])
            wait_for(lambda: b"unsubscribe" in server.lines[-1][1], "the end of the subscription")
            asked = [json.loads(line) for _, line in server.lines]
            self.assertEqual([request["op"] for request in asked], ["hello", "subscribe"] * 3 + ["unsubscribe"])
            self.assertEqual({tuple(request["region"]) for request in asked if request["op"] == "subscribe"}, {(0, 0, 5, 5)})

    def test_the_waiting_time_grows(self):
        with FakeServer() as server:
            world = drover.connect(server.port)
        with world:
            world.session.lost("gone")
            waits = []
            for _ in range(7):
                waits.append(world.session.retry_delay())
                world.session.failed_to_connect()
            self.assertEqual(waits, [0.25, 0.5, 1, 2, 4, 5, 5])
            self.assertEqual(self.code_of(world.ask, "ping", timeout=0.3), "unreachable")

    def test_without_reconnect(self):
        with FakeServer() as server, drover.connect(server.port, reconnect=False) as world:
            server.hang_up_all()
            time.sleep(0.15)
            self.assertEqual(self.code_of(world.ask, "ping"), "lost")
            self.assertEqual(server.connections, 1)

    def test_another_version_is_refused_in_one_sentence(self):
        with FakeServer(greet=lambda _: line_of({**HELLO, "protocol": 2})) as server:
            with self.assertRaisesRegex(drover.DroverError, "^version: the server speaks version 2 of the protocol, this client version 1; install"):
                drover.connect(server.port)

            async def run():
                async with drover.aio.connect(server.port):
                    pass

            with self.assertRaisesRegex(drover.DroverError, "^version: "):
                asyncio.run(run())

    def test_no_server(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        self.assertEqual(self.code_of(drover.connect, port), "unreachable")

        async def run():
            async with drover.aio.connect(port):
                pass

        self.assertEqual(self.code_of(asyncio.run, run()), "unreachable")

    def test_a_server_that_is_full(self):
        full = line_of({"op": "bye", "reason": "full", "message": "too many sessions", "retry_s": 2})
        with FakeServer(greet=lambda _: (full, "close")) as server:
            with self.assertRaisesRegex(drover.DroverError, "full"):
                drover.connect(server.port)

    def test_a_token_that_is_refused(self):
        with tempfile.NamedTemporaryFile("w") as tokens:
            tokens.write("operator right-token Ann\n")
            tokens.flush()
            with contextlib.closing(_Ending(ServerProcess("seek", arguments=("--token-file", tokens.name)))) as ending:
                port = ending.server.port
                with drover.connect(port, token="right-token") as world:
                    self.assertEqual((world.greeting["role"], world.scenario["name"]), ("operator", "seek"))
                    self.assertEqual(self.code_of(world.pause), "denied")
                self.assertEqual(self.code_of(drover.connect, port, token="wrong-token"), "denied")

    def test_addresses(self):
        self.assertEqual(parse_address("127.0.0.1:7718"), ("127.0.0.1", 7718))
        self.assertEqual(parse_address("example.org"), ("example.org", 7717))
        self.assertEqual(parse_address(":99"), ("127.0.0.1", 99))
        self.assertEqual(parse_address("[::1]:5"), ("::1", 5))
        self.assertEqual(parse_address("::1"), ("::1", 7717))
        self.assertEqual(parse_address(("h", "5")), ("h", 5))
        with unittest.mock.patch.dict(os.environ, {"DROVER_SERVER": ":98"}):
            self.assertEqual(parse_address(None), ("127.0.0.1", 98))
            self.assertEqual(drover.Drover().address, ("127.0.0.1", 98))
            self.assertEqual(drover.aio.Drover().address, ("127.0.0.1", 98))
            self.assertEqual(drover.Drover(99).address, ("127.0.0.1", 99))
        with unittest.mock.patch.dict(os.environ):
            os.environ.pop("DROVER_SERVER", None)
            self.assertEqual(parse_address(None), ("127.0.0.1", 7717))
        for wrong in ("h:x", "h:0", "h:65536"):
            self.assertRaises(ValueError, parse_address, wrong)


class _Ending:
    """A server that close() ends."""

    def __init__(self, server):
        self.server = server
        server.wait_until_listening()

    def close(self):
        self.server.end()


SERVE = "import drover, sys, time\nworld = drover.serve('seek', paused=True)\nprint(world.server.pid, flush=True)\n"


class Scripts(Code):
    def test_the_server_ends_with_the_block(self):
        with drover.serve("seek") as world:
            pid = world.server.pid
            self.assertTrue(is_alive(pid))
        self.assertFalse(is_alive(pid))

    def test_the_server_ends_with_the_script(self):
        for end in ("sys.exit(3)", "raise RuntimeError", "import os; os._exit(0)", "time.sleep(60)"):
            with self.subTest(end), script(SERVE + end) as process:
                pid = int(process.stdout.readline())
                if "sleep" in end:
                    process.kill()
                process.wait(PATIENCE_S)
                wait_for(lambda: not is_alive(pid), "the end of the server")

    def test_control_c(self):
        """The script gets it, wherever it waits; the server does not, and ends after the script has said goodbye."""
        for waits in ("for frame in world.watch():\n    print('frame', flush=True)", "world.resume()\nfor event in world.events('caught'):\n    pass",
                      "while True:\n    world.ping()", "world.step(100000, timeout=None)\nworld.step(100000, timeout=None)\nworld.frame()"):
            text = SERVE + "try:\n    print('waits', flush=True)\n" + "".join(f"    {line}\n" for line in waits.splitlines()) + "except KeyboardInterrupt:\n    print('stopped', world.pause()['to'])\nworld.close()"
            with self.subTest(waits), script(text) as process:
                pid = int(process.stdout.readline())
                self.assertEqual(process.stdout.readline(), "waits\n")
                time.sleep(0.3)
                process.send_signal(signal.SIGINT)
                output, errors = process.communicate(timeout=PATIENCE_S)
                self.assertEqual((process.returncode, output.splitlines()[-1:]), (0, ["stopped pause"]), errors)
                self.assertFalse(is_alive(pid))

    def test_a_server_that_does_not_start_says_why(self):
        with self.assertRaisesRegex(drover.DroverError, "^serve: the server ended with .*nowhere"):
            drover.serve("nowhere")
        with self.assertRaisesRegex(drover.DroverError, "^serve: /nonexistent/drover-server cannot be started"):
            drover.serve(server="/nonexistent/drover-server")

    def test_a_server_that_dies_is_named(self):
        with drover.serve("seek") as world:
            world.server.process.kill()
            world.server.process.wait()
            self.assertEqual(self.code_of(world.ask, "ping"), "lost")
            with self.assertRaisesRegex(drover.DroverError, "ended by signal 9"):
                world.ask("ping")

    def test_no_thread_and_nothing_left_open(self):
        before = set(os.listdir("/proc/self/fd"))
        with drover.serve("seek") as world:
            world.pause()
            self.assertEqual(len(os.listdir("/proc/self/task")), 1)
        self.assertEqual(set(os.listdir("/proc/self/fd")), before)

    def test_programs_are_found(self):
        self.assertEqual(find_program("x", "X", "/given"), "/given")
        self.assertEqual(find_program("true", "DROVER_NOT_SET", beside="/bin/sh"), "/bin/true")
        with self.assertRaises(drover.DroverError) as caught:
            find_program("drover-nothing", "DROVER_NOTHING")
        self.assertEqual(caught.exception.code, "run")
        with unittest.mock.patch.dict(os.environ, {"DROVER_NOTHING": "/nowhere/true"}), self.assertRaisesRegex(drover.DroverError, "/nowhere/true"):
            find_program("true", "DROVER_NOTHING")


if __name__ == "__main__":
    unittest.main()
