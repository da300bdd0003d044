#!/usr/bin/env python3
"""Holds the arrows between the folders: reads every #include of ours and refuses those that point the wrong way, and
refuses circles of files, in which each needs the others.

MAY_USE has a row a folder; docs/architecture.md draws the same picture. The pure core, server/sim, uses the C library and a
few leaf headers of common.

usage: layers.py [ROOT]          prints FILE:LINE: RULE for every wrong include and a line for every circle; exit code 1
                                 when there is one
       layers.py --self-test     proves that each rule catches its wrong include
"""

import collections
import posixpath
import re
import sys

import checking

TOPS = ("common", "server", "clients", "viewer", "web")
SOURCES = (".c", ".h", ".cpp", ".hpp")

# A folder may use itself and the folders and files of its row; "common" stands for all folders of common, and so on.
MAY_USE = {
    "common/base": "",
    "common/text": "common/base",
    "common/json": "common/base common/text",
    "common/system": "common/base common/text common/json",
    "common/snapshot": "common/base common/text common/json",
    "common/protocol": "common/base common/text common/json common/snapshot",
    "server/sim/math": "",
    "server/sim/space": "server/sim/math",
    "server/sim/scenery": "server/sim/math server/sim/space",
    "server/sim/steering": "server/sim/math server/sim/space server/sim/scenery",
    "server/sim/kernels": "server/sim/math server/sim/space server/sim/scenery server/sim/steering",
    "server/sim/world": "server/sim/math server/sim/space server/sim/scenery server/sim/steering server/sim/kernels",
    "server/sim/tick": "server/sim",
    "server/scenario": "server/sim common/base common/text common/json common/snapshot common/protocol",
    "server/frames": "server/sim common/base common/text common/json common/snapshot common/protocol",
    "server/commands": "server/frames server/scenario server/sim common/base common/text common/json common/snapshot common/protocol",
    "server/recording": "server/commands server/frames server/scenario server/sim common/base common/text common/json common/snapshot common/protocol",
    "server/embed": "server/recording server/commands server/frames server/scenario server/sim common/base common/text common/json common/snapshot common/protocol",
    "server/storage": "server/recording server/commands server/frames server/scenario server/sim common",
    "server/exchange": "server/frames common",
    "server/library": "server/storage server/recording server/exchange server/commands server/scenario server/sim common",
    "server/simulation": "server/storage server/recording server/exchange server/library server/commands server/frames server/scenario server/sim common",
    "server/net": "common/base common/text common/system common/protocol/line_reader.h",
    "server/sessions": "server/net server/exchange server/simulation server/commands server/frames common",
    "server/broadcast": "server/sessions server/net server/exchange server/simulation server/commands server/frames common",
    "server/loop": "server/broadcast server/sessions server/net server/exchange server/simulation server/commands server/frames server/options.h common",
    "server/web": "server/loop server/broadcast server/sessions server/net server/exchange server/library server/simulation server/commands server/frames server/options.h common",
    "server/cluster": "server/server_main.h server/options.h server/storage server/simulation server/commands server/recording server/scenario server/sim common",
    "server": "server common",
    "clients/c": "common",
    "clients/mqtt": "clients/c/include common",
    "clients/drover/live": "clients/drover/command.h clients/c/include common",
    "clients/drover/run": "clients/drover/command.h clients/drover/player.h server/library/scenario_library.h server/storage server/recording server/commands server/frames server/scenario server/sim common",
    "clients/drover": "clients/drover/live server/simulation/worker_pool.h server/storage server/recording server/commands server/frames server/scenario server/sim common",
    "viewer/link": "clients/c/include common",
    "viewer/platform": "viewer/draw viewer/explain viewer/model viewer/link common",
    "viewer/model": "viewer/link common",
    "viewer/explain": "viewer/model viewer/link common",
    "viewer/draw": "viewer/explain viewer/model viewer/link common",
    "viewer/panels": "viewer/draw viewer/explain viewer/model viewer/link common",
    "viewer/app": "viewer common",
    "viewer": "viewer common",
    "web": "viewer clients/c/include common",
    "web/server": "server web/page_host.h common",
}
CORE = "server/sim/"  # the pure core
# The rest of drover_world, the library without threads, sockets, files and a clock. (stdio: for text in memory.)
WORLD = ("server/scenario", "server/frames", "server/commands", "server/recording", "server/embed")
# What server/sim may take from common: headers that need nothing but the C library themselves.
LEAVES = {"common/base/vec2.h", "common/base/limits.h", "common/base/field.h", "common/base/geometry.h", "common/base/nodiscard.h"}

