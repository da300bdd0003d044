"""Reads metrics strictly: the text format of Prometheus (0.0.4) and OpenMetrics 1.0, as far as Drover uses them.

families = parse(text, openmetrics=True)     {name: Family}; raises ValueError for whatever the format does not allow
"""

import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)')
SAMPLE = re.compile(rf"({NAME})(?:\{{(.*)\}})? (\S+)")
NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)|NaN")
SUFFIXES = {
    "counter": {"_total"}, "gauge": {""}, "info": {"_info"}, "summary": {"", "_sum", "_count"},
    "histogram": {"_bucket", "_sum", "_count"},
}


class Family:
    """One metric: its type, its help, its samples {(suffix, ((label, value), ...)): number}."""

    def __init__(self, name, text):
        self.name, self.help, self.type, self.samples = name, text, None, {}

    def value(self, suffix="", **labels):
        return self.samples[(suffix, tuple(sorted(labels.items())))]

    def values(self, suffix, label):
        return {dict(labels)[label]: value for (end, labels), value in self.samples.items() if end == suffix}


def labels_of(text):
    labels, at = {}, 0
    while at < len(text):
        found = LABEL.match(text, at)
        if not found or found[1] in labels:
            raise ValueError(f"labels: {text!r}")
        labels[found[1]] = re.sub(r"\\(.)", lambda escape: {"n": "\n"}.get(escape[1], escape[1]), found[2])
        at = found.end()
    return tuple(sorted(labels.items()))


def add_sample(family, line, openmetrics):
    found = SAMPLE.fullmatch(line)
    if not found or not NUMBER.fullmatch(found[3]):
        raise ValueError(f"no sample: {line!r}")
    prefix = family.name
    allowed = SUFFIXES[family.type]
    if not openmetrics and family.type in ("counter", "gauge"):
        allowed = {""}
    suffix = found[1][len(prefix):]
    key = (suffix, labels_of(found[2] or ""))
    if not found[1].startswith(prefix) or suffix not in allowed or key in family.samples:
        raise ValueError(f"not of {family.name} ({family.type}): {line!r}")
    family.samples[key] = float(found[3])


def check_histogram(family):
    series = {}
    for (suffix, labels), value in family.samples.items():
        bounds = dict(labels)
        bound = bounds.pop("le", None)
        series.setdefault(tuple(sorted(bounds.items())), {})[suffix if bound is None else float(bound)] = value
        if bound is not None and not re.fullmatch(r"\+Inf|\d+\.\d+(e[+-]\d+)?|\d+e[+-]\d+", bound):
            raise ValueError(f"{family.name}: le={bound!r} is not a canonical number")
    for labels, values in series.items():
        bounds = [bound for bound in values if isinstance(bound, float)]
        counts = [values[bound] for bound in bounds]
        if bounds != sorted(bounds) or counts != sorted(counts) or bounds[-1] != float("inf"):
            raise ValueError(f"{family.name} {labels}: the buckets do not grow")
        if counts[-1] != values["_count"] or values["_sum"] < 0:
            raise ValueError(f"{family.name} {labels}: count and sum do not fit the buckets")


def check(family):
    if family.type is None or not family.samples:
        raise ValueError(f"{family.name} has no type or no samples")
    if family.type == "histogram":
        check_histogram(family)
    if family.type in ("counter", "histogram") and min(family.samples.values()) < 0:
        raise ValueError(f"{family.name} is negative")
    if family.type == "info" and set(family.samples.values()) != {1.0}:
        raise ValueError(f"{family.name} is not 1")


def parse(text, openmetrics):
    if not text.endswith("# EOF\n" if openmetrics else "\n") or "\r" in text:
        raise ValueError(f"the end: {text[-40:]!r}")
    lines = text.split("\n")[: -2 if openmetrics else -1]
    families, family = {}, None
    for line in lines:
        head = re.fullmatch(rf"# (HELP|TYPE) ({NAME}) (.+)", line)
        if head and head[1] == "HELP":
            if head[2] in families:
                raise ValueError(f"{head[2]} stands twice")
            family = families[head[2]] = Family(head[2], head[3])
        elif head and family and head[2] == family.name and family.type is None and head[3] in SUFFIXES:
            family.type = head[3]
        elif line.startswith("#") or family is None or family.type is None:
            raise ValueError(f"not allowed here: {line!r}")
        else:
            add_sample(family, line, openmetrics)
    for each in families.values():
        check(each)
    return families


def count_series(families):
    return sum(len(family.samples) for family in families.values())
