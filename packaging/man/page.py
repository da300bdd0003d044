#!/usr/bin/env python3
"""Makes a manual page of a document: its headings become the page's sections, and lowdown writes the rest.

usage: page.py LOWDOWN NAME SECTION SUMMARY DOCUMENT VERSION > PAGE

The page shows the date of SOURCE_DATE_EPOCH, or none.
"""

import os
import pathlib
import re
import subprocess
import sys
import time

SEE_ALSO = ["drover(1)", "drover-server(1)", "drover-viewer(1)", "drover-cluster(1)", "drover-scenario(5)", "drover-protocol(7)"]


def text_of(line):
    """A line of text as it is in a manual page: no pictures, and of links to other documents the words."""
    line = re.sub(r"!\[[^]]*\]\([^)]*\)", "", line)
    return re.sub(r"(?<!!)\[([^]]*)\]\((?!https?:)[^)]*\)", r"\1", line)


def sections_of(document):
    """The document without its title, its headings a level higher; what stands before the first one is the description."""
    lines, is_code = ["# DESCRIPTION", ""], False
    for line in document.splitlines():
        is_code ^= line.lstrip().startswith("```")
        heading = None if is_code else re.match(r"(#+) (.*)", line)
        if heading is None:
            lines.append(line if is_code or line.startswith("    ") else text_of(line))
        elif len(heading[1]) == 2:
            lines.append(f"# {heading[2].upper()}")
        elif len(heading[1]) > 2:
            lines.append(f"## {heading[2]}")
    return lines


def date_of(epoch):
    return time.strftime("%Y-%m-%d", time.gmtime(int(epoch))) if epoch else ""


def main():
    lowdown, name, section, summary, document, version = sys.argv[1:]
    others = [page for page in SEE_ALSO if page != f"{name}({section})"]
    lines = ["# NAME", "", f"{name} - {summary}", "", *sections_of(pathlib.Path(document).read_text(encoding="utf-8")), "",
             "# SEE ALSO", "", ", ".join(re.sub(r"(.*)\((\d)\)", r"**\1**(\2)", page) for page in others)]
    metadata = {"title": name.upper(), "section": section, "source": f"Drover {version}", "volume": "Drover", "date": date_of(os.environ.get("SOURCE_DATE_EPOCH"))}
    command = [lowdown, "-s", "-t", "man", "--nroff-nolinks", "--parse-no-super", "--parse-no-intraem"]
    made = subprocess.run([*command, *(f"-m{key}={value}" for key, value in metadata.items())], input="\n".join(lines) + "\n",
                          capture_output=True, text=True, check=True).stdout
    made = re.sub(r"^\.(SH|SS)\n(.*)$", r".\1 \2", made, flags=re.MULTILINE)  # what programs that look for NAME expect
    made = made.replace(".SH NAME\n.LP\n", ".SH NAME\n", 1).replace(f"{name} - {summary}", f"{name} \\- {summary}", 1)
    made = re.sub(r"^(\.TH .*)$", r"\1\n.ad l", made, count=1, flags=re.MULTILINE)  # tables are too narrow for even lines
    sys.stdout.write(made.replace("\\fC", "\\fB"))  # a terminal has no second typeface for code


if __name__ == "__main__":
    main()
