"""The JSON documents of tests/fuzz/corpus/json as commands, in the manner of JSONTestSuite: n_ must be refused, each with
exactly one error and a connection that stays usable; y_ are JSON and accepted wherever a request may hold them."""

import unittest

from drover_client import ROOT, Case, Server

FILES = sorted((ROOT / "tests/fuzz/corpus/json").glob("*.json"))


class Suite(Case):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--paused", "--rate", "0", "seek")  # requests come fast here

    @classmethod
    def tearDownClass(cls):
        with cls.server:
            pass

    def answers(self, client, line):
        client.send_raw(line + b"\n")
        self.assert_reply(client.request("ping", id="after"), "ping")
        return client.flush()

    def test_invalid_documents_get_one_error_each(self):
        found = [path for path in FILES if path.name.startswith("n_")]
        self.assertGreater(len(found), 100)
        with self.server.connect() as client:
            for path in found:
                document = path.read_bytes()
                if path.name == "n_structure_too_many_tokens.json":
                    document = b"[" + b"0," * 131072 + b"0]"  # an admin may send more of them than others
                for line in (document, b'{"op":"mouse","x":1,"y":1,"a":' + document + b"}"):
                    with self.subTest(path=path.name, line=line[:40]):
                        messages = self.answers(client, line)
                        self.assertEqual([m["op"] for m in messages], ["error"], messages)
                        self.assertIn(messages[0]["code"], ("parse", "invalid"))
                        self.assertTrue(messages[0]["message"].startswith("byte "), messages)
            self.assertEqual(client.request("list", what="targets")["targets"][0]["x"], 600, "no mouse was moved")

    def test_valid_documents_are_taken(self):
        found = [path for path in FILES if path.name.startswith("y_")]
        self.assertGreater(len(found), 25)
        with self.server.connect() as client:
            for path in found:
                with self.subTest(path=path.name):
                    document = path.read_bytes()
                    messages = self.answers(client, b'{"op":"ping","id":7,"a":' + document + b"}")
                    self.assertEqual([(m["op"], m["id"]) for m in messages], [("reply", 7)], messages)
                    messages = self.answers(client, document)  # JSON, but not a request
                    self.assertEqual([m.get("code") for m in messages], ["invalid"], messages)


if __name__ == "__main__":
    unittest.main()
