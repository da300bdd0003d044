"""WebSocket, frame by frame: what RFC 6455 wants of a client, and the close code of each rule that is broken."""

import json
import struct
import unittest

from drover_client import Case, Closed, wait_for
from web_client import BINARY, CLOSE, PING, PONG, TEXT, OneServer, WebServer, close_frame, frame

PING_LINE = b'{"op":"ping","id":1}'


class Frames(OneServer, Case):
    def end_of(self, client):
        """(messages, close code) until the server closes."""
        messages = client.until_closed()
        return messages, client.close_code

    def assert_refused(self, frames, code):
        with self.server.connect() as client:
            client.send_frames(*frames)
            messages, found = self.end_of(client)
            self.assertEqual(found, code, messages)
            self.assertEqual([m["reason"] for m in messages if m["op"] == "bye"], ["protocol"], messages)
        with self.server.connect() as client:  # the server goes on
            self.assert_reply(client.request("ping"), "ping")

    def assert_answers(self, *frames):
        """The frames are a ping of ours."""
        with self.server.connect() as client:
            client.send_frames(*frames)
            self.assert_reply(client.answer_to(1), "ping")

    # --- what is allowed

    def test_a_message_is_a_line(self):
        self.assert_answers(frame(PING_LINE))

    def test_a_message_in_fragments(self):
        pieces = [PING_LINE[i:i + 1] for i in range(len(PING_LINE))]
        self.assert_answers(frame(pieces[0], TEXT, final=False),
                            *(frame(piece, 0, final=False) for piece in pieces[1:-1]), frame(pieces[-1], 0))

    def test_a_ping_between_fragments_is_answered(self):
        with self.server.connect() as client:
            client.send_frames(frame(PING_LINE[:5], TEXT, final=False), frame(b"between", PING), frame(PING_LINE[5:], 0))
            self.assert_reply(client.answer_to(1), "ping")
            self.assertEqual(client.pongs, [b"between"])

    def test_a_character_in_two_fragments(self):
        line = '{"op":"ping","id":"é"}'.encode()
        at = line.index("é".encode()) + 1
        with self.server.connect() as client:
            client.send_frames(frame(line[:at], TEXT, final=False), frame(line[at:], 0))
            self.assert_reply(client.answer_to("é"), "ping")

    def test_bytes_one_by_one(self):
        with self.server.connect() as client:
            for byte in frame(PING_LINE):
                client.send_frames(bytes([byte]))
            self.assert_reply(client.answer_to(1), "ping")

    def test_many_messages_in_one_write(self):
        with self.server.connect() as client:
            client.send_frames(*(frame(b'{"op":"ping","id":%d}' % i) for i in range(100)))
            self.assert_reply(client.answer_to(99), "ping")

    def test_bytes_behind_the_handshake(self):
        with self.server.connect(early=frame(PING_LINE) + frame(b"", PING)) as client:
            self.assert_reply(client.answer_to(1), "ping")

    def test_an_unasked_pong_is_nothing(self):
        self.assert_answers(frame(b"whatever", PONG), frame(PING_LINE))

    def test_an_empty_message_is_an_empty_line(self):
        self.assert_answers(frame(b""), frame(PING_LINE))

    def test_a_newline_inside_a_message_is_white_space(self):
        self.assert_answers(frame(json.dumps({"op": "ping", "id": 1}, indent=2).encode()))

    def test_a_bad_line_is_an_error_as_on_tcp(self):
        with self.server.connect() as client, self.server.connect_tcp() as other:
            for line in (b"{", b"[]", b'{"op":"pnig"}', b'{"op":"ping","op":"ping"}', b'"\x00"'):
                client.send_frames(frame(line))
                other.send_raw(line + b"\n")
                self.assertEqual(client.receive(), other.receive(), line)

    def test_the_longest_message(self):
        for most in (65536, 1048576):  # the latter an admin's
            line = PING_LINE[:-1] + b" " * (most - len(PING_LINE)) + b"}"
            self.assert_answers(frame(line))
            half = len(line) // 2
            self.assert_answers(frame(line[:half], TEXT, final=False), frame(line[half:], 0))

    def test_long_messages_of_the_server(self):
        with self.server.connect() as client:  # lengths of 16 and of 64 bits
            self.assertGreater(len(json.dumps(client.request("help", to="subscribe"))), 126)
            client.request("spawn", kind="seeker", count=5000)
            client.request("subscribe")
            client.receive_op("snapshot")
            self.assertGreater(len(client.last_line), 65536)

    # --- what is not

    def test_unmasked(self):
        self.assert_refused([frame(PING_LINE, mask=None)], 1002)

    def test_reserved_bits(self):
        for bits in (1, 2, 4):
            self.assert_refused([frame(PING_LINE, reserved=bits)], 1002)

    def test_unknown_opcodes(self):
        for opcode in (3, 7, 0xB, 0xF):
            self.assert_refused([frame(PING_LINE, opcode)], 1002)

    def test_binary(self):
        self.assert_refused([frame(PING_LINE, BINARY)], 1003)
        self.assert_refused([frame(b"", BINARY, final=False)], 1003)

    def test_control_frames_that_are_long_or_in_fragments(self):
        self.assert_refused([frame(b"x" * 126, PING)], 1002)
        self.assert_refused([frame(b"x", PING, final=False)], 1002)
        self.assert_refused([frame(b"x" * 126, CLOSE)], 1002)

    def test_a_length_in_a_longer_form(self):
        self.assert_refused([frame(PING_LINE, short=16)], 1002)
        self.assert_refused([frame(PING_LINE, short=64)], 1002)
        self.assert_refused([frame(b"", length=1 << 63, short=64)], 1002)

    def test_a_continuation_of_nothing(self):
        self.assert_refused([frame(PING_LINE, 0)], 1002)

    def test_a_message_inside_another(self):
        self.assert_refused([frame(PING_LINE[:5], TEXT, final=False), frame(PING_LINE)], 1002)

    def test_not_utf8(self):
        for text in (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\xaf"):
            self.assert_refused([frame(text)], 1007)
        self.assert_refused([frame(b"\xc3", TEXT, final=False), frame(b"\x28", 0)], 1007)

    def test_too_long(self):
        for length in (1048577, 1 << 62):
            self.assert_refused([frame(length=length, short=64)], 1009)  # its head alone
        self.assert_refused([frame(b"x", length=1048577, short=64)], 1009)
        self.assert_refused([frame(b"x" * 1048576, TEXT, final=False), frame(b"x", 0)], 1009)
        self.assert_refused([frame(b"x", length=1 << 40, short=64)], 1009)

    def test_requests_before_the_mistake_are_answered(self):
        with self.server.connect() as client:
            client.send_frames(frame(PING_LINE), frame(PING_LINE, mask=None))
            messages, code = self.end_of(client)
            self.assertEqual(code, 1002)
            self.assertEqual([m["op"] for m in messages][-2:], ["reply", "bye"])

    # --- the end

    def test_the_peer_closes(self):
        for code in (1000, 1001, 3000, 4999):
            with self.server.connect() as client:
                client.send_frames(close_frame(code, b"done"))
                self.assertEqual(self.end_of(client), ([], code))
        with self.server.connect() as client:
            client.send_frames(frame(b"", CLOSE))
            self.assertEqual(self.end_of(client), ([], 1000))

    def test_the_peer_closes_with_a_bad_code(self):
        for payload in (b"\x03", struct.pack(">H", 999), struct.pack(">H", 1005), struct.pack(">H", 1006)):
            self.assert_refused([frame(payload, CLOSE)], 1002)
        self.assert_refused([frame(struct.pack(">H", 1000) + b"\xff", CLOSE)], 1007)

    def test_a_request_before_the_close_takes_effect(self):
        with self.server.connect() as client, self.server.connect_tcp() as other:
            agents = client.request("spawn", kind="seeker", count=1)["last_id"] + 1
            client.send_frames(frame(b'{"op":"spawn","kind":"seeker","count":1}'), close_frame())
            client.until_closed()
            self.assertEqual(client.close_code, 1000)
            wait_for(lambda: any(m["id"] == agents for m in other.snapshot()["agents"]), "the agent of the last request")

    def test_frames_after_a_close_are_nothing(self):
        with self.server.connect() as client:
            client.send_frames(close_frame(), frame(PING_LINE))
            self.assertEqual(self.end_of(client), ([], 1000))

    def test_we_ask_to_leave(self):
        with self.server.connect() as client:
            self.assert_reply(client.request("bye"), "bye")
            messages, code = self.end_of(client)
            self.assertEqual(([m["reason"] for m in messages], code), (["client"], 1000))

    def test_a_socket_that_ends_without_a_close(self):
        with self.server.connect() as client:
            client.half_close()
            self.end_of(client)
        with self.server.connect() as client:
            client.vanish()
        with self.server.connect() as client:
            self.assert_reply(client.request("ping"), "ping")

    def test_the_server_stops(self):
        with WebServer("--paused", "seek") as server, server.connect() as client:
            server.stop()
            messages, code = self.end_of(client)
            self.assertEqual(([m["reason"] for m in messages if m["op"] == "bye"], code), (["shutdown"], 1001))

    def test_bad_lines_close_with_a_policy(self):
        with self.server.connect() as client:
            client.send_frames(*(frame(b"{") for _ in range(8)))
            messages, code = self.end_of(client)
            self.assertEqual((messages[-1]["op"], messages[-1]["reason"], code), ("bye", "protocol", 1008))

    def test_many_pings_cost_no_memory(self):
        with self.server.connect() as client:
            client.socket.settimeout(5)
            for _ in range(200):
                client.send_frames(*(frame(b"x" * 125, PING) for _ in range(100)))
            client.send_frames(frame(PING_LINE))
            self.assert_reply(client.answer_to(1), "ping")
            self.assertLess(len(client.pongs), 20000)

    def test_tcp_stays_closed_to_http(self):
        with self.server.connect_tcp() as client:
            client.send_raw("GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n\r\n")
            with self.assertRaises((Closed, AssertionError, ValueError)):
                while True:
                    client.receive()
        client = self.server.connect_tcp()
        with client:
            client.unread()
            client.send_raw("GET / HTTP/1.1\r\n\r\n")
            data = b""
            while more := client.socket.recv(65536):
                data += more
            self.assertIn(b"HTTP/1.1 400 ", data)
            self.assertIn(f"The page for browsers is at http://127.0.0.1:{self.server.web}/".encode(), data)


if __name__ == "__main__":
    unittest.main(verbosity=2)
