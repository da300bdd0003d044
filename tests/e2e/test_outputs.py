"""Standard input, output and error of the server: unread, stopped, closed. None of these may delay the server."""

import fcntl
import os
import re
import signal
import socket
import subprocess
import threading
import time
import unittest

from drover_client import PATIENCE_S, ROOT, Case, Client, run_server, server_binary, wait_for

F_SETPIPE_SZ = 1031
LEFT_OUT = re.compile(rb"^\S+Z warn  log: left out (\d+) lines: the log is not read fast enough$", re.M)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def full_pipe(text=b"x" * 4095 + b"\n"):
    """A small pipe that is full. (O_NONBLOCK is shared by all openers of an end: it is off again.)"""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, F_SETPIPE_SZ, 4096)
    os.set_blocking(writer, False)
    try:
        while True:
            os.write(writer, text)
    except BlockingIOError:
        pass
    os.set_blocking(writer, True)
    return reader, writer


class Outputs(Case):
    def start(self, *arguments, port=None, **streams):
        """A server on a port that the test chooses, since its stdout may be unusable."""
        self.port = port or free_port()
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **streams}
        process = subprocess.Popen([server_binary(), "--port", str(self.port), *arguments, "seek"], cwd=ROOT, **streams)
        self.addCleanup(self.end, process)

        def is_there():
            self.assertIsNone(process.poll(), "the server ended")
            try:
                self.connect_and_close()
                return True
            except ConnectionRefusedError:
                return False

        wait_for(is_there, "the server listens")
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.wait()

    def connect_and_close(self, count=1):
        for _ in range(count):
            with socket.create_connection(("127.0.0.1", self.port), PATIENCE_S) as connection:
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(65536):
                    pass

    def assert_serves(self):
        with Client(self.port) as client:
            self.assert_reply(client.request("ping"), "ping")

    def assert_stops(self, process, number=signal.SIGTERM):
        started = time.monotonic()
        process.send_signal(number)
        self.assertEqual(process.wait(PATIENCE_S), 0)
        self.assertLess(time.monotonic() - started, 10)


class Unread(Outputs):
    def assert_not_held_up(self, stderr):
        process = self.start("--paused", stderr=stderr)
        self.connect_and_close(2000)
        self.assert_serves()
        self.assert_stops(process)

    def test_a_log_in_a_full_pipe(self):
        reader, writer = full_pipe()
        self.addCleanup(os.close, reader)
        self.addCleanup(os.close, writer)
        self.assert_not_held_up(writer)

    def test_a_log_on_a_stopped_terminal(self):
        master, slave = os.openpty()
        self.addCleanup(os.close, master)
        self.addCleanup(os.close, slave)
        os.write(master, b"\x13")  # Ctrl-S
        self.assert_not_held_up(slave)

    def test_what_was_left_out_is_told(self):
        reader, writer = full_pipe()
        process = self.start("--paused", stderr=writer)
        os.close(writer)
        connections = 3000
        self.connect_and_close(connections)
        self.assert_serves()
        text = []
        read = threading.Thread(target=lambda: text.extend(iter(lambda: os.read(reader, 65536), b"")))
        read.start()
        wait_for(lambda: LEFT_OUT.search(b"".join(text)), "the number of lines that were left out")
        self.connect_and_close(10)
        self.assert_stops(process)
        read.join(PATIENCE_S)
        os.close(reader)
        lines = b"".join(text).lstrip(b"x\n").splitlines()
        left_out = sum(int(match) for match in LEFT_OUT.findall(b"".join(text)))
        told = [line for line in lines if b"connected from" in line or b": bye client" in line]
        # The log has two lines for each connection, including the first probe and the ping.
        self.assertGreaterEqual(left_out, 1)
        self.assertLessEqual(abs(len(told) + left_out - 2 * (connections + 10 + 2)), 2)
        self.assertIn(b"SIGTERM: stopping", lines[-2] + lines[-1], "the end is not lost")
        for line in lines:
            self.assertRegex(line, rb"^\d{4}-\d\d-\d\dT\S+Z (info |warn ) \w+: ")

    def test_an_unread_stdout(self):
        reader, writer = full_pipe()
        process = self.start("--paused", stdout=writer)
        os.close(writer)
        self.assert_serves()
        text = b""
        while not text.endswith(f"drover-server listening on 127.0.0.1:{self.port}\n".encode()):
            more = os.read(reader, 65536)  # read after all: the line is there
            self.assertTrue(more, text[-200:])
            text += more
        self.assert_stops(process)
        os.close(reader)

    def test_ending_with_all_of_it_stuck(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            reader, writer = full_pipe()
            process = self.start("--paused", stdout=writer, stderr=writer)
            self.assert_serves()
            self.assert_stops(process, number)
            os.close(reader)
            os.close(writer)

    def test_a_mistake_at_the_start_is_told_to_who_reads_late(self):
        """The last lines of a program that ends at once are not lost."""
        for _ in range(20):
            result = run_server("--port", "0", "nowhere")
            self.assertEqual(result.returncode, 2)
            self.assertRegex(result.stderr, r"^drover-server: .*nowhere.*\nthere are: .*\n$")

    def test_a_log_whose_reader_has_gone(self):
        reader, writer = os.pipe()
        process = self.start("--paused", stderr=writer, stdout=writer)
        os.close(writer)
        os.close(reader)
        self.connect_and_close(50)
        self.assert_serves()
        self.assert_stops(process)


class Closed(Outputs):
    def test_closed_descriptors(self):
        for closed in ([0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]):
            with self.subTest(closed=closed):
                process = self.start("--paused", "--log", "debug",
                                     preexec_fn=lambda: [os.close(descriptor) for descriptor in closed])
                for descriptor in closed:
                    self.assertEqual(os.readlink(f"/proc/{process.pid}/fd/{descriptor}"), "/dev/null")
                clients = [Client(self.port) for _ in range(3)]
                for client in clients:
                    self.assert_reply(client.request("step"), "step")
                    self.assertEqual(client.flush(), [], "no line of the log is among those of the protocol")
                self.assert_stops(process)
                for client in clients:
                    self.assertEqual([m["op"] for m in client.until_closed()], ["bye"])
                    client.socket.close()

    def test_complaints_without_descriptors(self):
        result = subprocess.run([server_binary(), "--port", "0", "nowhere"], cwd=ROOT, timeout=PATIENCE_S,
                                preexec_fn=lambda: [os.close(descriptor) for descriptor in (0, 1, 2)])
        self.assertEqual(result.returncode, 2)


if __name__ == "__main__":
    unittest.main()