# The part of the C library that does no I/O and reads no clock. (stdatomic: for the word that a tick is given up.)
PURE_C = {
    f"{name}.h"
    for name in "assert float inttypes limits math stdalign stdatomic stdbool stddef stdint stdlib string".split()
}
# SIMD instructions, in the one header that wraps them.
LANES, INTRINSICS = "server/sim/math/lanes.h", {"emmintrin.h", "immintrin.h", "wasm_simd128.h"}
C_AND_POSIX = PURE_C | {
    f"{name}.h"
    for name in "ctype errno fenv iso646 locale setjmp signal stdarg stdio stdnoreturn threads time uchar wchar "
    "dirent fcntl getopt ifaddrs netdb poll pthread sched semaphore strings unistd "
    "arpa/inet net/if netinet/in netinet/tcp "
    "spawn sys/file sys/ioctl sys/mman sys/prctl sys/resource sys/socket sys/stat sys/statvfs sys/time sys/types sys/un sys/wait termios".split()
}
# Third-party headers: (pattern of the header, pattern of the files that may include it, the text of the rule)
LIBRARIES = [
    (re.compile(r"^cjson/|^cJSON"), re.compile(r"^common/|^server/(scenario|recording|embed)/|^clients/c/|^web/page_panels_take\.c$"),
     "cJSON only in common, server/scenario, server/recording, server/embed, clients/c and web/page_panels_take.c"),
    (re.compile(r"^uv(\.h|/)"), re.compile(r"^server/(net|sessions)/|^server/((loop|web)/)?[^/]*\.c$|^web/server/one_loop\.c$"),
     "uv.h only in server/net, server/sessions, server/loop/*.c, server/web/*.c, server/*.c and web/server/one_loop.c"),
    (re.compile(r"^microhttpd\.h$|^nettle/"), re.compile(r"^server/web/"), "microhttpd.h and nettle only in server/web"),
    (re.compile(r"^wslay/"), re.compile(r"^server/net/web_framing\.c$"), "wslay only in server/net/web_framing.c"),
    (re.compile(r"^mpi\.h$"), re.compile(r"^server/cluster/"), "mpi.h only in server/cluster: nothing else links MPI"),
    (re.compile(r"^zstd\.h$"), re.compile(r"^server/storage/"), "zstd.h only in server/storage"),
    (re.compile(r"^mosquitto\.h$"), re.compile(r"^clients/mqtt/"), "mosquitto.h only in clients/mqtt"),
    (re.compile(r"^hdf5\.h$"), re.compile(r"^clients/drover/hdf5_file\.c$"), "hdf5.h only in clients/drover/hdf5_file.c"),
    (re.compile(r"^geos_c\.h$"), re.compile(r"^clients/drover/command_import\.c$"), "geos_c.h only in clients/drover/command_import.c"),
    (re.compile(r"^curl/"), re.compile(r"^viewer/link/seconds_fetch\.c$"), "libcurl only in viewer/link/seconds_fetch.c"),
    (re.compile(r"^linux/tcp\.h$"), re.compile(r"^server/net/peer_window\.c$"), "linux/tcp.h only in server/net/peer_window.c"),
    (re.compile(r"^\w*intrin\.h$"), re.compile(r"^common/text/base64\.c$"), "SIMD instructions outside the core only in common/text/base64.c"),
    (re.compile(r"^(winsock2|ws2tcpip)\.h$"), re.compile(r"^clients/c/system_sockets"), "Winsock only in clients/c/system_sockets*"),
    (re.compile(r"^wasi/"), re.compile(r"^web/page_wasi\.c$"), "WASI only in web/page_wasi.c"),
    (re.compile(r"^(SDL|imgui|imstb|stb)"), re.compile(r"^viewer/"), "SDL, ImGui and stb only in viewer"),
]
INCLUDE = re.compile(r"^\s*#\s*include\b\s*(?:<(?P<system>[^>]+)>|\"(?P<own>[^\"]+)\")?")


