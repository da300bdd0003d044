"""The server as a program: options, exit codes, what it prints, and scenarios it refuses to start with."""

import copy
import json
import math
import os
import pathlib
import re
import resource
import signal
import socket
import subprocess
import tempfile
import unittest

from drover_client import PATIENCE_S, ROOT, Case, Server, run_server, server_binary, wait_for

SEEK = json.loads((ROOT / "scenarios/seek.json").read_text(encoding="utf-8"))


class Options(Case):
    def test_help(self):
        result = run_server("--help")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for word in ("drover-server", "SCENARIO", "--listen", "--port", "--seed", "--log", "--paused", "--max-clients",
                     "--help", "--version", "7717", "127.0.0.1"):
            self.assertIn(word, result.stdout)
        lines = [line for line in result.stdout.splitlines() if not line.startswith("Now that is ")]  # a path, as long as it is
        self.assertLessEqual(max(map(len, lines)), 110)

    def test_version(self):
        result = run_server("--version")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"^drover-server \d+\.\d+\.\d+\n$")

    def test_bad_options_are_refused_with_one_line(self):
        for arguments, words in [
            (["--prot", "1"], ["--prot"]), (["--port"], ["--port"]), (["--port", "x"], ["port", "x"]),
            (["--port", "65536"], ["port", "65536", "65535"]), (["--port", "-1"], ["port", "-1"]),
            (["--port", "80.5"], ["port"]), (["--log", "loud"], ["log", "loud", "debug"]), (["--seed", "-1"], ["seed"]),
            (["--max-clients", "0"], ["max-clients"]), (["--paused=maybe"], ["paused"]), (["seek", "arrive"], ["arrive"]),
            (["--listen", "no.such.host.invalid"], ["no.such.host.invalid"]),
        ]:
            with self.subTest(arguments=arguments):
                extra = [] if "--port" in arguments else ["--port", "0"]
                result = run_server(*extra, *arguments)
                self.assertIn(result.returncode, (1, 2) if "no.such.host.invalid" in words else (2,), result.stderr)  # 1: nobody answers for names
                self.assertEqual(result.stdout, "")
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                for word in words:
                    self.assertIn(word, result.stderr)

    def test_a_name_of_no_scenario_is_refused_with_the_names_that_there_are(self):
        result = run_server("--port", "0", "nowhere")
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        refusal, names = result.stderr.splitlines()
        self.assertIn('"nowhere"', refusal)
        self.assertRegex(names, r"^there are: .*\bflock\b")

    def test_an_option_may_use_an_equals_sign(self):
        with Server("--paused", "--seed=99", "seek") as server:
            self.assertEqual(server.hello()["scenario"]["seed"], 99)

    def test_the_first_line_and_nothing_else_on_stdout(self):
        with Server("--paused", "seek") as server:
            self.assertEqual(server.first_line, f"drover-server listening on 127.0.0.1:{server.port}")
            with server.connect() as client:
                client.request("step", count=10)
            server.stop()
            self.assertEqual(server.process.stdout.read(), b"")

    def test_a_large_frame_needs_no_further_thread(self):
        """The system may refuse one, and libuv's pool would end the program then."""
        with Server("--paused", "murmuration_10k") as server, server.connect() as client:
            folder = pathlib.Path(f"/proc/{server.pid}/task")
            client.request("ping")
            before = sorted(folder.iterdir())
            client.request("subscribe", layout="objects", fields=["pos", "vel", "state", "stamina"])
            self.assertGreater(len(json.dumps(client.receive_op("snapshot"))), 1 << 19)
            self.assertEqual(sorted(folder.iterdir()), before)

    def start_with_open_files(self, soft, hard, *arguments):
        """What a server prints for these limits, and the limits it then has."""
        with subprocess.Popen([server_binary(), "--port", "0", "--paused", *arguments], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))) as process:
            try:
                self.assertIn("listening", process.stdout.readline())
                limits = resource.prlimit(process.pid, resource.RLIMIT_NOFILE)
                process.send_signal(signal.SIGTERM)
                return process.communicate(timeout=PATIENCE_S)[1], limits
            finally:
                process.kill()

    def test_open_files(self):
        said, limits = self.start_with_open_files(64, 400, "--max-clients", "200")
        self.assertNotIn("open files", said)
        self.assertGreater(limits[0], 200)  # the soft limit was raised
        said, limits = self.start_with_open_files(64, 300)
        self.assertEqual(limits, (300, 300))
        self.assertRegex(said, r"warn  server: open files are limited to 300 \(ulimit -Hn\): at most 1\d\d clients, "
                               r"not the 1024 of --max-clients\n")

    def test_too_few_open_files(self):
        for count in (4, 5, 8, 16, 32):
            limit = lambda count=count: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))
            done = subprocess.run([server_binary(), "--port", "0", "seek"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  cwd=ROOT, timeout=PATIENCE_S, preexec_fn=limit, check=False)
            self.assertEqual((done.returncode, done.stdout), (1, ""), f"{count}: {done.stderr}")
            self.assertRegex(done.stderr, rf"^drover-server: open files are limited to {count} \(ulimit -Hn\); "
                                          r"the server needs at least \d+\n$")

    def test_too_small_a_stack(self):
        done = subprocess.run(["prlimit", f"--stack={512 << 10}", server_binary(), "--port", "0", "seek"], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, cwd=ROOT, timeout=PATIENCE_S, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (1, "", "drover-server: the stack is limited to 512 KB (ulimit -s); the server needs at least 1024\n"))

    def test_what_cannot_be_printed_is_an_error(self):
        for arguments in (["--help"], ["--version"], ["--check", "/nosuch.json"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([server_binary(), *arguments], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE,
                                      text=True, cwd=ROOT, timeout=PATIENCE_S, check=False)
            self.assertEqual((done.returncode, done.stderr), (1, "drover-server: standard output: No space left on device\n"))

    def test_a_port_in_use(self):
        with Server("--paused", "seek") as server:
            result = run_server("--port", str(server.port), "seek")
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
            self.assertIn(str(server.port), result.stderr)
            self.assertIn("in use", result.stderr)

    def test_a_port_is_free_again_at_once(self):
        with Server("--paused", "seek") as server:
            port = server.port
            clients = [server.connect() for _ in range(3)]
        with Server("--paused", "seek", port=port) as server:
            self.assertEqual(server.port, port)
        for client in clients:
            client.socket.close()

    def test_listen_on_another_loopback_address(self):
        with Server("--listen", "127.0.0.3", "--paused", "seek") as server:
            self.assertEqual(server.address, "127.0.0.3")
            with socket.create_connection(("127.0.0.3", server.port), 10) as connection:
                self.assertTrue(connection.makefile("rb").readline().startswith(b'{"op":"hello"'))

    def test_starting_and_stopping_at_once(self):
        for _ in range(10):
            with Server("seek"):
                pass

    def test_without_arguments_there_is_a_world(self):
        with Server() as server:
            self.assertGreater(sum(kind["count"] for kind in server.hello()["scenario"]["kinds"]), 0)

    def test_the_locale_changes_nothing(self):
        for locale in ("de_DE.UTF-8", "C", "ps_AF.UTF-8"):
            with Server("--paused", "seek", environment={"LC_ALL": locale, "LANG": locale}) as server:
                with server.connect() as client:
                    reply = client.request("set_target", name="mouse", x=12.25, y=-3.5)
                    self.assertEqual((reply["x"], reply["y"]), (12.25, -3.5))
                    self.assertIn(b'"x":12.25,"y":-3.50', client.last_line)


class ScenarioFiles(Case):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, content, name="world.json"):
        path = pathlib.Path(self.folder.name, name)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return str(path)

    @staticmethod
    def place(path, key):
        """FILE:LINE:COLUMN of a key, which the file, one line, has once."""
        return f"{path}:1:{pathlib.Path(path).read_text(encoding='utf-8').index(json.dumps(key)) + 1}"

    def test_a_file_can_be_named_by_its_path(self):
        with Server("--paused", self.file(SEEK, "my_world.json")) as server:
            scenario = server.hello()["scenario"]
            self.assertEqual((scenario["name"], scenario["title"]), ("my_world", "Seek"))

    def test_what_was_started_by_its_path_can_be_loaded_again(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name, title in (("mine", "Not this one"), ("other", "Other")):
            pathlib.Path(folder.name, name + ".json").write_text(json.dumps({**SEEK, "name": title}), encoding="utf-8")
        path = self.file(SEEK, "mine.json")
        with Server("--scenarios", folder.name, "--paused", path) as server, server.connect() as client:
            self.assert_logged(server, f'"mine" is {path} while this server runs, not {folder.name}/mine.json')
            rows = [(row["name"], row["title"]) for row in client.request("list")["scenarios"]]
            self.assertEqual(rows, [("mine", "Seek"), ("other", "Other")])
            self.assert_reply(client.request("load", scenario="other"), "load", scenario="other")
            self.file({**SEEK, "name": "Seek more"}, "mine.json")
            self.assert_reply(client.request("load", scenario="mine"), "load", scenario="mine")
            self.assertEqual(server.hello()["scenario"]["title"], "Seek more", "read again from its path")
            self.assertIn('did you mean "mine"?', client.request("load", scenario="mime")["message"])
            self.file("{", "mine.json")
            message = client.request("load", scenario="mine")
            self.assert_error(message, "bad_scenario")
            self.assertNotIn(self.folder.name, message["message"])
        with Server("--paused", self.file(SEEK, "elsewhere.json")) as server, server.connect() as client:
            names = [row["name"] for row in client.request("list")["scenarios"]]
            self.assertEqual(names, sorted({"elsewhere", *(p.stem for p in (ROOT / "scenarios").glob("*.json"))}))

    def test_a_mistake_is_refused_with_file_path_found_and_allowed(self):
        def at(*keys):
            """A copy of seek.json with the value at the path of keys replaced."""
            world = copy.deepcopy(SEEK)
            node = world
            for key in keys[:-2]:
                node = node[key]
            node[keys[-2]] = keys[-1]
            return world

        for world, words in [
            (at("kinds", "seeker", "max_sped", 5), ["kinds.seeker", "max_sped", "max_speed"]),
            (at("kinds", "seeker", "max_speed", -1), ["kinds.seeker.max_speed", "-1", "20000"]),
            (at("kinds", "seeker", "max_speed", "fast"), ["kinds.seeker.max_speed", "number", "string"]),
            (at("kinds", "seeker", "mass", 0), ["kinds.seeker.mass", "0.01"]),
            (at("world", "edge", "round"), ["world.edge", "round", "wrap", "bounce", "contain", "open"]),
            (at("world", "size", [800]), ["world.size"]), (at("world", "size", [800, 0]), ["world.size", "0"]),
            (at("worlds", {}), ["worlds", "world"]), (at("tick_hz", 0), ["tick_hz", "0", "480"]),
            (at("targets", "mouse", [1, "x"]), ["targets.mouse"]), (at("targets", "mo use", [1, 2]), ["mo use"]),
            (at("kinds", "seeker", "behaviors", [{"seek": {"target": "moose"}}]), ["kinds.seeker.behaviors[0]", "moose", "mouse"]),
            (at("kinds", "seeker", "behaviors", [{"sek": {}}]), ["kinds.seeker.behaviors[0]", "sek", "seek"]),
            (at("kinds", "seeker", "behaviors", [{"seek": {}}]), ["kinds.seeker.behaviors[0]", "target"]),
            (at("agents", [{"kind": "wolf", "at": [1, 2]}]), ["agents[0].kind", "wolf", "seeker"]),
            (at("agents", [{"kind": "seeker", "at": [1, 2], "count": 2000000}]), ["agents[0].count", "2000000"]),
            (at("agents", {}), ["agents"]), (at("seed", -1), ["seed", "-1"]), ("[]", ["object"]), ("", []), ("{", []),
            ('{"world": {"size": [1, 2], "size": [3, 4]}}', ["size", "duplicate key"]), (json.dumps(SEEK) + "x", []),
            (json.dumps(SEEK).replace("240", "NaN"), []), (json.dumps(SEEK).replace("240", "1e999"), []),
        ]:
            with self.subTest(words=words, world=str(world)[:40]):
                path = self.file(world)
                result = run_server("--port", "0", path)
                self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                for word in [path, *words]:
                    self.assertIn(word, result.stderr)

    def test_check_tells_every_mistake_of_every_file(self):
        bad = {
            "name": 5, "tick_hz": 0, "worlds": {},
            "world": {"size": [800, -1], "edge": "round", "obstacles": [{"circle": [1, 2, 3]}, {"circle": [1, 2]}, {"cube": [1]}],
                      "walls": [[1, 2, 3]], "paths": {"a b": {}, "way": {"points": [[1, 2]]}}, "flow_fields": {"wind": {}}},
            "targets": {"mouse": [1, "x"], "cursor-1": [1, 2], "den": {"at": [1, 2], "jump_within": -1}},
            "kinds": {
                "fish": {"mass": 0, "max_sped": 1, "behaviors": [
                    {"sek": {}}, {"seek": {"target": "moose", "weight": 1}}, {"flee": {"kind": "shark", "weight": -1}},
                    {"follow_path": {"path": "road"}}, {"seek": {"target": "mouse"}}, {"follow_flow": {"flow_field": "wind"}}]},
                "bird": {"states": [{"name": "a", "when": {"tired": True}, "behaviors": [{"wander": {"weight": "x"}}, {"flee": {}}]},
                                    {"name": "b", "when": {"near": {"kind": "cat"}}}]},
                "no name": {},
            },
            "agents": [{"kind": "fish", "at": [1, 2], "count": 0}, {"kind": "wolf", "at": [1, 2]}, 7, {"kind": "bird"},
                       {"kind": "fish", "at": [1, 2]}],
            "view": {"trails": "yes", "overlays": [5], "tilt": 1}, "about": {"group": "crowd"},
        }
        places = [
            "name", "tick_hz", "worlds", "world.size[1]", "world.edge", "world.obstacles[1].circle", "world.obstacles[2].cube",
            "world.walls[0]", "world.paths.a b", "world.paths.way.points", "world.flow_fields.wind", "targets.mouse[1]", "targets.cursor-1",
            "targets.den.jump_within", "kinds.fish.mass", "kinds.fish.max_sped", "kinds.fish.behaviors[0].sek",
            "kinds.fish.behaviors[2].flee.weight", "kinds.bird.states[0].when.tired", "kinds.bird.states[0].behaviors[0].wander.weight",
            "kinds.bird.states", "kinds.no name", "kinds.fish.behaviors[1].seek.target", "kinds.fish.behaviors[3].follow_path.path",
            "kinds.bird.states[0].behaviors[1].flee.target", "kinds.bird.states[1].when.kind", "agents[0].count", "agents[1].kind",
            "agents[2]", "agents[3]", "view.trails", "view.overlays[0]", "view.tilt", "about.group",
        ]
        path, broken, good = self.file(bad, "bad.json"), self.file("{\n oops", "broken.json"), self.file(SEEK, "good.json")
        result = run_server("--check", path, good, broken, self.folder.name + "/nothing.json", self.folder.name)
        self.assertEqual((result.returncode, result.stderr), (2, ""))
        lines = result.stdout.splitlines()
        found = [line.split(": ")[1] for line in lines if line.startswith(path + ":")]
        self.assertEqual(sorted(found), sorted(places))
        self.assertIn(f'{self.place(path, "mass")}: kinds.fish.mass: 0 is out of range: 0.01 to 1000000 mass', lines)
        rest = [line for line in lines if not line.startswith(path + ":")]
        self.assertEqual(len(rest), 3, rest)
        self.assertRegex(rest[0], re.escape(broken) + r":2:2: ")
        self.assertEqual(rest[1], self.folder.name + "/nothing.json: No such file or directory")
        self.assertEqual(rest[2], self.folder.name + ": a directory, not a regular file")
        # The first of them is the message at start.
        self.assertIn(f"{self.place(path, 'name')}: {places[0]}: ", run_server("--port", "0", path).stderr)
        result = run_server("--check", good, "--log", "debug", *map(str, sorted((ROOT / "scenarios").glob("*.json"))))
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        result = run_server("--check")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("--check: expected FILE", result.stderr)
        result = run_server("seek", "--port", "0", "arrive")
        self.assertEqual(result.returncode, 2)
        self.assertIn('unexpected argument "arrive"', result.stderr)

    def test_agents_without_room_are_told_of(self):
        """At the start and at a load; a world with room says nothing."""
        crowd = {"kind": "agent", "count": 50, "spacing": 0, "in": {"rect": [0, 0, 20, 20]}}
        full, roomy = ({**SEEK, "kinds": {"agent": {}}, "agents": [{**crowd, "in": {"rect": [0, 0, side, side]}}]} for side in (20, 500))
        path = self.file(full, "full.json")
        self.file(roomy, "roomy.json")
        with Server("--paused", "--scenarios", self.folder.name, path) as server, server.connect() as client:
            for name in ("roomy", "full"):
                self.assertEqual(client.request("load", scenario=name)["op"], "reply")
            wait_for(lambda: server.stderr().count("spacing") >= 2, "both lines of the log, which a thread of its own writes")
            said = [line for line in server.stderr().splitlines() if "spacing" in line]
        self.assertEqual(len(said), 2, said)
        for line in said:
            self.assertRegex(line, r"full: 4\d of 50 agents start nearer to others than their spacing: there was no room$")

    def test_check_ends_after_a_hundred_mistakes(self):
        path = self.file({**SEEK, "agents": [{"kind": "wolf", "at": [1, 2]}] * 300})
        lines = run_server("--check", path).stdout.splitlines()
        self.assertEqual(len(lines), 101)
        self.assertEqual(lines[-1], f"{path}: and perhaps more; these were the first 100")

    def test_a_grammar_mistake_names_line_and_column(self):
        result = run_server("--port", "0", self.file('{\n  "world": {\n    "size": [800, 600],\n  }\n}\n'))
        self.assertEqual(result.returncode, 2)
        self.assertIn(".json:4:3: unexpected '}'", result.stderr)

    def test_files_that_cannot_be_read(self):
        for path in (self.folder.name, self.folder.name + "/nothing.json"):
            result = run_server("--port", "0", path)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn(path, result.stderr)

    def test_loading_a_bad_file_keeps_the_old_world(self):
        self.file(SEEK, "good.json")
        bad = copy.deepcopy(SEEK)
        bad["kinds"]["seeker"]["max_sped"] = 1
        path = self.file(bad, "bad.json")
        with Server("--scenarios", self.folder.name, "--paused", "good") as server, server.connect() as client:
            self.assertEqual([row["name"] for row in client.request("list")["scenarios"]], ["good"])
            client.request("step", count=3)
            message = client.request("load", scenario="bad")
            self.assert_error(message, "bad_scenario", field="scenario")
            for word in ("bad.json", "kinds.seeker", "max_sped", "max_speed"):
                self.assertIn(word, message["message"])
            self.assertNotIn(self.folder.name, message["message"], "a client does not learn where the server's files are")
            self.assertIn(path, server.stderr(), "the log says it")
            self.assertEqual(client.request("ping")["tick"], 3)
            # Corrected while the server runs: load reads the present file.
            self.file(SEEK, "bad.json")
            self.assertEqual(client.request("load", scenario="bad")["scenario"], "bad")

    def test_what_is_no_regular_file_is_refused_at_once(self):
        folder = pathlib.Path(self.folder.name)
        self.file(SEEK, "good.json")
        os.mkfifo(folder / "fifo.json")
        (folder / "folder.json").mkdir()
        (folder / "loop.json").symlink_to("loop.json")
        (folder / "zero.json").symlink_to("/dev/zero")
        (folder / "gone.json").symlink_to("nothing")
        (folder / "passwd.json").symlink_to("/etc/passwd")
        with open(folder / "huge.json", "wb") as huge:
            huge.truncate(1 << 32)
        with Server("--scenarios", self.folder.name, "--paused", "good") as server, server.connect() as client:
            for name, words in [("fifo", "a FIFO, not a regular file"), ("folder", "a directory, not a regular file"),
                                ("loop", "Too many levels of symbolic links"), ("zero", "a device, not a regular file"),
                                ("huge", "longer than 4194304 bytes"), ("passwd", "not a scenario; expected an object")]:
                with self.subTest(name=name):
                    client.send("load", id=name, scenario=name)
                    message = client.answer_to(name, 10)
                    self.assert_error(message, "bad_scenario", field="scenario")
                    self.assertRegex(message["message"], rf"^{name}\.json(:1:1)?: ")
                    self.assertIn(words, message["message"])
                    self.assertNotIn("'", message["message"], "nothing of the file is shown")
                    self.assertNotIn(self.folder.name, message["message"])
            message = client.request("load", scenario="gone")
            self.assert_error(message, "no_scenario", field="scenario")
            self.assertNotIn("did you mean", message["message"])
            client.send("list", id="list")
            self.assertEqual([row["name"] for row in client.answer_to("list", 10)["scenarios"]], ["good"])

    def test_used_up_descriptors_are_busy(self):
        self.file(SEEK, "good.json")
        with Server("--scenarios", self.folder.name, "--paused", "good") as server, server.connect() as client:
            in_use = 1 + max(int(number) for number in os.listdir(f"/proc/{server.process.pid}/fd"))
            before = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
            resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (in_use, before[1]))
            for op, fields in [("load", {"scenario": "good"}), ("list", {})]:
                with self.subTest(op=op):
                    message = client.request(op, **fields)
                    self.assert_error(message, "busy")
                    self.assertIn("Too many open files", message["message"])
                    self.assertNotIn(self.folder.name, message["message"])
            resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (in_use + 1, before[1]))
            # The folder can be opened and its files cannot: an error is better than a list without them.
            self.assert_error(client.request("list"), "busy")
            resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, before)
            self.assertEqual([row["name"] for row in client.request("list")["scenarios"]], ["good"])
            self.assert_reply(client.request("load", scenario="good"), "load")

    # --- edges: the stored position of a target or an agent that is put outside

    def world_with_edge(self, edge):
        world = copy.deepcopy(SEEK)
        world["world"]["edge"] = edge
        return self.file(world, edge + ".json")

    def test_points_outside_the_world(self):
        for edge, sent, stored in [
            ("open", (-50, 5000), (-50, 5000)), ("wrap", (-50, 500), (750, 20)), ("wrap", (800, 480), (0, 0)),
            ("wrap", (810.5, -1), (10.5, 479)), ("bounce", (-50, 500), (0, 480)), ("contain", (900, 20), (800, 20)),
        ]:
            with self.subTest(edge=edge, sent=sent), Server("--paused", self.world_with_edge(edge)) as server:
                with server.connect() as client:
                    self.assertEqual(client.hello["scenario"]["edge"], edge)
                    reply = client.request("mouse", x=sent[0], y=sent[1], id=1)
                    if "x" not in reply:
                        reply = client.request("set_target", name="mouse", x=sent[0], y=sent[1])
                    for got, expected in zip((reply["x"], reply["y"]), stored):
                        self.assertAlmostEqual(got, expected, delta=0.011)
                    target = client.request("list", what="targets")["targets"][0]
                    self.assertEqual((target["x"], target["y"]), (reply["x"], reply["y"]))

    def test_agents_at_the_edges(self):
        for edge in ("wrap", "bounce", "contain", "open"):
            with self.subTest(edge=edge), Server("--paused", self.world_with_edge(edge)) as server:
                with server.connect() as client:
                    client.request("spawn", kind="seeker", count=50)
                    client.request("set_target", kind="seeker", x=790, y=470)
                    furthest = 0.0
                    for _ in range(40):
                        client.request("step", count=15)
                        for agent in client.snapshot()["agents"]:
                            self.assertTrue(all(math.isfinite(agent[k]) for k in ("x", "y", "vx", "vy", "heading")))
                            furthest = max(furthest, -agent["x"], agent["x"] - 800, -agent["y"], agent["y"] - 480)
                    if edge in ("wrap", "bounce"):
                        self.assertLessEqual(furthest, 0.0)
                    elif edge == "open":
                        self.assertGreater(furthest, 0.0, "seekers overshoot a target near the border")


