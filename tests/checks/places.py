#!/usr/bin/env python3
"""Adds a behavior, a request, a layout, a toggle of the viewer, a list of its side panel and a column of agents to a copy of the
tree, builds it and uses each of them. Fails when one needs a file that its list in docs/architecture.md ("To add ...") does not name.

usage: places.py BUILD           BUILD: the folder of the copy and its build, a new or empty one or that of a run before;
                                 deleted afterwards, unless it fails
       places.py --edits         the edits alone: each place to edit exists, and the lists name exactly the edited files
"""

import fnmatch
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOPS = ("common", "server", "clients", "viewer", "web", "packaging", "tests", "cmake", "scenarios", "docs")
FILES = ("CMakeLists.txt", "CMakePresets.json", "protocol.md", "protocol.schema.json")
MARK = ".of-places.py"  # a file in the folder of the copy


class Edit:
    """Text that is put before or after the first line that a pattern finds in a file; without a pattern, a new file."""

    def __init__(self, path, text, before=None, after=None):
        self.path, self.text, self.before, self.after = path, text, before, after

    def apply(self, root):
        file = root / self.path
        if self.before is None and self.after is None:
            if file.exists():
                raise SystemExit(f"{self.path} exists already; choose another name in tests/checks/places.py")
            file.write_text(self.text, encoding="utf-8")
            return
        text = file.read_text(encoding="utf-8")
        match = re.search(self.before or self.after, text, re.MULTILINE)
        if match is None:
            raise SystemExit(f"{self.path}: no line matches {(self.before or self.after)!r} (tests/checks/places.py)")
        if self.before:
            at = text.rfind("\n", 0, match.start()) + 1
        else:
            at = text.index("\n", match.end()) + 1
        file.write_text(text[:at] + self.text + text[at:], encoding="utf-8")


HALT = """/* Coming to rest. See behavior.h. */
#include "server/sim/steering/behavior.h"
#include "server/sim/steering/behavior_fields.h"

const struct field behavior_halt_fields[] = {WEIGHT_ROW, TURN_ROWS, END_ROW};

/* Halt: brake to rest. */
struct steering_output behavior_halt(const struct behavior_def *behavior,
                                     const struct steering_context *context) {
    (void)behavior;
    return behavior_match_velocity(vec2_make(0.0f, 0.0f), context, context->exact_rate);
}
"""

COUNT_HANDLER = """
int apply_count_agents(struct apply *apply) {
    const struct world *world = apply->state->world;
    const struct request_count_agents *request = &apply->request->body.count_agents;
    int32_t count = world_agent_count(world);
    if (request->has_kind) {
        const int kind = command_find_kind(world, request->kind, &apply->failure);
        if (kind < 0) {
            return -1;
        }
        count = world_kind_population(world, kind);
    }
    apply_write_tick(apply);
    json_key_unsigned(apply->json, "count", (uint64_t)count);
    return 0;
}

"""

TALLY = """/* The "tally" layout: the number of agents in a view. */
#include <cjson/cJSON.h>

#include "common/snapshot/frame_layout.h"
#include "common/snapshot/snapshot.h"
#include "common/snapshot/snapshot_internal.h"

static void encode_frame(const struct snapshot_view *view, const struct snapshot *snapshot,
                         struct density *scratch, struct buffer *out) {
    struct snapshot_filter filter;
    int32_t count = 0;
    (void)scratch;
    snapshot_view_filter(view, snapshot, 0.0, &filter);
    for (int32_t row = 0; row < snapshot->count; row++) {
        count += snapshot_filter_passes(&filter, snapshot, row);
    }
    buffer_printf(out, "{\\"op\\":\\"tally\\",\\"tick\\":%llu,\\"time\\":", (unsigned long long)snapshot->tick);
    snapshot_append_fixed(out, snapshot->time_s, 6);
    buffer_printf(out, ",\\"n\\":%ld", (long)count);
    snapshot_append_targets(snapshot, out);
    buffer_append_text(out, ",\\"clock\\":");
    snapshot_append_fixed(out, snapshot->clock_ms, 3);
    buffer_append_text(out, "}\\n");
}

static enum frame_result decode_frame(const struct frame_reader *reader, const char *line, size_t length,
                                      struct failure *failure) {
    cJSON *json = snapshot_parse(line, length, failure);
    const bool is_read = json != NULL && snapshot_reserve(reader->snapshot, 1, 0, false) == 0;
    cJSON_Delete(json);
    return is_read ? FRAME_READY : FRAME_REFUSED;
}

const struct frame_layout frame_layout_tally = {
    .ops = {"tally"},
    .encode = encode_frame,
    .decode = decode_frame,
};
"""

