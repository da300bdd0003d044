#!/usr/bin/env python3
"""Holds the arrows between the layers: reads every #include of ours and refuses those that point the wrong way.

    viewer -> clients/c, common        clients/c -> common        server -> server/net, drover_world, common        server/net -> common
    drover_world (server/scenario, frames, commands) -> server/sim, common without common/system; commands -> frames, scenario
    server/sim -> the C library and a few leaf headers of common            common -> cJSON only

usage: layers.py [ROOT]          prints FILE:LINE: RULE for every wrong include; exit code 1 when there is one
       layers.py --self-test     proves that each rule catches its wrong include
"""

import pathlib
import posixpath
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAYERS = ("common", "server/sim", "server/scenario", "server/frames", "server/commands", "server/net", "server", "clients/c", "viewer")  # longest prefix of a path first
MAY_USE = {
    "common": {"common"},
    "server/sim": {"server/sim"},
    "server/net": {"server/net", "common"},
    "server/scenario": {"server/scenario", "server/sim", "common"},
    "server/frames": {"server/frames", "server/sim", "common"},
    "server/commands": {"server/commands", "server/frames", "server/scenario", "server/sim", "common"},
    "server": {"server", "server/net", "server/sim", "server/scenario", "server/frames", "server/commands", "common"},
    "clients/c": {"clients/c", "common"},
    "viewer": {"viewer", "clients/c", "common"},
}
# drover_world without the core: no threads, sockets, files or clock. <stdio.h> is for snprintf; world_symbols.py finds the rest.
WORLD = {"server/scenario", "server/frames", "server/commands"}
# What server/sim may take from common: headers that need nothing but the C library themselves.
LEAVES = {"common/base/vec2.h", "common/base/limits.h", "common/base/field.h", "common/base/geometry.h", "common/base/nodiscard.h"}

# The part of the C library that does no I/O and reads no clock. (stdatomic: for the word that a tick is given up.)
PURE_C = {
    f"{name}.h"
    for name in "assert float inttypes limits math stdalign stdatomic stdbool stddef stdint stdlib string".split()
}
WORLD_C = PURE_C | {"ctype.h", "stdarg.h", "stdio.h"}
# SIMD instructions, in the one header that wraps them.
LANES, INTRINSICS = "server/sim/math/lanes.h", {"emmintrin.h", "immintrin.h"}
C_AND_POSIX = PURE_C | {
    f"{name}.h"
    for name in "ctype errno fenv iso646 locale setjmp signal stdarg stdio stdnoreturn threads time uchar wchar "
    "dirent fcntl getopt netdb poll pthread sched semaphore strings unistd "
    "arpa/inet net/if netinet/in netinet/tcp "
    "spawn sys/mman sys/resource sys/socket sys/stat sys/time sys/types sys/un sys/wait".split()
}
# Third-party headers: (pattern of the header, pattern of the files that may include it, how the rule is told)
LIBRARIES = [
    (re.compile(r"^cjson/|^cJSON"), re.compile(r"^common/|^server/scenario/"), "cJSON only in common and server/scenario"),
    (re.compile(r"^uv(\.h|/)"), re.compile(r"^server/net/|^server/(broadcast/|sessions/)?[^/]*\.c$|^clients/c/connection\.c$"),
     "uv.h only in server/net, server/*.c, server/broadcast, server/sessions and clients/c/connection.c"),
    (re.compile(r"^linux/tcp\.h$"), re.compile(r"^server/net/peer_window\.c$"), "linux/tcp.h only in server/net/peer_window.c"),
    (re.compile(r"^\w*intrin\.h$"), re.compile(r"^common/text/base64\.c$"), "SIMD instructions outside the core only in common/text/base64.c"),
    (re.compile(r"^(SDL|imgui|imstb|stb)"), re.compile(r"^viewer/"), "SDL, ImGui and stb only in viewer"),
]
INCLUDE = re.compile(r"^\s*#\s*include\b\s*(?:<(?P<system>[^>]+)>|\"(?P<own>[^\"]+)\")?")