class Reproducible(Case):
    def test_two_servers_agree_and_a_seed_matters(self):
        def run(*arguments):
            with Server("--paused", *arguments, "boids_target") as server, server.connect() as client:
                hashes = [client.request("step")["hash"]]
                client.request("spawn", kind="boid", count=10)
                hashes.append(client.request("step", count=299)["hash"])
                client.request("set_param", kind="boid", param="seek.weight", value=0.5)
                client.request("set_target", name="target", x=17, y=600)
                hashes.append(client.request("step", count=300)["hash"])
                client.request("remove", agents=[1, 7])
                return hashes + [client.request("step")["hash"]]

        first = run("--seed", "5")
        self.assertEqual(run("--seed", "5"), first)
        self.assertEqual(len(set(first)), 4)
        self.assertNotEqual(run("--seed", "6")[0], first[0])

    def test_one_step_of_600_or_600_steps_of_one(self):
        with Server("--paused", "boids_target") as a, Server("--paused", "boids_target") as b:
            with a.connect() as one, b.connect() as many:
                many.send_raw("".join('{"op":"step","id":%d}\n' % i for i in range(600)))
                expected = one.request("step", count=600)["hash"]
                self.assertEqual(many.answer_to(599)["hash"], expected)

    def test_a_world_that_ran_is_the_world_that_was_stepped(self):
        with Server("seek") as running, Server("--paused", "seek") as stepped:
            with running.connect() as a, stepped.connect() as b:
                while a.request("ping")["tick"] < 30:
                    pass
                tick = a.request("pause")["tick"]
                b.request("step", count=tick)
                self.assertEqual(a.request("step", count=5)["hash"], b.request("step", count=5)["hash"])


if __name__ == "__main__":
    unittest.main()