TALLY_SCHEMA = """    "server_tally": {
      "type": "object",
      "required": ["op", "tick", "time", "n"],
      "properties": {"op": {"const": "tally"}}
    },
"""

# What is added, by the name that the list in docs/architecture.md has. Pages and the schema belong to a request and a layout.
PLACES = {
    "behavior": [
        Edit("server/sim/steering/behavior_list.h",
             "    X(HALT,            halt,            0, NEIGHBORS_UNUSED,  0,                0)                           \\\n",
             before=r"^    X\(CONTAIN,"),
        Edit("server/sim/steering/behavior_halt.c", HALT),
        Edit("server/sim/CMakeLists.txt", "  steering/behavior_halt.c\n", after=r"^  steering/behavior_geometry\.c"),
    ],
    "request": [
        Edit("common/protocol/request.h", "    REQUEST_COUNT_AGENTS,\n", before=r"^    REQUEST_OP_COUNT"),
        Edit("common/protocol/request.h",
             "struct request_count_agents {\n    bool has_kind;\n    char kind[LIMIT_NAME_CHARS + 1]; /* \"\": all agents */\n};\n\n",
             before=r"^struct request_help \{"),
        Edit("common/protocol/request.h", "        struct request_count_agents count_agents;\n",
             before=r"^        struct request_remove_obstacle remove_obstacle;"),
        Edit("common/protocol/request_table.c",
             "static const struct field count_agents_fields[] = {\n"
             "    NAME(struct request_count_agents, kind, 0, \"One kind; all when left out.\",\n"
             "         FIELD_HAS(struct request_count_agents, has_kind)),\n    END,\n};\n\n",
             before=r"^#define ANSWERS REQUEST_TRAIT_ANSWERS"),
        Edit("common/protocol/request_table.c",
             "    [REQUEST_COUNT_AGENTS] = {\"count_agents\", ROLE_VIEWER, WORLD | ANSWERS | QUERY, count_agents_fields,\n"
             "        NULL, NULL, STRIPES_TOO},\n",
             before=r"^    \[REQUEST_REMOVE_OBSTACLE\] = \{"),
        Edit("server/commands/command_internal.h", "    X(REQUEST_COUNT_AGENTS, apply_count_agents)       \\\n",
             before=r"^    X\(REQUEST_REMOVE_OBSTACLE, "),
        Edit("server/commands/command_query.c", COUNT_HANDLER, before=r"^int apply_inspect\("),
    ],
    "layout": [
        Edit("common/snapshot/frame_layout.h",
             "    ROW(TALLY, tally)                                                                                        \\\n",
             before=r"^    ROW\(EVENTS, events\)"),
        Edit("common/snapshot/snapshot_tally.c", TALLY),
        Edit("common/CMakeLists.txt", "  snapshot/snapshot_tally.c\n", before=r"^  system/log_line\.c"),
    ],
    "toggle": [
        Edit("viewer/model/view_settings.h", "    bool shows_middle;   /* of the world */\n", after=r"^    bool shows_network;"),
        Edit("viewer/model/shortcuts.c", "    TOGGLE(KEY_M, \"M\", \"middle of the world\", \"middle\", shows_middle),\n",
             before=r"^    TOGGLE\(KEY_F2, "),
        Edit("viewer/draw/scene.c",
             "    if (scene->settings->shows_middle) {\n"
             "        canvas_draw_ring(canvas, vec2_scale(vec2_add(low, high), 0.5f), 9.0f * scene->pixel_scale, 2.0f,\n"
             "                         theme_color(canvas->palette, THEME_TEXT));\n    }\n",
             before=r"^    scenery_draw\(&scene->server->scenario"),
    ],
    "list": [
        Edit("viewer/panels/panels.h", "    struct panels_row past_rows[PANELS_ROWS]; /* how far back one can look */\n    int past_row_count;\n",
             before=r"^    struct panels_ranks ranks;"),
        Edit("viewer/panels/panel_controls.h", "    PANEL_PAST,\n", before=r"^    PANEL_PARAMS,"),
        Edit("viewer/panels/panel_controls.c",
             "    [PANEL_PAST] = {\"past\", \"Past\", SHORTCUT_NONE, AT(past_row_count), AT(past_rows), AT(past_row_count)},\n",
             before=r"^    \[PANEL_PARAMS\]"),
        Edit("viewer/panels/hud.c",
             "    if (!input->playhead->is_live) {\n"
             "        hud_add_row(view->past_rows, &view->past_row_count, \"shown\", view->past);\n    }\n",
             before=r"^    fill_profile\(input, view\);"),
    ],
    "column": [
        Edit("server/sim/world/world_columns.h",
             "    X(15, uint8_t, spare, 0, true, hash_byte, BY_ROW, true)                                                  \\\n",
             before=r"^    X\(0, int32_t, rank,"),
        Edit("docs/architecture.md", "| `spare` | hashed | `unit.world` |\n", before=r"^\| .*`rank`"),
    ],
}
# Files of a list that a page needs and the build does not: the checks of the pages ask for them.
PAGES = {"behavior": ["docs/scenarios.md", "scenarios/NAME.json"], "request": ["protocol.md", "protocol.schema.json"],
         "layout": ["protocol.md", "protocol.schema.json"]}