def folder_of(path):
    """The row of MAY_USE that a file belongs to: its folder, or the nearest one above it."""
    return next((folder for folder in sorted(MAY_USE, key=len, reverse=True) if path.startswith(folder + "/")), None)


def may_use(folder, target):
    return folder_of(target) == folder or any(target == name or target.startswith(name + "/") for name in MAY_USE[folder].split())


def own_target(root, path, name):
    """What a quoted include means: a path from the root, or a file beside the one that includes it."""
    for candidate in (posixpath.normpath(name), posixpath.normpath(posixpath.join(posixpath.dirname(path), name))):
        if (root / candidate).is_file():
            return candidate
    return None


def wrong_own(root, path, folder, name):
    target = own_target(root, path, name)
    if target is None:
        return f'"{name}" is no file of ours (libraries are included with <>)'
    is_core = folder.startswith(CORE)
    if is_core and target in LEAVES:
        return None
    if path in LEAVES and target not in LEAVES:
        return f"{path} is a leaf that server/sim uses; it may include leaves and C library headers only, not {target}"
    if may_use(folder, target):
        return None
    allowed = [folder] + MAY_USE[folder].split() + (sorted(LEAVES) if is_core else [])
    return f"{folder} may not include {target}; allowed: {', '.join(allowed)}"


def wrong_system(path, folder, name):
    if folder.startswith(CORE) or path in LEAVES:
        if name in PURE_C or (path == LANES and name in INTRINSICS):
            return None
        return f"{path} belongs to the pure core: <{name}> is not one of the C headers {', '.join(sorted(PURE_C))}"
    if folder in WORLD and name in C_AND_POSIX - PURE_C - {"ctype.h", "errno.h", "stdarg.h", "stdio.h"}:
        return f"{folder} belongs to drover_world, which has no threads, sockets, files and clock: <{name}>"
    for header, files, rule in LIBRARIES:
        if header.match(name):
            return None if files.match(path) else f"<{name}>: {rule}"
    if name in C_AND_POSIX or (path.endswith((".cpp", ".hpp")) and re.fullmatch(r"[a-z_]+", name)):
        return None
    return f"<{name}> is not on the list of known headers (tests/checks/layers.py)"


def sources(root):
    """Path -> text of every file of ours at root."""
    files = sorted(p for top in TOPS for p in (root / top).rglob("*") if p.suffix in SOURCES)
    return {file.relative_to(root).as_posix(): file.read_text(encoding="utf-8") for file in files}


