/* Benchmarks of the parts, each with its rival in the same run: medians of several runs, never a test.
 *
 *     drover-bench [wire|solids|world [AGENTS [TICKS]]]
 *     drover-bench crowd [ROW [ROUNDS]] [--simd NAME] [--threads N] [--no-rival]
 *     drover-bench time FOLDER [AGENTS [ROUNDS]]
 *     drover-bench hour FOLDER
 */
#include <stdio.h>
#include <string.h>

#include "tests/bench/bench_crowd.h"
#include "tests/bench/bench_solids.h"
#include "tests/bench/bench_time.h"
#include "tests/bench/bench_wire.h"
#include "tests/bench/bench_world.h"

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "all";
    const int all = strcmp(what, "all") == 0;
    int status = 0;
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
        fprintf(
            stderr,
            "drover-bench: unknown benchmark \"%s\"; there are world, crowd, wire, solids, time and hour\n",
            what);
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