TARGETS = "drover-server drover-viewer test_admission test_command_apply test_request test_frame_layout test_world " \
          "test_whole_state test_world_library test_viewer_app test_viewer_hud".split()
SCENARIO = """{"name": "Halt", "world": {"size": [400, 300]},
 "kinds": {"walker": {"max_speed": 100, "max_force": 200, "behaviors": [{"halt": {}}]}},
 "agents": [{"kind": "walker", "count": 5, "in": {"rect": [0, 0, 400, 300]}}]}
"""


# --- the lists of docs/architecture.md ---------------------------------------------------------------------------------

def listed(root, name):
    """The paths of the list after <!-- places: NAME -->."""
    text = (root / "docs/architecture.md").read_text(encoding="utf-8")
    match = re.search(rf"<!-- places: {name} -->\n(.*?)(?=\n#|\n<!--|\Z)", text, re.DOTALL)
    if match is None:
        raise SystemExit(f"docs/architecture.md has no list <!-- places: {name} -->")
    rows = re.findall(r"^[-*\d.]+ (.*(?:\n  .*)*)", match[1], re.MULTILINE)
    return [path for row in rows for path in re.findall(r"`([\w./*-]+\.(?:c|h|md|json|txt))`", row)]


def agrees(path, entry):
    """Whether a file is what an entry of a list says: NAME and * stand for any name."""
    return fnmatch.fnmatch(path, entry.replace("NAME", "*"))


def wrong_lists(root):
    for name, edits in PLACES.items():
        entries, paths = listed(root, name), {edit.path for edit in edits}
        for path in sorted(paths):
            if not any(agrees(path, entry) for entry in entries):
                yield f"{name}: needs {path}, which its list in docs/architecture.md does not name"
        for entry in entries:
            known = paths | set(PAGES.get(name, []))
            if not any(agrees(path, entry) for path in known) and "loop/" not in entry:
                yield f"{name}: docs/architecture.md lists {entry}, which is not needed"


# --- the copy ----------------------------------------------------------------------------------------------------------

def run(*command, where, **options):
    result = subprocess.run([str(word) for word in command], cwd=where, capture_output=True, text=True, check=False, timeout=900, **options)
    if result.returncode != 0:
        print(f"{where}: {' '.join(map(str, command))}: exit code {result.returncode}")
        print((result.stdout + result.stderr)[-6000:])
        raise SystemExit(1)
    return result.stdout


