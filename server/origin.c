/* See origin.h. */
#include "server/origin.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/system/log.h"
#include "server/recording/core_changes.h"
#include "server/sim/core.h"

enum { PATH_BYTES = STATE_DIRECTORY_PATH + 64 };

static int open_file(struct origin *origin, const char *path, const struct world_overrides *overrides,
                     struct failure *failure) {
    origin->recording = recording_open(&path, 1, failure);
    if (origin->recording == NULL) {
        return -1;
    }
    origin->start = simulation_recording_of(origin->recording, overrides);
    return 0;
}

/* Whether what is played from there on, NULL for all of it, comes out as it was recorded. */
static int check_core(const struct origin *origin, const struct recording_moment *from,
                      struct failure *failure) {
    return recording_check_core(origin->recording, from, core_changes, CORE_NUMBER, failure);
}

/* --replay FILE [--at TICK] [--anyway] */
static int open_replay(struct origin *origin, const struct server_options *options,
                       const struct world_overrides *overrides, struct failure *failure) {
    struct server_keeping keeping;
    if (server_options_keeping(options, &keeping, failure) != 0 ||
        open_file(origin, options->replay, overrides, failure) != 0) {
        return -1;
    }
    origin->start.has_at = keeping.has_at;
    origin->start.at = keeping.at;
    return options->is_anyway ? 0 : check_core(origin, NULL, failure);
}

/* FILE, FILE@TICK, or the name of a save. */
static void read_from(const char *text, const struct state_directory *directory, char path[PATH_BYTES],
                      struct simulation_recording *start) {
    const char *at = strrchr(text, '@');
    const size_t digits = at == NULL ? 0 : strspn(at + 1, "0123456789");
    start->has_at = digits > 0 && digits <= 15 && at[1 + digits] == '\0';
    start->at = start->has_at ? strtoull(at + 1, NULL, 10) : 0;
    const int length = start->has_at ? (int)(at - text) : (int)strlen(text);
    const bool is_file = start->has_at || strpbrk(text, "./") != NULL || directory == NULL;
    if (is_file) {
        (void)snprintf(path, PATH_BYTES, "%.*s", length, text);
    } else {
        (void)snprintf(path, PATH_BYTES, "%.4096s/%.31s.drover", state_directory_saves(directory), text);
    }
}

static int open_from(struct origin *origin, const struct server_options *options,
                     const struct state_directory *directory, const struct world_overrides *overrides,
                     struct failure *failure) {
    char path[PATH_BYTES];
    struct simulation_recording start = {0};
    read_from(options->from, directory, path, &start);
    if (open_file(origin, path, overrides, failure) != 0) {
        return -1;
    }
    origin->start.has_at = start.has_at;
    origin->start.at = start.at;
    return options->is_anyway || !start.has_at ? 0 : check_core(origin, NULL, failure);
}

/* The folder goes on under the name of the scenario that it began with, and under that of the world it holds. */
static int check_scenario(const struct origin *origin, const struct state_directory *directory,
                          const char *scenario, struct failure *failure) {
    const struct recording_facts *facts = origin->start.facts;
    const char *held = facts->world_count == 0 ? "" : facts->worlds[facts->world_count - 1].scenario;
    char first[LIMIT_NAME_CHARS + 1], begun[LIMIT_NAME_CHARS + 32] = "";
    state_directory_read_scenario(directory, first);
    if (strcmp(scenario, held) == 0 || strcmp(scenario, first) == 0) {
        return 0;
    }
    if (first[0] != '\0' && strcmp(first, held) != 0) {
        (void)snprintf(begun, sizeof begun, " (begun as %s)", first);
    }
    return failure_set(failure, FAILURE_EXISTS, "--state",
                       "%.200s holds a world of the scenario %s%s, not of %s; without a scenario it goes on, "
                       "--state-new puts it aside",
                       state_directory_path(directory), held, begun, scenario);
}