def layer_of(path):
    return next((layer for layer in sorted(LAYERS, key=len, reverse=True) if path.startswith(layer + "/")), None)


def own_target(root, path, name):
    """What a quoted include means: a path from the root, or a file beside the one that includes it."""
    for candidate in (posixpath.normpath(name), posixpath.normpath(posixpath.join(posixpath.dirname(path), name))):
        if (root / candidate).is_file():
            return candidate
    return None


def wrong_own(root, path, layer, name):
    target = own_target(root, path, name)
    if target is None:
        return f'"{name}" is no file of ours (libraries are included with <>)'
    if layer == "server/sim" and target in LEAVES:
        return None
    if path in LEAVES and target not in LEAVES:
        return f"{path} is a leaf that server/sim uses; it may include leaves and C library headers only, not {target}"
    if layer in WORLD and target.startswith("common/system/"):
        return f"{layer} is part of drover_world, which reads no files, clocks or logs: not {target}"
    if layer_of(target) in MAY_USE[layer]:
        return None
    allowed = sorted(LEAVES) if layer == "server/sim" else []
    return f"{layer} may not include {target}; allowed: {', '.join(sorted(MAY_USE[layer]) + allowed)}"


def wrong_system(path, layer, name):
    if layer == "server/sim" or path in LEAVES:
        if name in PURE_C or (path == LANES and name in INTRINSICS):
            return None
        return f"{path} belongs to the pure core: <{name}> is not one of the C headers {', '.join(sorted(PURE_C))}"
    if layer in WORLD and not name.startswith("cjson/") and name not in WORLD_C:
        return f"{path} is part of drover_world: <{name}> is not one of the C headers {', '.join(sorted(WORLD_C))}"
    for header, files, rule in LIBRARIES:
        if header.match(name):
            return None if files.match(path) else f"<{name}>: {rule}"
    if name in C_AND_POSIX or (path.endswith(".cpp") and re.fullmatch(r"[a-z_]+", name)):
        return None
    return f"<{name}> is not on the list of known headers (tests/checks/layers.py)"


def check(root):
    """The complaints about the tree at root, one string each."""
    complaints = []
    for file in sorted(p for layer in ("common", "server", "clients", "viewer") for p in (root / layer).rglob("*")):
        if file.suffix not in (".c", ".h", ".cpp", ".inl"):
            continue
        path = file.relative_to(root).as_posix()
        layer = layer_of(path)
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            if match["own"]:
                rule = wrong_own(root, path, layer, match["own"])
            elif match["system"]:
                rule = wrong_system(path, layer, match["system"])
            else:
                rule = "an #include must name its file"
            if rule:
                complaints.append(f"{path}:{number}: {rule}")
    return complaints


