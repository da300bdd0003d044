"""Which way behaviors take, lanes or alone: what stats says of kinds and inspect of agents."""

import unittest

from drover_client import Case, Server


def ways(client):
    """{(kind, behavior): share in lanes}"""
    rows = client.request("stats")["ways"]
    found = {(row["kind"], row["behavior"]): row["lanes"] for row in rows}
    assert len(found) == len(rows)
    return found


def terms(client, agent):
    return {term["behavior"]: term for term in client.request("inspect", agent=agent)["agents"][0]["terms"]}


class Ways(Case):
    def test_a_crowd_goes_in_lanes(self):
        with Server("--paused", "throng") as server, server.connect() as client:
            self.assertEqual(client.request("stats")["ways"], [], "no tick yet")
            client.request("step", count=1)
            kinds = ("eastward", "westward")
            self.assertEqual(ways(client), {(kind, behavior): 1 for kind in kinds for behavior in ("seek", "orca")})
            for term in terms(client, 1).values():
                self.assertEqual((term["way"], "why" in term), ("lanes", False))

    def test_agents_near_solids_go_alone(self):
        with Server("--paused", "corridor") as server, server.connect() as client:
            client.request("step", count=1)
            shares = ways(client)
            self.assertEqual(sorted(shares), [(kind, behavior) for kind in ("eastward", "westward") for behavior in ("follow_flow", "orca")])
            for kind in ("eastward", "westward"):
                self.assertEqual(shares[kind, "follow_flow"], 0)
                self.assertLess(shares[kind, "orca"], 1)
            agents = [agent["id"] for agent in self.agents(client)]
            orcas = [term for agent in agents for name, term in terms(client, agent).items() if name == "orca"]
            self.assertIn({"way": "alone", "why": "near_solids"}, [{name: term[name] for name in ("way", "why") if name in term} for term in orcas])

    def agents(self, client):
        self.assert_reply(client.request("subscribe"), "subscribe")
        agents = client.receive_op("snapshot")["agents"]
        client.request("unsubscribe")
        return agents

    def test_a_parameter_changes_the_way(self):
        with Server("--paused", "starlings") as server, server.connect() as client:
            client.request("step", count=1)
            (kind, behavior), lanes = next(item for item in ways(client).items() if item[0][1] == "flock")
            self.assertEqual((behavior, lanes), ("flock", 0))
            self.assertEqual(terms(client, 1)["flock"]["why"], "max_neighbors")
            self.assert_reply(client.request("set_param", kind=kind, param="flock.max_neighbors", value=0), "set_param")
            self.assertNotEqual(terms(client, 1)["flock"].get("why"), "max_neighbors", "at once")

    def test_ways_are_those_of_the_world(self):
        """Those of another world are gone with it; a world without agents has none."""
        with Server("--paused", "queue") as server, server.connect() as client:
            client.request("step", count=1)
            self.assertIn(0, ways(client).values(), "queue has no rule for lanes")
            client.request("load", scenario="flock")
            self.assertEqual(ways(client), {})
            client.request("step", count=1)
            self.assertIn(1, ways(client).values())
            kinds = [kind["name"] for kind in client.request("list", what="kinds")["kinds"]]
            for kind in kinds:
                client.request("remove", kind=kind)
            client.request("step", count=60)
            self.assertEqual(ways(client), {})


if __name__ == "__main__":
    unittest.main()
