"""drover-mqtt with a real broker: what it publishes, who may send requests, and what a broker or server that dies costs.

DROVER_MQTT, DROVER_TOOL: the programs.
"""

import contextlib
import json
import os
import pathlib
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from drover_client import PATIENCE_S, ROOT, Case, Server, end_process, python_with, tool, wait_for

MQTT, TOOL = os.environ["DROVER_MQTT"], os.environ["DROVER_TOOL"]
BROKER = next((path for path in ("/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto") if os.access(path, os.X_OK)), None) or tool("mosquitto")
DEPLOY = ROOT / "docs/deploy"
USERS = {"drover": "publish-me", "ann": "a-mouse-for-ann", "bob": "look-only-bob", "bridge": "a-word-for-the-bridge"}
PYTHON = python_with("paho.mqtt.client")


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Broker:
    """A mosquitto of its own on a free port; it can be killed and started again there. With a file of docs/deploy its configuration is that file,
    with other ports and paths; the port for TLS is `tls_port`, its certificate that of `folder`/ca.crt."""

    def __init__(self, file=None, upstream=None):
        self.folder = tempfile.TemporaryDirectory()
        self.port, self.tls_port, self.process = free_port(), free_port(), None
        path = pathlib.Path(self.folder.name)
        text = f"listener {self.port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 10\n"
        if file:
            for user, password in USERS.items():
                subprocess.run([tool("mosquitto_passwd"), "-b", *([] if (path / "drover.users").exists() else ["-c"]), path / "drover.users", user, password], check=True)
            (path / "drover.access").write_text((DEPLOY / "mosquitto.access").read_text())
            if upstream is None:
                subprocess.run([tool("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                                "subjectAltName=DNS:localhost", "-keyout", path / "broker.key", "-out", path / "broker.crt"], check=True, capture_output=True)
                (path / "ca.crt").write_bytes((path / "broker.crt").read_bytes())
            for one in path.iterdir():
                os.chmod(one, 0o644)
            os.chmod(path, 0o755)
            text = (DEPLOY / file).read_text().replace("/etc/mosquitto/certs/", f"{upstream.folder.name if upstream else path}/").replace("/etc/mosquitto", str(path))
            text = text.replace("listener 1883", f"listener {self.port}").replace("listener 8883", f"listener {self.tls_port} 127.0.0.1")
            text = text.replace("sim.example.org:8883", f"localhost:{upstream.tls_port}" if upstream else "")
        (path / "mosquitto.conf").write_text(text)
        self.start()

    def start(self):
        log = pathlib.Path(self.folder.name) / "log"
        with open(log, "ab") as out:
            self.process = subprocess.Popen([BROKER, "-c", f"{self.folder.name}/mosquitto.conf"], stdout=out, stderr=out)
        wait_for(lambda: self.answers() or self.process.poll() is not None, "the broker answers")
        assert self.process.poll() is None, log.read_text()

    def answers(self):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return True
        return False

    def kill(self):
        self.process.kill()
        self.process.wait()

    def words(self, user=None):
        return ["-h", "127.0.0.1", "-p", str(self.port), *(["-u", user, "-P", USERS[user]] if user else [])]

    def publish(self, topic, text, user=None):
        subprocess.run([tool("mosquitto_pub"), *self.words(user), "-t", topic, *(["-s"] if text else ["-n"])], input=text, text=True, check=True,
                       timeout=PATIENCE_S)

    def address(self, user=None):
        return f"mqtt://{f'{user}:{USERS[user]}@' if user else ''}127.0.0.1:{self.port}/w"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
        self.folder.cleanup()


class Listener:
    """mosquitto_sub: (topic, is retained, text) of each message."""

    def __init__(self, broker, *topics, user=None):
        words = [word for topic in topics for word in ("-t", topic)]
        self.process = subprocess.Popen([tool("mosquitto_sub"), *broker.words(user), *words, "-F", "%t %r %p"], stdout=subprocess.PIPE)
        self.bytes = b""

    def next(self, timeout=PATIENCE_S):
        deadline = time.monotonic() + timeout
        while b"\n" not in self.bytes:
            if not select.select([self.process.stdout], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise TimeoutError("no message came")
            data = os.read(self.process.stdout.fileno(), 1 << 20)
            assert data, "mosquitto_sub has ended"
            self.bytes += data
        line, self.bytes = self.bytes.split(b"\n", 1)
        topic, retained, text = line.decode().split(" ", 2)
        return topic, retained == "1", text

    def find(self, wanted, timeout=PATIENCE_S):
        """The text of the next message of a topic."""
        deadline = time.monotonic() + timeout
        while True:
            topic, _, text = self.next(deadline - time.monotonic())
            if topic == wanted:
                return text

    def __enter__(self):
        return self

    def __exit__(self, *_):
        end_process(self.process)
        self.process.stdout.close()


@contextlib.contextmanager
def publisher(server, broker, *options, user=None, token=None):
    secrets = {**({"DROVER_MQTT_PASSWORD": USERS[user]} if user else {}), **({"DROVER_TOKEN": token} if token else {})}
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [MQTT, "--server", f"127.0.0.1:{server.port}", *([] if "--broker" in options else ["--broker", f"127.0.0.1:{broker.port}"]), "--name", "w", *(["--user", user] if user else []), *options],
            stdout=log, stderr=log, env={**os.environ, **secrets})
        try:
            yield process
        finally:
            end_process(process)
            log.seek(0)
            print(log.read().decode())
        assert process.returncode == 0, process.returncode


def drover(*words, address, code=0, **more):
    done = subprocess.run([TOOL, *words, "--server", address, "--json"], capture_output=True, text=True, timeout=PATIENCE_S, cwd=ROOT, **more)
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return done


class MqttTest(Case):
    def until_online(self, broker, user=None):
        with Listener(broker, "drover/w/status", user=user) as listener:
            while listener.find("drover/w/status") != "online":
                pass

    def watching(self, broker, user=None):
        """A drover watch over the broker; its lines are frames."""
        process = subprocess.Popen([TOOL, "watch", "--server", broker.address(user), "--json", "--reconnect"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(lambda: (end_process(process), process.stdout.close(), process.stderr.close()))
        return process

    def test_a_newcomer_sees_a_paused_world_at_once(self):
        with Server("boids", "--paused") as server, Broker() as broker, publisher(server, broker, "--tiles", "3"):
            self.until_online(broker)
            wanted = {"drover/w/hello", "drover/w/scenario", "drover/w/key/all", "drover/w/delta/all", "drover/w/delta/density",
                      "drover/w/key/all/2/2", "drover/w/delta/density/0/1"}
            with Listener(broker, *wanted) as listener:
                come = set()
                while come != wanted:
                    come.add(listener.next()[0])
            with Listener(broker, *wanted) as newcomer:
                messages = [newcomer.next() for _ in wanted]
            self.assertEqual([topic for topic, is_retained, _ in messages if not is_retained], [])
            seen = {topic: json.loads(text) for topic, _, text in messages}
            self.assertEqual(seen["drover/w/hello"]["scenario"]["name"], "boids")
            self.assertTrue(seen["drover/w/hello"]["paused"])
            self.assertEqual(seen["drover/w/key/all"]["n"], 200)
            self.assertEqual(seen["drover/w/delta/all"]["key"], seen["drover/w/key/all"]["key"])
            self.assertEqual(seen["drover/w/delta/density"]["n"], 200)
            self.assertLess(seen["drover/w/key/all/2/2"]["n"], 200)
            with server.connect() as client:
                truth = client.snapshot()["agents"]
            shown = json.loads(drover("watch", "--count", "1", address=broker.address()).stdout)
            self.assertEqual(shown["agents"], truth)  # to the digit
            part = json.loads(drover("watch", "--count", "1", "--region", "10,10,50,50", address=broker.address()).stdout)["agents"]
            width, height = seen["drover/w/hello"]["scenario"]["size"]  # of its tile 0/0: two thirds either way
            inside = [agent for agent in truth if agent["x"] <= 2 * width / 3 and agent["y"] <= 2 * height / 3]
            self.assertTrue(all(agent in part for agent in inside))
            self.assertLess(len(part), 200)

    def test_two_viewers_and_a_broker_that_is_killed(self):
        with Server("boids") as server, Broker() as broker, publisher(server, broker):
            self.until_online(broker)
            viewers = [self.watching(broker), self.watching(broker)]
            first = [json.loads(viewer.stdout.readline())["tick"] for viewer in viewers]
            broker.kill()
            time.sleep(0.5)
            broker.start()  # it has forgotten what was retained
            for viewer, tick in zip(viewers, first):
                before = tick
                while True:  # what was in the pipe, then the gap
                    now = json.loads(viewer.stdout.readline())["tick"]
                    self.assertGreater(now, before)
                    if now - before > 30:
                        break
                    before = now
                self.assertIsNone(viewer.poll())
            self.until_online(broker)

    def test_a_server_that_comes_back(self):
        with Broker() as broker, contextlib.ExitStack() as stack:
            server = Server("boids")
            stack.callback(server._stderr.close)
            port = server.port
            stack.enter_context(publisher(server, broker))
            self.until_online(broker)
            viewer = self.watching(broker)
            json.loads(viewer.stdout.readline())
            server.kill()
            with Listener(broker, "drover/w/status") as listener:
                while listener.find("drover/w/status") != "offline":
                    pass
                self.assertIn("offline", drover("ping", address=broker.address(), code=3).stderr)
                with Server("seek", port=port):
                    while listener.find("drover/w/status") != "online":
                        pass
                    while len(json.loads(viewer.stdout.readline())["agents"]) != 1:
                        pass

    def test_requests_by_the_access_list(self):
        with Server("seek", "--paused") as server, Broker("mosquitto.conf") as broker, publisher(server, broker, user="drover"):
            self.until_online(broker, "bob")
            done = drover("target", "mouse", "100", "50", address=broker.address("ann"))
            self.assertEqual(json.loads(done.stdout)["x"], 100)
            secret = {**os.environ, "DROVER_TOKEN": USERS["ann"]}  # which other users of the machine do not see
            drover("target", "mouse", "100", "50", address=f"mqtt://ann@127.0.0.1:{broker.port}/w", env=secret)
            refused = drover("target", "mouse", "1", "1", address=broker.address("bob"), code=1)
            self.assertIn("access list", refused.stdout + refused.stderr)
            self.assertEqual(len(json.loads(drover("watch", "--count", "1", address=broker.address("bob")).stdout)["agents"]), 1)
            wrong = drover("ping", address=broker.address("ann").replace("mouse", "cat"), code=1)
            self.assertIn("refuses the password of user ann", wrong.stderr)
            with server.connect() as client:
                self.assertEqual(client.request("list", what="targets")["targets"], [{"name": "mouse", "x": 100, "y": 50}])

    def test_what_users_may_is_what_the_token_allows(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
            tokens = pathlib.Path(folder) / "tokens"
            tokens.write_text("viewer look-but-do-not-touch\n")
            tokens.chmod(0o600)
            server, broker = stack.enter_context(Server("seek", "--token-file", str(tokens))), stack.enter_context(Broker())
            words = [MQTT, "--server", f"127.0.0.1:{server.port}", "--broker", f"127.0.0.1:{broker.port}"]
            refused = subprocess.run(words, env={**os.environ, "DROVER_TOKEN": "a-wrong-token"}, capture_output=True, text=True, timeout=PATIENCE_S)
            self.assertEqual(refused.returncode, 1)
            self.assertIn("the server refuses the token", refused.stderr)
            stack.enter_context(publisher(server, broker, token="look-but-do-not-touch"))
            self.until_online(broker)
            self.assertEqual(json.loads(drover("list", "kinds", address=broker.address()).stdout)["kinds"][0]["name"], "seeker")
            self.assertIn("operator", drover("spawn", "seeker", address=broker.address(), code=1).stderr)

    def test_a_bridge_over_tls(self):
        """docs/deploy/mosquitto.conf and mosquitto-bridge.conf: drover-mqtt speaks TLS to the first broker, Ann is at the second."""
        with contextlib.ExitStack() as stack:
            server, first = stack.enter_context(Server("seek", "--paused")), stack.enter_context(Broker("mosquitto.conf"))
            second = stack.enter_context(Broker("mosquitto-bridge.conf", first))
            stack.enter_context(publisher(server, first, "--broker", f"localhost:{first.tls_port}", "--ca-file", f"{first.folder.name}/ca.crt", user="drover"))
            self.until_online(second, "bob")
            self.assertEqual(json.loads(drover("target", "mouse", "100", "50", address=second.address("ann")).stdout)["x"], 100)
            shown = json.loads(drover("watch", "--count", "1", address=second.address("bob")).stdout)
            self.assertEqual(shown["targets"], [{"name": "mouse", "x": 100, "y": 50}])

    @unittest.skipIf(PYTHON is None, "not installed: python3-paho-mqtt")
    def test_python(self):
        script = """
import asyncio, sys
import drover, drover.aio
with drover.connect(sys.argv[1]) as world:
    print(world.scenario["name"], world.set_target(name="mouse", x=100, y=50)["x"])
    frame = next(iter(world.watch()))
    print(len(frame.id), frame.tick)
    density = next(iter(world.watch(layout="density")))
    print(sum(density.count))
    try:
        world.spawn("seker")
    except drover.DroverError as error:
        print(error.code)
async def main():
    async with drover.aio.connect(sys.argv[1]) as world:
        async for frame in world.watch():
            print(len(frame.id))
            break
asyncio.run(main())
try:
    drover.connect(sys.argv[1] + "x")
except drover.DroverError as error:
    print(error.message)
"""
        with Server("seek", "--paused") as server, Broker() as broker, publisher(server, broker):
            self.until_online(broker)
            done = subprocess.run([PYTHON, "-c", script, broker.address()], capture_output=True, text=True, timeout=PATIENCE_S,
                                  env={**os.environ, "PYTHONPATH": str(ROOT / "clients/python")})
        self.assertEqual(done.stdout.splitlines()[:-1], ["seek 100.0", "1 0", "1", "no_kind", "1"], done.stderr)
        self.assertIn("no world 'wx'", done.stdout.splitlines()[-1])

    def test_hostile_requests_get_a_sentence(self):
        hostile = {
            "no json": "parse", "": "parse", "[1]": "invalid", "{}": "invalid", "{\"op\":\"fly\"}": "unknown_op",
            "[" * 5000: "parse", "{\"op\":\"ping\",\"id\":" + "9" * 100 + "}": "parse", "x" * 70000: "too_long",
            "{\"op\":\"subscribe\",\"id\":1}": "unsupported", "{\"op\":\"spawn\",\"id\":1,\"kind\":\"seker\"}": "no_kind",
            "{\"op\":\"ping\"}\n{\"op\":\"ping\"}": "parse", "{\"op\":\"ping\",\"op\":\"bye\"}": "invalid", "\u0000": "parse",
        }
        with Server("seek", "--paused") as server, Broker() as broker, publisher(server, broker):
            self.until_online(broker)
            with Listener(broker, "drover/w/reply/#") as listener, Listener(broker, "drover/w/event") as events:
                time.sleep(0.2)
                for payload, code in hostile.items():
                    broker.publish("drover/w/cmd/eve/1", payload)
                    error = json.loads(listener.find("drover/w/reply/eve/1"))
                    self.assert_error(error, code)
                # The ids of two users may be the same, and a request without one gets what the protocol says.
                broker.publish("drover/w/cmd/ann", "{\"op\":\"ping\",\"id\":\"x\\\"y\"}")
                broker.publish("drover/w/cmd/bob", "{ \"id\" : 7, \"op\":\"list\",\"what\":\"targets\"}")
                broker.publish("drover/w/cmd/bob", "{\"op\":\"spawn\",\"kind\":\"seeker\",\"x\":1,\"y\":2}")
                broker.publish("drover/w/cmd/bob", "{\"op\":\"stats\"}")
                replies = [(topic, json.loads(text)) for topic, _, text in (listener.next() for _ in range(3))]
                self.assertEqual([(topic[15:], reply["to"], reply.get("id")) for topic, reply in replies],
                                 [("ann", "ping", "x\"y"), ("bob", "list", 7), ("bob", "stats", None)])
                self.assertEqual(json.loads(events.find("drover/w/event"))["event"], "spawned")
            with server.connect() as client:
                self.assertEqual(len(client.snapshot()["agents"]), 2)

    def test_a_description_is_as_the_world_is_now(self):
        with Server("seek") as server, Broker() as broker, publisher(server, broker), Listener(broker, "drover/w/hello", "drover/w/scenario") as listener:
            self.until_online(broker)
            with server.connect() as client:
                client.request("add_obstacle", circle=[100, 100, 20])
                while not json.loads(listener.find("drover/w/hello"))["scenario"].get("obstacles"):
                    pass
                client.request("speed", factor=2)
                while json.loads(listener.find("drover/w/hello")).get("speed") != 2:
                    pass
                client.request("load", scenario="boids")
                while json.loads(listener.find("drover/w/scenario"))["name"] != "boids":
                    pass

    def test_a_wrong_command_line(self):
        for words, said in ((["--name", "a/b"], "letters, digits"), (["--tiles", "2"], "3 to 16"), (["--broker", "x:99999"], "invalid port")):
            done = subprocess.run([MQTT, *words], capture_output=True, text=True, timeout=PATIENCE_S)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
