/* Benchmarks of the parts, each with its rival in the same run: medians of several runs, never a test. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests/bench/bench_crowd.h"
#include "tests/bench/bench_solids.h"
#include "tests/bench/bench_time.h"
#include "tests/bench/bench_wire.h"
#include "tests/bench/bench_world.h"

static const char usage[] =
    "usage: drover-bench [all]                 wire, solids and world\n"
    "       drover-bench wire|solids\n"
    "       drover-bench world [AGENTS [TICKS [FEWEST]]]   the largest world, ticks to settle, the smallest "
    "world\n"
    "       drover-bench crowd [ROW [ROUNDS]] [--simd NAME] [--threads N] [--no-rival]\n"
    "       drover-bench time FOLDER [AGENTS [ROUNDS]]     what it costs that a world is written down; its "
    "files go to FOLDER\n"
    "       drover-bench hour FOLDER               what an hour of flock takes on the disk\n";

static bool is_asked_for_help(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "all";
    const int all = strcmp(what, "all") == 0;
    int status = 0;
    if (is_asked_for_help(argc, argv)) {
        (void)fputs(usage, stdout);
        return 0;
    }
    if (strcmp(what, "crowd") == 0) {
        return bench_crowd(argc - 2, argv + 2);
    }
    if (argc > 2 && strcmp(what, "time") == 0) {
        return bench_time(argc - 2, argv + 2);
    }
    if (argc > 2 && strcmp(what, "hour") == 0) {
        return bench_hour(argv[2]);
    }
    if (!all && strcmp(what, "world") != 0 && strcmp(what, "wire") != 0 && strcmp(what, "solids") != 0) {
        const bool lacks_folder = strcmp(what, "time") == 0 || strcmp(what, "hour") == 0;
        fprintf(stderr, "drover-bench: %s \"%s\"; allowed:\n%s",
                lacks_folder ? "a folder is missing after" : "unknown benchmark", what, usage);
        return 2;
    }
    if (all || strcmp(what, "wire") == 0) {
        status |= bench_wire();
    }
    if (all || strcmp(what, "solids") == 0) {
        bench_solids();
    }
    if (all || strcmp(what, "world") == 0) {
        status |= bench_world(all ? 0 : argc - 2, argv + 2);
    }
    return status;
}