# (file, its only line, whether it must be refused)
SELF_TEST = [
    ("server/sim/math/lanes.h", "#include <immintrin.h>", False),
    ("server/sim/space/grid.c", "#include <immintrin.h>", True),
    ("common/text/base64.c", "#include <immintrin.h>", False),
    ("common/base/buffer.c", "#include <immintrin.h>", True),
    ("viewer/a.c", '#include "common/base/vec2.h"', False),
    ("viewer/a.c", '#include "server/sim/world/world.h"', True),
    ("viewer/a.c", '#include "../server/command.h"', True),
    ("viewer/a.c", "#include <SDL2/SDL.h>", False),
    ("viewer/a.c", "#include <uv.h>", True),
    ("clients/c/connection.c", "#include <uv.h>", False),
    ("viewer/panels/panels.cpp", "#include <vector>", False),
    ("viewer/a.c", "#include <cjson/cJSON.h>", True),
    ("server/net/a.c", '#include "common/base/buffer.h"', False),
    ("server/net/a.c", '#include "server/simulation/command.h"', True),
    ("server/net/a.c", '#include "server/sim/world/world.h"', True),
    ("server/net/a.c", "#include <SDL.h>", True),
    ("server/a.c", '#include "server/sim/world/world.h"', False),
    ("server/a.c", '#include "viewer/a.h"', True),
    ("server/a.c", "#include <uv.h>", False),
    ("server/a.h", "#include <uv.h>", True),
    ("server/a.c", "#include <cjson/cJSON.h>", True),
    ("server/scenario/scenario.c", "#include <cjson/cJSON.h>", False),
    ("server/commands/a.c", "#include <cjson/cJSON.h>", True),
    ("server/commands/a.c", "#include <stdio.h>", False),
    ("server/commands/a.c", "#include <stdatomic.h>", False),
    ("server/commands/a.c", "#include <pthread.h>", True),
    ("server/commands/a.c", "#include <threads.h>", True),
    ("server/commands/a.c", "#include <time.h>", True),
    ("server/commands/a.c", "#include <uv.h>", True),
    ("server/commands/a.c", "#include <sys/socket.h>", True),
    ("server/frames/a.c", "#include <unistd.h>", True),
    ("server/frames/a.h", "#include <fcntl.h>", True),
    ("server/scenario/a.c", "#include <dirent.h>", True),
    ("server/scenario/a.c", '#include "server/sim/world/world.h"', False),
    ("server/scenario/a.c", '#include "common/base/buffer.h"', False),
    ("server/scenario/a.c", '#include "common/system/log.h"', True),
    ("server/scenario/a.c", '#include "server/commands/command.h"', True),
    ("server/frames/a.c", '#include "server/commands/command.h"', True),
    ("server/commands/a.c", '#include "server/a.h"', True),
    ("server/simulation/a.c", "#include <pthread.h>", False),
    ("server/a.c", "#include <imgui.h>", True),
    ("server/a.c", "#include <curl/curl.h>", True),
    ("server/a.c", "#include HEADER", True),
    ("server/sim/a.c", '#include "common/base/vec2.h"', False),
    ("server/sim/a.c", '#include "common/base/buffer.h"', True),
    ("server/sim/a.c", '#include "server/simulation/command.h"', True),
    ("server/sim/a.c", "# include <stdio.h>", True),
    ("server/sim/a.c", "#include <time.h>", True),
    ("server/sim/a.c", "#include <math.h>", False),
    ("server/sim/a.c", "#include <uv.h>", True),
    ("common/a.c", '#include "server/sim/world/world.h"', True),
    ("common/a.c", '#include "viewer/a.h"', True),
    ("common/a.c", "#include <uv.h>", True),
    ("common/a.c", "#include <stb/stb_image_write.h>", True),
    ("common/a.c", "#include <cjson/cJSON.h>", False),
    ("common/base/field.h", '#include "common/base/buffer.h"', True),
    ("common/base/field.h", "#include <stdio.h>", True),
    ("common/a.c", '#include "common/nowhere.h"', True),
]


def self_test():
    headers = sorted(LEAVES | {"common/base/buffer.h", "common/system/log.h", "server/a.h", "server/sim/world/world.h", "server/simulation/command.h", "viewer/a.h"})
    mistakes = 0
    for path, line, refused in SELF_TEST:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in headers + [path]:
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text("\n", encoding="utf-8")
            (root / path).write_text("/* first line */\n" + line + "\n", encoding="utf-8")
            complaints = check(root)
        right = (len(complaints) == 1 and complaints[0].startswith(f"{path}:2: ")) if refused else not complaints
        if not right:
            mistakes += 1
            print(f"self-test: {path}: {line}: should {'be' if refused else 'not be'} refused, got {complaints}")
    print(f"self-test: {len(SELF_TEST)} includes, {mistakes} judged wrongly")
    return 1 if mistakes else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    complaints = check(pathlib.Path(arguments[0]) if arguments else ROOT)
    print("\n".join(complaints), end="\n" if complaints else "")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