int origin_read_begun(const struct state_directory *directory, const char *scenario,
                      char begun[LIMIT_NAME_CHARS + 1], struct failure *failure) {
    state_directory_read_scenario(directory, begun);
    if (scenario != NULL && begun[0] != '\0' && strcmp(scenario, begun) != 0) {
        return failure_set(failure, FAILURE_EXISTS, "--state",
                           "%.200s was begun with the scenario %s, not with %s; without a scenario it begins "
                           "from its start again, --state-new puts it aside",
                           state_directory_path(directory), begun, scenario);
    }
    if (scenario == NULL && begun[0] == '\0') {
        return failure_set(
            failure, FAILURE_BAD_SAVE, "--state",
            "%.200s: no journal can be read, and no file says with which scenario it was begun; "
            "name the scenario, or put all aside with --state-new",
            state_directory_path(directory));
    }
    return 0;
}

static int open_state(struct origin *origin, struct state_directory *directory, const char *scenario,
                      const struct world_overrides *overrides, struct failure *failure) {
    struct failure unused;
    origin->recording = state_directory_read(directory, failure);
    if (origin->recording == NULL) {
        return -1;
    }
    origin->start = simulation_recording_of(origin->recording, overrides);
    origin->start.is_journal = true;
    origin->start.is_of_other_core = check_core(origin, &origin->start.facts->last, &unused) != 0;
    return scenario == NULL ? 0 : check_scenario(origin, directory, scenario, failure);
}

/* A world that is there already has its seed and rate. */
static int check_overrides(const struct origin *origin, const struct world_overrides *overrides,
                           struct failure *failure) {
    const struct recording_facts *facts = origin->start.facts;
    if (facts->world_count == 0) {
        return failure_set(failure, FAILURE_BAD_SAVE, NULL, "the recording has no world");
    }
    const struct recording_world *world = &facts->worlds[facts->world_count - 1];
    if (overrides->has_seed && overrides->seed != world->seed) {
        return failure_set(failure, FAILURE_BAD_PARAM, "--seed",
                           "--seed %" PRIu64 ": the world that is there already has the seed %" PRIu64
                           "; without --seed it goes on",
                           overrides->seed, world->seed);
    }
    if (overrides->tick_hz > 0.0 && fabs(overrides->tick_hz - world->tick_hz) > 0.0) {
        return failure_set(
            failure, FAILURE_BAD_PARAM, "--tick-hz",
            "--tick-hz %g: the world that is there already has %g ticks a second; without --tick-hz it "
            "goes on",
            overrides->tick_hz, world->tick_hz);
    }
    return 0;
}

int origin_open(struct origin *origin, const struct server_options *options,
                struct state_directory *directory, const char *scenario, struct simulation_def *def,
                struct failure *failure) {
    const bool holds = directory != NULL && state_directory_holds_world(directory);
    const char *given = options->replay[0] != '\0' ? "--replay" : "--from";
    int result = 0;
    *origin = (struct origin){0};
    if (scenario != NULL && (options->replay[0] != '\0' || options->from[0] != '\0')) {
        result = failure_set(failure, FAILURE_BAD_PARAM, given, "%s takes no scenario beside it; found %s",
                             given, scenario);
    } else if (options->replay[0] != '\0') {
        result = open_replay(origin, options, &def->overrides, failure);
        def->replay = &origin->start;
    } else if (options->from[0] != '\0' && holds) {
        result = failure_set(failure, FAILURE_EXISTS, "--from",
                             "%.200s holds a world already; --state-new puts it aside",
                             state_directory_path(directory));
    } else if (options->from[0] != '\0') {
        result = open_from(origin, options, directory, &def->overrides, failure);
        def->resume = &origin->start;
    } else if (holds) {
        result = open_state(origin, directory, scenario, &def->overrides, failure);
        def->resume = &origin->start;
    }
    if (result == 0 && def->resume != NULL) {
        result = check_overrides(origin, &def->overrides, failure);
    }
    if (result != 0) {
        origin_close(origin);
    }
    return result;
}

void origin_close(struct origin *origin) {
    recording_close(origin->recording);
    *origin = (struct origin){0};
}
