"""What a cluster says of its ranks: in stats and in /metrics, while it runs, steps, is paused, and gets another world."""

import re
import unittest

from cluster import ROOT, Case, Cluster, Server, wait_for
import metrics_parser
from web_client import WebServer, ask


class WebCluster(Cluster):
    """A cluster with the door for browsers."""

    _read_first_line = WebServer._read_first_line

    def __init__(self, ranks, *arguments, **options):
        super().__init__(ranks, "--web", "0", *arguments, **options)


def ranks_of(client):
    return client.request("stats")["cluster"]  # the client holds it against protocol.schema.json


class Ranks(Case):
    def check_sums(self, cluster, ranks, agents):
        self.assertEqual((cluster["mode"], cluster["count"], cluster["agents"]), ("copy", ranks, agents))
        self.assertEqual([rank["rank"] for rank in cluster["ranks"]], list(range(ranks)))
        self.assertEqual(sum(rank["agents"] for rank in cluster["ranks"]), agents)
        self.assertLessEqual(max(rank["agents"] for rank in cluster["ranks"]) - min(rank["agents"] for rank in cluster["ranks"]), 1)
        self.assertTrue(all(rank["host"] for rank in cluster["ranks"]))

    def test_a_paused_world_has_ranks_and_a_step_their_times(self):
        with Cluster(3, "--paused", "flock") as server, server.connect() as client:
            cluster = ranks_of(client)
            self.check_sums(cluster, 3, 250)
            self.assertEqual((cluster["balance"], cluster["ranks"][2]["work_ms"]["mean"]), (1, 0))
            client.request("step", count=30)
            cluster = ranks_of(client)
            for rank in cluster["ranks"]:
                self.assertGreater(rank["work_ms"]["mean"], 0)
                self.assertGreaterEqual(rank["work_ms"]["p99"], 0.5 * rank["work_ms"]["mean"])
            longest = max(cluster["ranks"], key=lambda rank: rank["work_ms"]["mean"])
            self.assertEqual(cluster["longest"], longest["rank"])
            client.request("load", scenario="boids")
            cluster = ranks_of(client)
            self.check_sums(cluster, 3, client.request("stats")["agents"])
            self.assertEqual(cluster["ranks"][0]["work_ms"]["mean"], 0, "the times of the world before are gone")

    def test_a_world_that_runs_has_new_times(self):
        with Cluster(2, "flock") as server, server.connect() as client:
            seen = set()

            def has_news():
                seen.add(ranks_of(client)["ranks"][1]["work_ms"]["mean"])
                return len(seen) > 2

            wait_for(has_news, "times that change")
            self.assertLess(ranks_of(client)["age"], 5)
            client.request("pause")
            before = ranks_of(client)
            wait_for(lambda: ranks_of(client)["age"] > 0.45, "times of half a second ago")
            self.assertEqual(ranks_of(client)["ranks"], before["ranks"])

    def test_one_process_has_none(self):
        with Server("--paused", "flock") as server, server.connect() as client:
            self.assertNotIn("cluster", client.request("stats"))

    def test_metrics(self):
        page = (ROOT / "docs/deploy.md").read_text()
        table = page[page.index("A cluster (cluster.md) has these as well:"):page.index("[deploy/drover-alerts.yml]")]
        named = set(re.findall(r"`(drover_rank_\w+?)(?:_total)?\{rank\}`", table))
        with WebCluster(2, "--paused", "flock") as server, server.connect() as client:
            client.request("step", count=10)
            _, _, body = ask(server.web, "/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"})
            metrics = metrics_parser.parse(body.decode(), openmetrics=True)
            self.assertEqual({name for name in metrics if name.startswith("drover_rank_")}, named)
            self.assertEqual(metrics["drover_rank_agents"].values("", "rank"), {"0": 125, "1": 125})
            self.assertGreater(metrics["drover_rank_work_seconds"].value(rank="1"), 0)
            self.assertEqual(metrics["drover_rank_migrants"].value("_total", rank="1"), 0)


if __name__ == "__main__":
    unittest.main()