def wrong_includes(root, files):
    for path, text in files.items():
        folder = folder_of(path)
        if folder is None:
            yield f"{path}:1: no row of MAY_USE (tests/checks/layers.py) has this folder"
            continue
        for number, line in enumerate(text.splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            if match["own"]:
                rule = wrong_own(root, path, folder, match["own"])
            elif match["system"]:
                rule = wrong_system(path, folder, match["system"])
            else:
                rule = "an #include must name its file"
            if rule:
                yield f"{path}:{number}: {rule}"


# --- circles of files ---------------------------------------------------------------------------------------------------

NOT_CODE = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
# clang-format puts the first word of a definition in the first column.
DEFINED = re.compile(r"^(?!static\b|typedef\b|return\b|else\b)[A-Za-z_][\w \*]*?\b(\w+)\([^;{}]*?\)\s*\{", re.M)
STATIC = re.compile(r"^static[\w \*]*?\b(\w+)[\(\[ =]", re.M)
DECLARED = re.compile(r"\b(\w+)\(")


def module_of(path):
    """a/b.c, a/b.h and a/b.inc.h are the module a/b."""
    return re.sub(r"\.(inc\.h|c|h|cpp|hpp)$", "", path)


def headers_of(path, includes, seen):
    """What a file includes, directly or through other headers of ours."""
    for name in includes[path]:
        if name not in seen:
            seen.add(name)
            headers_of(name, includes, seen)
    return seen


def arrows(files):
    """Module -> the modules it needs: of a header what it includes, of a source whose functions it uses."""
    includes = {path: {m["own"] for m in map(INCLUDE.match, text.splitlines()) if m and m["own"] in files} for path, text in files.items()}
    code = {path: NOT_CODE.sub(" ", text) for path, text in files.items()}
    declared = {path: set(DECLARED.findall(text)) for path, text in code.items() if path.endswith(("h", "hpp"))}
    homes = collections.defaultdict(set)
    for path, text in code.items():
        if path not in declared:
            for name in DEFINED.findall(text):
                homes[name].add(module_of(path))
    needs = collections.defaultdict(set)
    for path, text in code.items():
        module = module_of(path)
        if path in declared:
            needs[module] |= {module_of(name) for name in includes[path]}
            continue
        seen = set().union(*(declared[name] for name in headers_of(path, includes, set()) if name in declared))
        for name in (set(re.findall(r"\w+", text)) & seen) - set(STATIC.findall(text)):
            if len(homes[name]) == 1 and module not in homes[name]:
                needs[module] |= homes[name]
    return {module: used - {module} for module, used in needs.items()}


def circles(needs):
    """Groups of modules in which each can be reached from each other."""
    reach = {}
    for start in needs:
        seen, todo = set(), list(needs[start])
        while todo:
            module = todo.pop()
            if module not in seen:
                seen.add(module)
                todo += needs.get(module, ())
        reach[start] = seen
    groups = {tuple(sorted(b for b in reach[a] if a in reach.get(b, ()))) for a in needs if a in reach[a]}
    return sorted(groups)


def wrong_circles(files):
    needs = arrows(files)
    for circle in circles(needs):
        inside = [f"{a} -> {b}" for a in circle for b in sorted(needs[a]) if b in circle]
        yield f"circle of files: {', '.join(inside)}; the arrows between files point one way"


def check(root):
    """The complaints about the tree at root, one string each."""
    files = sources(root)
    return [*wrong_includes(root, files), *wrong_circles(files)]


# (file, its only line, whether it must be refused)
SELF_TEST = [
    ("server/sim/math/lanes.h", "#include <immintrin.h>", False),
    ("server/sim/math/lanes.h", "#include <wasm_simd128.h>", False),
    ("server/sim/space/grid.c", "#include <immintrin.h>", True),
    ("common/text/base64.c", "#include <immintrin.h>", False),
    ("common/base/buffer.c", "#include <immintrin.h>", True),
    ("viewer/a.c", '#include "common/base/vec2.h"', False),
    ("viewer/a.c", '#include "server/sim/world/world.h"', True),
    ("viewer/a.c", '#include "../server/exchange/command_queue.h"', True),
    ("viewer/a.c", "#include <SDL2/SDL.h>", False),
    ("viewer/a.c", "#include <uv.h>", True),
    ("viewer/link/a.c", "#include <uv.h>", True),
    ("viewer/link/a.c", '#include "clients/c/include/drover/drover.h"', False),
    ("viewer/link/a.c", '#include "clients/c/handle.h"', True),
    ("viewer/app/a.c", '#include "clients/c/include/drover/drover.h"', True),
    ("viewer/panels/panels.cpp", "#include <vector>", False),
    ("viewer/a.c", "#include <cjson/cJSON.h>", True),
    ("server/net/a.c", '#include "common/base/buffer.h"', False),
    ("server/net/a.c", '#include "common/protocol/line_reader.h"', False),
    ("server/net/a.c", '#include "common/protocol/request.h"', True),
    ("server/net/a.c", '#include "server/exchange/command_queue.h"', True),
    ("server/sessions/a.h", "#include <uv.h>", False),
    ("server/net/a.c", '#include "server/sim/world/world.h"', True),
    ("server/net/a.c", "#include <SDL.h>", True),
    ("server/a.c", '#include "server/sim/world/world.h"', False),
    ("server/a.c", '#include "viewer/app/a.h"', True),
    ("server/a.c", "#include <uv.h>", False),
    ("server/a.h", "#include <uv.h>", True),
    ("server/a.c", "#include <cjson/cJSON.h>", True),
    ("server/scenario/scenario.c", "#include <cjson/cJSON.h>", False),
    ("server/a.c", "#include <imgui.h>", True),
    ("server/a.c", "#include <curl/curl.h>", True),
    ("server/a.c", "#include HEADER", True),
    ("server/sim/world/a.c", '#include "common/base/vec2.h"', False),
    ("server/sim/world/a.c", '#include "common/base/buffer.h"', True),
    ("server/sim/world/a.c", '#include "server/exchange/command_queue.h"', True),
    ("server/sim/world/a.c", "# include <stdio.h>", True),
    ("server/sim/world/a.c", "#include <time.h>", True),
    ("server/sim/world/a.c", "#include <math.h>", False),
    ("server/sim/world/a.c", "#include <uv.h>", True),
    ("common/base/a.c", '#include "server/sim/world/world.h"', True),
    ("common/base/a.c", '#include "viewer/app/a.h"', True),
    ("common/base/a.c", "#include <uv.h>", True),
    ("common/base/a.c", "#include <stb/stb_image_write.h>", True),
    ("common/base/a.c", "#include <cjson/cJSON.h>", False),
    ("common/base/field.h", '#include "common/base/buffer.h"', True),
    ("common/base/field.h", "#include <stdio.h>", True),
    ("common/base/a.c", '#include "common/nowhere.h"', True),
    ("common/base/a.c", '#include "common/text/utf8.h"', True),
    ("common/text/a.c", '#include "common/base/buffer.h"', False),
    ("server/sim/math/a.c", '#include "server/sim/world/world.h"', True),
    ("server/commands/a.c", '#include "viewer/app/a.h"', True),
    ("server/sim/space/a.c", '#include "common/base/vec2.h"', False),
    ("viewer/draw/a.c", '#include "viewer/app/a.h"', True),
    ("viewer/app/a.c", '#include "viewer/app/a.h"', False),
    ("server/commands/a.c", "#include <pthread.h>", True),
    ("server/scenario/a.c", "#include <sys/socket.h>", True),
    ("server/frames/a.c", "#include <time.h>", True),
    ("server/frames/a.c", "#include <stdio.h>", False),
    ("server/frames/a.c", "#include <uv.h>", True),
    ("server/frames/a.c", '#include "common/system/log.h"', True),
    ("server/simulation/a.c", "#include <pthread.h>", False),
    ("server/cluster/a.c", "#include <mpi.h>", False),
    ("server/a.c", "#include <mpi.h>", True),
]


# (files and their texts, whether they are a circle)
CIRCLES = [
    ({"common/json/a.h": "int a(void);", "common/json/b.h": "int b(void);",
      "common/json/a.c": '#include "common/json/b.h"\nint a(void) {\n    return b();\n}\n',
      "common/json/b.c": '#include "common/json/a.h"\nint b(void) {\n    return a();\n}\n'}, True),
    ({"common/json/a.h": "int a(void);", "common/json/b.h": "int b(void);",
      "common/json/a.c": '#include "common/json/b.h"\nint a(void) {\n    return b();\n}\n',
      "common/json/b.c": '#include "common/json/a.h"\nstatic int a2(void) {\n    return 1;\n}\nint b(void) {\n    return a2();\n}\n'}, False),
    ({"common/json/a.h": '#include "common/json/b.h"', "common/json/b.h": '#include "common/json/a.h"'}, True),
]


def self_test():
    headers = sorted(LEAVES | {"clients/c/include/drover/drover.h", "clients/c/handle.h", "common/system/log.h", "common/protocol/line_reader.h", "common/protocol/request.h", "common/base/buffer.h", "common/text/utf8.h", "server/sim/world/world.h", "server/exchange/command_queue.h", "viewer/app/a.h"})
    mistakes = 0
    for path, line, refused in SELF_TEST:
        complaints = checking.judged(check, {**{name: "\n" for name in headers}, path: "/* first line */\n" + line + "\n"})
        right = (len(complaints) == 1 and complaints[0].startswith(f"{path}:2: ")) if refused else not complaints
        if not right:
            mistakes += 1
            print(f"self-test: {path}: {line}: should {'be' if refused else 'not be'} refused, got {complaints}")
    for files, refused in CIRCLES:
        complaints = checking.judged(check, files)
        if refused != any(complaint.startswith("circle of files: ") for complaint in complaints):
            mistakes += 1
            print(f"self-test: {sorted(files)}: should {'be' if refused else 'not be'} a circle, got {complaints}")
    print(f"self-test: {len(SELF_TEST)} includes, {len(CIRCLES)} pairs of files, {mistakes} judged wrongly")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(checking.run(check, self_test))
