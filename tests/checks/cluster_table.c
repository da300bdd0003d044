/* Prints the tables of docs/cluster.md for cluster_doc.py: what a cluster does of each request, and which agents each behavior
 * sees. */
#include <stdio.h>

#include "common/protocol/request.h"
#include "server/sim/steering/behavior_def.h"

static void print_requests(void) {
    puts("| op | copy | stripes |\n|---|---|---|");
    for (int op = 0; op < REQUEST_OP_COUNT; op++) {
        bool is_limited = false;
        const char *why = request_stripes_refusal((enum request_op)op, &is_limited);
        printf("| `%s` | yes | ", request_op_name((enum request_op)op));
        if (why == NULL) {
            printf("yes |\n");
        } else {
            printf("%s: %s |\n", is_limited ? "yes, but" : "no", why);
        }
    }
}

/* Every use has its words: a new one does not compile without them. */
static const char *neighbors_of(enum neighbor_use use) {
    switch (use) {
    case NEIGHBORS_UNUSED:
        break;
    case NEIGHBORS_SUMS:
        return "those in its zones";
    case NEIGHBORS_THREATS:
        return "those in its zone";
    case NEIGHBORS_AHEAD:
        return "those in its zone, and two radii and `clearance` around";
    case NEIGHBORS_NEAREST:
        return "the nearest in its zone";
    }
    return "–";
}

static void print_behaviors(void) {
    static const char *const looks[] = {"–", "one", "two"};
    puts("| behavior | looks for | neighbors |\n|---|---|---|");
    for (int type = 0; type < BEHAVIOR_TYPE_COUNT; type++) {
        const struct behavior_row *row = behavior_row(type);
        printf("| `%s` | %s | %s |\n", row->name, looks[row->targets], neighbors_of(row->neighbors));
    }
}

int main(void) {
    print_requests();
    puts("");
    print_behaviors();
    return 0;
}
