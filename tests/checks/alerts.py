#!/usr/bin/env python3
"""What operators copy from docs/deploy: Prometheus takes the alerts, each fires for what it is about and for nothing else, and
the queries of the dashboard are queries of metrics that docs/deploy.md names.

    tests/checks/alerts.py [ROOT]
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

# For each alert the series that make it fire, and others that do not: NAME{LABELS} and its values, one a minute.
UP = 'up{job="drover"}'
PACE = [("drover_tick_hz", "60+0x20"), ("drover_paused", "0+0x20")]
CASES = {
    "DroverDown": ([(UP, "0+0x20")], [(UP, "1+0x20")]),
    "DroverJournalEnded": ([("drover_journal_ok", "0+0x20")], [("drover_journal_ok", "1+0x20")]),
    "DroverJournalBehind": ([("drover_journal_unsynced_seconds", "0+60x20")], [("drover_journal_unsynced_seconds", "2+0x20")]),
    "DroverCheckpointOld": ([("drover_checkpoint_age_seconds", "0+60x20"), *PACE],
                            [("drover_checkpoint_age_seconds", "0+60x20"), ("drover_paused", "1+0x20")]),
    "DroverDiskShort": ([("drover_disk_free_bytes", "1e6+0x20")], [("drover_disk_free_bytes", "1e10+0x20")]),
    "DroverLeftOut": ([("drover_left_out", "1+0x20")], [("drover_left_out", "0+0x20")]),
    "DroverTicksDropped": ([("drover_ticks_dropped_total", "0+5x20")], [("drover_ticks_dropped_total", "5+0x20")]),
    "DroverTicksLate": ([('drover_tick_lateness_seconds{quantile="0.99"}', "0.01+0x20"), *PACE],
                        [('drover_tick_lateness_seconds{quantile="0.99"}', "0.001+0x20"), *PACE]),
    "DroverFramesSkipped": ([("drover_frames_skipped_total", "0+5x20"), ("drover_frames_sent_total", "0+9x20")],
                            [("drover_frames_skipped_total", "0+1x20"), ("drover_frames_sent_total", "0+9x20")]),
    "DroverSessionsFull": ([('drover_sessions_refused_total{reason="full"}', "0+1x20")],
                           [('drover_sessions_refused_total{reason="rate"}', "0+1x20")]),
    "DroverRankUneven": ([('drover_rank_work_seconds{rank="0"}', "0.01+0x20"), ('drover_rank_work_seconds{rank="1"}', "0.05+0x20")],
                         [('drover_rank_work_seconds{rank="0"}', "0.01+0x20"), ('drover_rank_work_seconds{rank="1"}', "0.011+0x20")]),
}
INSTANCE = 'instance="a"'
MINUTES = 20


def of_instance(series):
    name, labels = re.fullmatch(r"(\w+)(?:\{(.*)\})?", series).groups()
    labels = [label for label in (labels or "").split(",") if label]
    return f"{name}{{{','.join([*labels, INSTANCE])}}}"


def promtool(*arguments):
    done = subprocess.run(["promtool", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
    return [] if done.returncode == 0 else [f"promtool {' '.join(map(str, arguments))}:\n{done.stdout}"]


def query(expression, is_firing):
    return {"expr": expression, "eval_time": f"{MINUTES}m", "exp_samples": [{"labels": "{}", "value": 1}] if is_firing else []}


def check_alerts(rules, folder):
    """Each alert alone, with the series that are for it and with those that are not."""
    names = re.findall(r"^ *- alert: (\w+)$", rules.read_text(encoding="utf-8"), re.MULTILINE)
    found = [f"{rules}: {name} has no case in this test, or is none of its alerts" for name in sorted(set(names) ^ set(CASES))]
    tests = []
    for name, cases in CASES.items():
        for is_firing, case in zip((True, False), cases):
            tests.append({"interval": "1m", "input_series": [{"series": of_instance(series), "values": values} for series, values in case],
                          "promql_expr_test": [query(f'count(ALERTS{{alertname="{name}",alertstate="firing"}})', is_firing)]})
    file = folder / "test.yml"
    file.write_text(json.dumps({"rule_files": [str(rules)], "evaluation_interval": "1m", "tests": tests}), encoding="utf-8")
    return found + promtool("check", "rules", str(rules)) + promtool("test", "rules", str(file))


def queries_of(panel):
    return [target["expr"] for target in panel.get("targets", [])] + [each for row in panel.get("panels", []) for each in queries_of(row)]


def check_metrics(file, page):
    """A metric that there is not makes no error, and no alert."""
    named = set(re.findall(r"`((?:drover|process)_\w+)", page.read_text(encoding="utf-8")))
    used = {re.sub(r"_(?:bucket|sum|count)$", "", name)
            for name in re.findall(r"\b(?:drover|process)_\w+\b", file.read_text(encoding="utf-8"))}
    return [f"{file}: {name} is no metric of {page}" for name in sorted(used - named)]


def check_dashboard(dashboard, folder):
    expressions = queries_of(json.loads(dashboard.read_text(encoding="utf-8")))
    rules = [{"record": f"drover:panel:{i}", "expr": each.replace("$instance", ".*").replace("$__rate_interval", "5m")} for i, each in enumerate(expressions)]
    file = folder / "panels.yml"
    file.write_text(json.dumps({"groups": [{"name": "panels", "rules": rules}]}), encoding="utf-8")
    return ([] if expressions else [f"{dashboard}: no query"]) + promtool("check", "rules", str(file))


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2])
    deploy = root / "docs/deploy"
    alerts, dashboard, page = deploy / "drover-alerts.yml", deploy / "grafana.json", root / "docs/deploy.md"
    with tempfile.TemporaryDirectory() as name:
        found = check_alerts(alerts, pathlib.Path(name)) + check_dashboard(dashboard, pathlib.Path(name)) \
            + check_metrics(alerts, page) + check_metrics(dashboard, page)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
