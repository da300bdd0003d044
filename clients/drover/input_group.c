/* See input_group.h. */
#include "clients/drover/input_group.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "clients/drover/input.h"
#include "clients/drover/same_bits.h"
#include "server/recording/recording_line.h"

/* What a file says of its beginning and its end. */
struct ends {
    bool is_known;
    char started[RECORDING_VALUE_BYTES]; /* of its server */
    struct recording_line begun;         /* its first world line; no spans */
    struct recording_world world;        /* its last world */
    struct recording_moment last;
};

static bool take_world(void *context, const char *text, size_t length) {
    struct ends *ends = context;
    struct failure failure;
    const bool is_world =
        recording_line_read(text, length, &ends->begun, &failure) == 0 && ends->begun.op == RECORDING_WORLD;
    ends->begun.text = ends->begun.request = NULL;
    ends->is_known = is_world;
    return !is_world;
}

static bool is_file(const char *argument) {
    struct stat status;
    return strcmp(argument, "-") != 0 && stat(argument, &status) == 0 && S_ISREG(status.st_mode);
}

static struct ends read_ends(const char *argument) {
    struct ends ends = {.is_known = false};
    struct failure failure = {0};
    struct recording *recording = is_file(argument) ? input_open(argument, argument, NULL, &failure) : NULL;
    if (recording == NULL) {
        return ends;
    }
    const struct recording_facts *facts = recording_facts(recording);
    memcpy(ends.started, facts->header.started, sizeof ends.started);
    ends.world = facts->worlds[facts->world_count - 1];
    ends.last = facts->last;
    if (recording_visit(recording, take_world, &ends, &failure) != 0) {
        ends.is_known = false;
    }
    recording_close(recording);
    return ends;
}

/* A saved world knows neither the number of its world in the run nor the hash with which that began. */
static bool is_same_world(const struct ends *before, const struct recording_line *begun) {
    const struct recording_world *world = &before->world;
    const bool is_save = before->started[0] == '\0';
    return strcmp(world->scenario, begun->scenario) == 0 && world->seed == begun->seed &&
           is_same_double(world->tick_hz, begun->tick_hz) &&
           (is_save || (world->number == begun->world && world->hash == begun->hash));
}

static bool continues(const struct ends *before, const struct ends *after) {
    const struct recording_line *begun = &after->begun;
    const bool is_same_run = strcmp(before->started, after->started) == 0;
    return before->is_known && after->is_known && is_same_world(before, begun) &&
           begun->from_seq == before->last.seq &&
           (begun->from_tick == before->last.tick || (is_same_run && begun->from_tick > before->last.tick));
}

int input_group(char *const *arguments, int count) {
    int joined = 1;
    if (count < 2) {
        return joined;
    }
    for (struct ends before = read_ends(arguments[0]); joined < count; joined++) {
        const struct ends after = read_ends(arguments[joined]);
        if (!continues(&before, &after)) {
            break;
        }
        before = after;
    }
    return joined;
}
