"""Bytes in: for any bytes in any pieces, the server answers as protocol.md says and stays up."""

import json
import time
import unittest

from drover_client import Case, Closed, Server

PING = '{"op":"ping","id":%d}\n'


def padded(request_id, length):
    """A ping of exactly `length` bytes, without the newline."""
    head, tail = '{"op":"ping","id":%d,"pad":"' % request_id, '"}'
    return head + "x" * (length - len(head) - len(tail)) + tail


class Lines(Case):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--paused", "seek")

    @classmethod
    def tearDownClass(cls):
        with cls.server:
            pass

    def setUp(self):
        self.client = self.server.connect()

    def tearDown(self):
        self.client.socket.close()
        with self.server.connect() as other:  # whatever this client sent, others are served
            self.assert_reply(other.request("ping"), "ping")

    def still_talks(self):
        self.assert_reply(self.client.request("ping", id="still"), "ping")

    # --- pieces

    def test_half_a_line_waits_for_its_end(self):
        self.client.send_raw('{"op":"ping",')
        with self.assertRaises(TimeoutError):
            self.client.receive(timeout=0.3)
        self.client.send_raw('"id":7}\n')
        self.assert_reply(self.client.receive(), "ping", id=7)

    def test_half_a_line_at_the_end_is_dropped(self):
        self.client.send_raw(PING % 1 + '{"op":"ping","id":2')
        self.client.half_close()
        answers = [m for m in self.client.until_closed() if m.get("to") == "ping"]
        self.assertEqual([m["id"] for m in answers], [1])

    def test_a_line_in_20_pieces(self):
        line = json.dumps({"op": "set_target", "id": 20, "name": "mouse", "x": 123.5, "y": 77.25}).encode() + b"\n"
        step = -(-len(line) // 20)
        pieces = [line[i : i + step] for i in range(0, len(line), step)]
        pieces = pieces[:-1] + [pieces[-1][i : i + 1] for i in range(len(pieces[-1]))]
        self.assertGreaterEqual(len(pieces), 20)
        for piece in pieces:
            self.client.send_raw(piece)
            time.sleep(0.005)  # so that each leaves in a packet of its own
        self.assert_reply(self.client.receive(), "set_target", id=20, x=123.5, y=77.25)

    def test_a_multibyte_character_cut_in_two(self):
        line = '{"op":"ping","id":"häß–𝄞"}\n'.encode()
        for i in range(len(line)):
            self.client.send_raw(line[i : i + 1])
            time.sleep(0.002)  # as above
        self.assert_reply(self.client.receive(), "ping", id="häß–𝄞")

    def test_50_commands_in_one_packet(self):
        lines = "".join(
            json.dumps({"op": "set_target", "id": i, "name": "mouse", "x": i, "y": 2 * i}) + "\n" for i in range(50)
        )
        self.client.send_raw(lines)
        for i in range(50):
            self.assert_reply(self.client.receive(), "set_target", id=i, x=i, y=2 * i)
        target = self.client.request("list", what="targets")["targets"][0]
        self.assertEqual((target["x"], target["y"]), (49, 98))

    def test_crlf_and_empty_lines(self):
        self.client.send_raw('\n\r\n\n{"op":"ping","id":1}\r\n\n')
        self.assert_reply(self.client.receive(), "ping", id=1)
        self.assertEqual(self.client.flush(), [])

    def test_white_space_around_and_inside(self):
        self.client.send_raw(' \t{ "op" : "ping" ,\t"id" : 3 } \n')
        self.assert_reply(self.client.receive(), "ping", id=3)

    # --- invalid JSON

    def test_not_json_is_a_parse_error_and_nothing_is_applied(self):
        before = self.client.request("list", what="targets")["targets"]
        for line in [
            b"junk", b"{", b"}", b"{]", b'{"op":"ping"', b'{"op":"ping"} x', b"{'op':'ping'}", b'{"op":"ping",}',
            b'{"op":"mouse","x":1,"y":NaN}', b'{"op":"mouse","x":Infinity,"y":1}', b'{"op":"mouse","x":1e999,"y":1}',
            b'{"op":"mouse","x":01,"y":1}', b'{"op":"mouse","x":+1,"y":1}', b'{"op":"mouse","x":.5,"y":1}',
            b'{"op":"mouse","x":1.,"y":1}', b'{"op":"mouse","x":0x10,"y":1}', b'{"op":"mouse","x":1 "y":2}',
            b'{"op":"pi\0ng"}', b'{"op":"ping"}\0', b'{"op":"ping","a":"\\u0000"}', b'{"op":"ping","a":"\\ud800"}',
            b'{"op":"ping","a":"\\udc00\\ud800"}', b'{"op":"ping","a":"\\x41"}', b'{"op":"ping","a":"\xff"}',
            b'{"op":"ping","a":"\xc0\xaf"}', b'{"op":"ping","a":"\xed\xa0\x80"}', b'\xef\xbb\xbf{"op":"ping"}',
            b'{"op":"ping","a":"\t"}', b'// {"op":"ping"}', b'{"op":"ping"}{"op":"ping"}', b"tru", b"\x16\x03\x01\x02",
            b'{"op":"mouse","x":' + b"1" * 65 + b',"y":1}', b'{"a":' * 17 + b"1" + b"}" * 17,
            b'{"op":"ping","a":[' + b"1," * 131072 + b"1]}",
        ]:
            with self.subTest(line=line[:60]):
                self.client.send_raw(line + b"\n")
                message = self.client.receive()
                self.assert_error(message, "parse")
                self.assertNotIn("id", message)
                self.still_talks()
        self.assertEqual(self.client.request("list", what="targets")["targets"], before)

    def test_a_parse_error_names_the_byte(self):
        self.client.send_raw('{"op":"mouse","x":1\n')
        self.assertRegex(self.client.receive()["message"], r"^byte 2\d: |^byte 1\d: ")

    def test_json_that_is_no_request_is_invalid(self):
        for line in ["[]", "5", "null", "true", '"ping"', "{}", '{"id":1}', '{"op":5}', '{"op":null}',
                     '{"op":"pause","op":"remove"}', '{"op":"ping","\\u006fp":"ping"}', '{"op":"ping","a":{"b":1,"b":2}}']:
            with self.subTest(line=line):
                self.client.send_raw(line + "\n")
                self.assert_error(self.client.receive(), "invalid")
                self.still_talks()

    def test_limits_of_nesting_tokens_and_numbers_are_inclusive(self):
        fifteen = "[" * 15 + "]" * 15
        for index, line in enumerate(['{"op":"ping","id":%d,"a":' + fifteen + "}",
                                      '{"op":"ping","id":%d,"a":' + "0." + "1" * 62 + "}",
                                      '{"op":"ping","id":%d,"a":[' + "1," * 131000 + "1]}"]):
            with self.subTest(line=line[:60]):
                self.client.send_raw(line % index + "\n")
                self.assert_reply(self.client.receive(), "ping", id=index)

    def test_100000_opening_brackets(self):
        # Longer than a line may be ...
        self.client.send_raw("[" * 1048577 + "\n")
        self.assert_error(self.client.receive(), "too_long")
        # ... and as long as one may be.
        self.client.send_raw("[" * 1048576 + "\n")
        self.assert_error(self.client.receive(), "parse")
        self.client.send_raw('{"a":' * 13000 + "\n")
        self.assert_error(self.client.receive(), "parse")
        self.still_talks()

    def test_unknown_op_and_unknown_members(self):
        self.assert_error(self.client.request("fly"), "unknown_op", field="op")
        self.assert_error(self.client.request("PING"), "unknown_op", field="op")
        self.assert_reply(self.client.request("ping", color="red", nested={"a": [1]}), "ping")

    def test_wrong_types_name_the_field(self):
        for op, fields, field in [
            ("mouse", {"x": "a", "y": 1}, "x"), ("mouse", {"x": 1, "y": None}, "y"), ("mouse", {"x": [1], "y": 1}, "x"),
            ("step", {"count": "3"}, "count"), ("step", {"count": 1.5}, "count"), ("step", {"count": True}, "count"),
            ("spawn", {"kind": 3}, "kind"), ("spawn", {}, "kind"), ("mouse", {"x": 1}, "y"),
            ("subscribe", {"hz": "fast"}, "hz"), ("subscribe", {"layout": "round"}, "layout"),
            ("subscribe", {"layout": 1}, "layout"), ("subscribe", {"forces": 1}, "forces"),
            ("load", {"scenario": 5}, "scenario"), ("load", {}, "scenario"), ("list", {"what": "everything"}, "what"),
            ("remove", {"agents": 5}, "agents"), ("ping", {"t0": "now"}, "t0"),
        ]:
            with self.subTest(op=op, fields=fields):
                self.assert_error(self.client.request(op, **fields), "bad_param", field=field)

    # --- length

    def test_the_longest_line_and_one_byte_more(self):
        self.client.send_raw(padded(1, 1048576) + "\n")
        self.assert_reply(self.client.receive(), "ping", id=1)
        self.client.send_raw(padded(2, 1048577) + "\n")
        message = self.client.receive()
        self.assert_error(message, "too_long", line=2)
        self.assertNotIn("id", message)
        self.client.send_raw(PING % 3)
        self.assert_reply(self.client.receive(), "ping", id=3)

    def test_a_line_without_end_is_told_once_and_skipped_to_its_newline(self):
        before = self.server.rss_bytes()
        chunk = b"x" * 65536
        for _ in range(320):  # 20 MiB
            self.client.send_raw(chunk)
        self.assert_error(self.client.receive(), "too_long", line=1)
        self.assertLess(self.server.rss_bytes() - before, 8 << 20)
        self.client.send_raw("\n" + PING % 1)
        self.assert_reply(self.client.receive(), "ping", id=1)

    def test_errors_count_the_lines(self):
        self.client.send_raw('{"op":"ping"}\n\nx\n{"op":"ping"}\n{"op":"fly"}\n')
        messages = [self.client.receive() for _ in range(4)]
        lines = [m["line"] for m in messages if m["op"] == "error"]
        self.assertEqual(len(lines), 2, messages)
        # Every line counts, empty ones too: the number is the one that an editor shows for a piped script.
        self.assertEqual(lines, [3, 5], messages)

    # --- patience

    def test_8_bad_lines_in_a_row_end_the_connection(self):
        self.client.send_raw("junk\n" * 7)
        self.still_talks_after(7)
        self.client.send_raw("junk\n" * 7)  # a good line in between restarts the count
        self.still_talks_after(7)
        self.client.send_raw("junk\n" * 8)
        messages = self.client.until_closed()
        self.assertEqual([m["op"] for m in messages], ["error"] * 8 + ["bye"], messages)
        self.assertEqual(messages[-1]["reason"], "protocol")

    def still_talks_after(self, errors):
        for _ in range(errors):
            self.assert_error(self.client.receive(), "parse")
        self.still_talks()

    def test_binary_noise_ends_only_its_own_connection(self):
        noise = bytes((i * 7919 + 13) % 256 for i in range(100000))
        try:
            self.client.send_raw(noise)
            messages = self.client.until_closed()
            self.assertEqual(messages[-1]["op"], "bye", messages)
        except (ConnectionResetError, BrokenPipeError, Closed):
            pass  # closed while the test was still sending; tearDown checks that others are served

    def test_an_http_request_later_on_ends_the_connection(self):
        self.client.send_raw(PING % 1 + "GET / HTTP/1.1\r\nHost: localhost\r\nA: b\r\n\r\n" + PING % 2)
        self.assert_reply(self.client.receive(), "ping", id=1)
        self.assertEqual(self.client.read_line(), b"HTTP/1.1 400 Bad Request\r")
        rest = b""
        with self.assertRaises(Closed):
            while True:
                rest += self.client.read_line()
        self.assertNotIn(b'"id":2', rest)


if __name__ == "__main__":
    unittest.main()
