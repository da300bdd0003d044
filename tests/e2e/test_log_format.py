"""Lines of the log as JSON, and for journald: what a client chooses to be called stays in its line, and many refusals have few
lines."""

import json
import os
import re
import socket
import subprocess
import time
import unittest

from drover_client import PATIENCE_S, ROOT, Case, Server, server_binary, wait_for

STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def lines_of(server):
    return [json.loads(line) for line in server.stderr().splitlines()]


class LogFormat(Case):
    def test_json_lines(self):
        with Server("--log-format", "json", "flock") as server:
            with server.connect() as client:
                self.assert_reply(client.request("hello", name='Ann "\\ é'), "hello")
                client.request("set_param", kind="bird", param="max_speed", value=99)
            wait_for(lambda: "bye client" in server.stderr(), "the goodbye is logged")
            lines = lines_of(server)
            for line in lines:
                self.assertRegex(line["ts"], STAMP)
                self.assertIn(line["level"], ("error", "warn", "info", "debug"))
                self.assertTrue(line["module"] and isinstance(line["msg"], str))
            connected = [line for line in lines if "connected from" in line["msg"]]
            self.assertEqual([(line["session"], line["address"]) for line in connected], [(1, "127.0.0.1")])
            greeted = [line for line in lines if "Ann" in line["msg"]]
            self.assertEqual(greeted[0]["msg"], 'session 1: admin "Ann "\\ é"')
            self.assertEqual([line["code"] for line in lines if "bye" in line["msg"]], ["client"])

    def test_a_mistake_is_a_line_too(self):
        done = subprocess.run([server_binary(), "--log-format=json", "--port", "0", "no-such"], cwd=ROOT, capture_output=True,
                              text=True, timeout=PATIENCE_S, check=False)
        self.assertEqual(done.returncode, 2)
        lines = [json.loads(line) for line in done.stderr.splitlines()]
        self.assertEqual({line["module"] for line in lines if line["level"] == "error"}, {"drover-server"})

    def test_an_unknown_format_is_refused(self):
        done = subprocess.run([server_binary(), "--log-format=xml"], capture_output=True, text=True, timeout=PATIENCE_S,
                              check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("text", done.stderr)
        self.assertIn("json", done.stderr)

    def priorities(self, matches):
        reader, writer = os.pipe()
        about = os.fstat(writer)
        stream = f"{about.st_dev}:{about.st_ino + (0 if matches else 1)}"
        process = subprocess.Popen([server_binary(), "--port", "0", "flock"], cwd=ROOT, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=writer, env={**os.environ, "JOURNAL_STREAM": stream})
        os.close(writer)
        process.stdout.readline()
        process.terminate()
        process.wait(PATIENCE_S)
        process.stdout.close()
        with open(reader, "rb") as log:
            return log.read().decode().splitlines()

    def test_journald_learns_the_level(self):
        for line in self.priorities(True):
            self.assertRegex(line, r"^<[3467]>" + STAMP.pattern)
        for line in self.priorities(False):
            self.assertRegex(line, r"^" + STAMP.pattern)

    def test_refusals_have_few_lines(self):
        with Server("--log-format", "json", "--max-clients", "1", "flock") as server, server.connect():
            began = time.monotonic()
            for _ in range(300):
                with socket.create_connection(("127.0.0.1", server.port), PATIENCE_S) as other:
                    self.assertIn(b'"full"', other.recv(4096))
            wait_for(lambda: "further sessions refused" in server.stderr(), "the refusals are counted")
            spent = time.monotonic() - began

            def refused():
                return [line for line in lines_of(server) if line.get("code") == "full"]

            def counted():
                further = [re.search(r"further sessions refused \(full\): (\d+)$", line["msg"]) for line in refused()]
                return sum(int(found[1]) if found else 1 for found in further)

            wait_for(lambda: counted() == 300, "every refusal is counted")
            self.assertLessEqual(len(refused()), 3 + spent)


if __name__ == "__main__":
    unittest.main()