def empty_folder(argument):
    """The folder of the copy, empty. Refuses one that has files which are not of a run before."""
    folder = pathlib.Path(argument).resolve()
    if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not (folder / MARK).is_file())
                            or (folder / ".git").exists() or folder in (ROOT, *ROOT.parents)):
        raise SystemExit(f"{argument}: has files that are not of places.py; allowed: a new or empty folder, or that of a run before")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / MARK).touch()
    return folder


def copy_tree(to):
    for top in TOPS:
        shutil.copytree(ROOT / top, to / top, ignore=shutil.ignore_patterns("__pycache__", "pictures", "images"))
    for name in FILES:
        shutil.copy(ROOT / name, to / name)


def build(tree):
    run("cmake", "-S", tree, "-B", tree / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=-O1",
        "-DCMAKE_CXX_FLAGS_DEBUG=-O0", "-DDROVER_BENCH=OFF", where=tree)
    run("cmake", "--build", tree / "build", "--target", *TARGETS, where=tree)


# --- use ---------------------------------------------------------------------------------------------------------------

def use_server(tree):
    """The behavior, the request and the layout, asked for as a client would."""
    os.environ["DROVER_SERVER"] = str(tree / "build/bin/drover-server")
    sys.path.insert(0, str(tree / "tests/e2e"))
    import drover_client  # of the copy  # pylint: disable=import-outside-toplevel
    drover_client.CHECKED_BYTES = 0  # the schema of the copy does not know what is new
    (tree / "scenarios/halting.json").write_text(SCENARIO, encoding="utf-8")
    with drover_client.Server("halting", "--scenarios", tree / "scenarios") as server:
        with drover_client.Client(server.port) as client:
            assert "halt" in str(client.request("list", what="behaviors")), "list does not name the new behavior"
            reply = client.request("count_agents", kind="walker")
            assert reply["count"] == 5, f"count_agents: {reply}"
            client.request("subscribe", layout="tally", hz=60)
            while (frame := client.receive())["op"] != "tally":
                pass
            assert frame["n"] == 5, f"tally: {frame}"
            picture(tree, server.port)


def picture(tree, port):
    """The toggle: the settings file turns it on, and the picture shows it."""
    pictures = []
    for value in ("true", "false"):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "drover").mkdir()
            (pathlib.Path(folder) / "drover/viewer.json").write_text(f'{{"middle":{value}}}\n', encoding="utf-8")
            run(tree / "build/bin/drover-viewer", f"127.0.0.1:{port}", "--headless", "--frames", 30, "--fixed-dt", 10,
                "--screenshot", tree / f"{value}.png", where=tree, env={**os.environ, "XDG_CONFIG_HOME": folder})
        pictures.append((tree / f"{value}.png").read_bytes())
    assert pictures[0] != pictures[1], "the picture does not show the new toggle"


def use(tree):
    for test in (target for target in TARGETS if target.startswith("test_")):
        run(tree / f"build/bin/{test}", where=tree, env={**os.environ, "XDG_CONFIG_HOME": str(tree / "no-settings")})
    for check in ("layers", "layouts", "behavior_identity", "banned"):
        run(sys.executable, tree / f"tests/checks/{check}.py", where=tree)
    use_server(tree)


def main(arguments):
    complaints = list(wrong_lists(ROOT))
    print("\n".join(complaints))
    if complaints:
        return 1
    if len(arguments) != 1 or arguments[0].startswith("-") and arguments != ["--edits"]:
        raise SystemExit(__doc__)
    tree = empty_folder(tempfile.mkdtemp() if arguments == ["--edits"] else arguments[0])
    copy_tree(tree)
    for edits in PLACES.values():
        for edit in edits:
            edit.apply(tree)
    if arguments != ["--edits"]:
        build(tree)
        use(tree)
    shutil.rmtree(tree)
    for name, edits in PLACES.items():
        print(f"{name}: {len({edit.path for edit in edits})} files")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
