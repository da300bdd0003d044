"""The lines of the protocol over WebSocket: protocol.md's transcripts and those of protocol 1, as over TCP, and the same frames as
a reader over TCP gets."""

import re
import unittest

import test_protocol_1
import test_protocol_doc
from drover_client import Case
from web_client import WebServer


class Transcripts(test_protocol_doc.Transcripts):
    serve = WebServer


class Protocol1(test_protocol_1.Protocol1):
    serve = WebServer


class SameLines(Case):
    def test_a_reader_gets_the_bytes_that_a_tcp_reader_gets(self):
        for options in ({"layout": "packed", "delta": True}, {}):
            with WebServer("--paused", "flock") as server, server.connect() as web, server.connect_tcp() as tcp:
                for client in (web, tcp):
                    self.assert_reply(client.request("subscribe", hz=60, **options), "subscribe")
                lines = {}
                for client in (web, tcp):
                    lines[client] = [self.next_frame(client)]
                for _ in range(5):
                    tcp.request("step", ticks=1)
                    for client in (web, tcp):
                        lines[client].append(self.next_frame(client))
                self.assertEqual(lines[web], lines[tcp])

    def next_frame(self, client):
        """The lines of the next frame: a key comes with its delta."""
        lines = []
        while True:
            message = client.receive()
            if message["op"] in ("snapshot", "key", "delta"):
                lines.append(re.sub(rb'"clock":[0-9.]+', b"", client.last_line))  # of the first frame, which each reader gets on its own
            if message["op"] in ("snapshot", "delta"):
                return lines


if __name__ == "__main__":
    unittest.main(verbosity=2)
