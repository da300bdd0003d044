/* drover diff: where and why two runs part, from what is recorded to the behavior that steers an agent otherwise. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/drover/command.h"
#include "clients/drover/diff.h"
#include "clients/drover/player.h"

struct diff_def {
    const char *argument[2]; /* the recordings' names on the command line; the same one twice, or two */
    const char *path[2];     /* and where they lie (input_find) */
    const char *program;     /* NULL, or another program, which simulates the second run */
    const char *cut;         /* "", or the path of a recording to write of what is around the difference */
    bool replaces;
    struct player_means means;
    struct interrupt *interrupt;
    struct json_writer *json; /* NULL, or an open object, which gets the findings as members */
};

/* Ticks that are done and compared at a time; ticks in which an agent is looked for after the worlds differ. */
enum { AT_ONCE = 64, SEARCH_TICKS = 600 };

/* The place where two runs part. */
struct parting {
    bool is_found, is_world; /* is_world: the worlds differ as they were put in */
    bool by_requests;        /* the requests of this tick did it, not the tick */
    uint32_t world;
    uint64_t tick;
    bool is_elsewhere; /* B is at another moment then */
    struct recording_moment other;
};

struct diff {
    const struct diff_def *def;
    struct side sides[2];
    bool has_two; /* recordings */
    bool differs;
    struct recording_moment start; /* where both are simulated from */
    struct outline_parting recorded;
    struct parting parting;
    struct recording_moment last; /* of the ticks that were compared */
    struct world_difference difference;
};

static const char *const side_names[2] = {"A", "B"};

/* ---- what is recorded ---- */

static int print_inputs(struct diff *diff, struct recording *const recordings[2],
                        const struct outline outlines[2], struct failure *failure) {
    const size_t first = outline_first_input(&outlines[0], &outlines[1]);
    const bool is_same = first == outlines[0].input_count && first == outlines[1].input_count;
    if (diff->def->json != NULL) {
        json_key_unsigned(diff->def->json, "same_inputs", first);
        json_key_bool(diff->def->json, "inputs_differ", !is_same);
        diff->differs = diff->differs || !is_same;
        return 0;
    }
    if (is_same) {
        const size_t worlds = outline_world_count(&outlines[0]);
        (void)printf("Inputs: %zu request%s and %zu world%s, the same.\n", first - worlds,
                     first - worlds == 1 ? "" : "s", worlds, worlds == 1 ? "" : "s");
        return 0;
    }
    diff->differs = true;
    (void)printf("Inputs: %zu the same, then:\n", first);
    for (int i = 0; i < 2; i++) {
        (void)printf("  %s: ", side_names[i]);
        if (first == outlines[i].input_count) {
            (void)printf("no further input\n");
        } else if (outline_print_input(recordings[i], first, failure) != 0) {
            return -1;
        }
    }
    return 0;
}

static void write_hashes(const struct outline_parting *recorded, struct json_writer *json) {
    json_key(json, "recorded");
    json_object(json);
    if (recorded->has_equal) {
        json_key_unsigned(json, "same_to_tick", recorded->equal.tick);
    }
    if (recorded->has_different) {
        json_key_unsigned(json, "world", recorded->different.world);
        json_key_unsigned(json, "tick", recorded->different.tick);
        for (int side = 0; side < 2; side++) {
            json_key(json, side_names[side]);
            json_hex64(json, recorded->hash[side]);
        }
    }
    json_end(json);
}

static void print_hashes(const struct diff *diff, const struct outline outlines[2]) {
    const struct outline_parting *recorded = &diff->recorded;
    if (diff->def->json != NULL) {
        write_hashes(recorded, diff->def->json);
    } else if (recorded->has_different) {
        (void)printf("Recorded hashes: ");
        if (recorded->has_equal && recorded->equal.world == recorded->different.world) {
            (void)printf("the same to tick %" PRIu64 ", ", recorded->equal.tick);
        }
        (void)printf("differ at tick %" PRIu64 ": A %016" PRIx64 ", B %016" PRIx64 ".\n",
                     recorded->different.tick, recorded->hash[0], recorded->hash[1]);
    } else if (recorded->has_equal) {
        (void)printf("Recorded hashes: the same, to tick %" PRIu64 ".\n", recorded->equal.tick);
    } else {
        (void)printf("Recorded hashes: none of the same ticks (A has %zu, B has %zu).\n",
                     outlines[0].hash_count, outlines[1].hash_count);
    }
}

static int compare_outlines(struct diff *diff, struct recording *const recordings[2],
                            struct failure *failure) {
    struct outline outlines[2] = {{0}};
    if (outline_take(recordings[0], &outlines[0], failure) != 0 ||
        outline_take(recordings[1], &outlines[1], failure) != 0) {
        outline_fini(&outlines[0]);
        return -1;
    }
    outline_part(&outlines[0], &outlines[1], &diff->recorded);
    diff->differs = diff->differs || diff->recorded.has_different;
    const int result = print_inputs(diff, recordings, outlines, failure);
    if (result == 0) {
        print_hashes(diff, outlines);
    }
    outline_fini(&outlines[0]);
    outline_fini(&outlines[1]);
    return result;
}

/* Names the checkpoints whose content is not what their hash says: what is simulated need not show that. */
static void check_checkpoints(struct diff *diff, int side, struct recording *recording) {
    const struct recording_facts *facts = recording_facts(recording);
    for (int i = 0; i < facts->checkpoint_count && !interrupt_is_set(diff->def->interrupt); i++) {
        struct failure failure = {0};
        if (recording_check_checkpoint(recording, i, &failure) != 0) {
            diff->differs = true;
            if (diff->def->json != NULL) {
                input_write_checkpoint(diff->def->argument[side], facts, i, failure.message, diff->def->json);
                continue;
            }
            (void)printf("%s is damaged: its checkpoint of tick %" PRIu64 " of world %" PRIu32
                         " is not the world that was recorded: %s\n",
                         side_names[side], facts->checkpoints[i].tick, facts->checkpoints[i].world,
                         failure.message);
        }
    }
}

static int compare_recorded(struct diff *diff, struct failure *failure) {
    struct recording *recordings[2] = {NULL, NULL};
    int result = -1;
    recordings[0] = input_open(diff->def->argument[0], diff->def->path[0], NULL, failure);
    if (recordings[0] != NULL) {
        recordings[1] = input_open(diff->def->argument[1], diff->def->path[1], NULL, failure);
    }
    if (recordings[1] != NULL) {
        comparison_begin_list(diff->def->json, "damaged_checkpoints");
        for (int side = 0; side < 2; side++) {
            (void)input_print_damage(diff->def->argument[side], recording_facts(recordings[side]), stderr);
            check_checkpoints(diff, side, recordings[side]);
        }
        comparison_end_list(diff->def->json);
        result = compare_outlines(diff, recordings, failure);
    }
    recording_close(recordings[0]);
    recording_close(recordings[1]);
    return result;
}

/* ---- tick by tick ---- */

static void note_parting(struct diff *diff, const struct side_row *a, const struct side_row *b,
                         bool is_first) {
    const bool is_elsewhere = a->at.world != b->at.world || a->at.tick != b->at.tick;
    diff->parting = (struct parting){.is_found = true,
                                     .is_world = is_elsewhere || (is_first && a->arrived != b->arrived),
                                     .by_requests = !is_elsewhere && a->arrived == b->arrived,
                                     .world = a->at.world,
                                     .tick = a->at.tick,
                                     .is_elsewhere = is_elsewhere,
                                     .other = b->at};
}

/* Whether the tick is reached at which the recorded hashes differ: what goes on behind it is not needed. */
static bool is_far_enough(const struct diff *diff) {
    const struct recording_moment *different = &diff->recorded.different;
    return diff->recorded.has_different &&
           (diff->last.world > different->world ||
            (diff->last.world == different->world && diff->last.tick >= different->tick));
}

/* Compares the rows of both; false when they part. */
static bool compare_rows(struct diff *diff, const struct side_row *a, const struct side_row *b, int count) {
    for (int i = 0; i < count; i++) {
        const bool is_first = a[i].at.world != diff->last.world;
        if (a[i].at.world != b[i].at.world || a[i].at.tick != b[i].at.tick || a[i].arrived != b[i].arrived ||
            a[i].settled != b[i].settled) {
            note_parting(diff, &a[i], &b[i], is_first);
            return false;
        }
        diff->last = a[i].at;
    }
    return true;
}

static int step_together(struct diff *diff, struct progress *progress, struct failure *failure) {
    struct side_row rows[2][AT_ONCE];
    for (uint64_t done = 0;;) {
        if (side_ask(&diff->sides[0], AT_ONCE, failure) != 0 ||
            side_ask(&diff->sides[1], AT_ONCE, failure) != 0) {
            return -1;
        }
        const int count_a = side_rows(&diff->sides[0], rows[0], AT_ONCE, failure);
        const int count_b = count_a < 0 ? -1 : side_rows(&diff->sides[1], rows[1], AT_ONCE, failure);
        if (count_b < 0) {
            return -1;
        }
        const int count = count_a < count_b ? count_a : count_b;
        if (!compare_rows(diff, rows[0], rows[1], count) || diff->sides[0].is_over ||
            diff->sides[1].is_over || is_far_enough(diff)) {
            return 0;
        }
        done += (uint64_t)count;
        progress_show(progress, done);
    }
}

static int begin_both(struct diff *diff, struct failure *failure) {
    return side_begin(&diff->sides[0], &diff->start, failure) == 0 &&
                   side_begin(&diff->sides[1], &diff->start, failure) == 0
               ? 0
               : -1;
}

static int find_tick(struct diff *diff, struct failure *failure) {
    struct progress progress;
    const struct player *player = &diff->sides[0].player;
    diff->start = diff->recorded.has_checkpoint ? diff->recorded.checkpoint : player_first(player);
    if (begin_both(diff, failure) != 0) {
        return -1;
    }
    diff->last.world = diff->recorded.has_checkpoint ? diff->start.world : 0;
    progress_begin(&progress, "diff", player_ticks(player, &diff->start));
    const int result = step_together(diff, &progress, failure);
    progress_end(&progress);
    return result;
}

/* ---- agents ---- */

/* Both to the state before the tick that made the difference (settled), or to the one at which it shows. */
static int go_both(struct diff *diff, const struct recording_moment *moment, bool and_tick,
                   struct failure *failure) {
    if (begin_both(diff, failure) != 0) {
        return -1;
    }
    for (int i = 0; i < 2; i++) {
        if (side_go(&diff->sides[i], moment, failure) != 0 ||
            (and_tick && side_tick(&diff->sides[i], failure) != 0)) {
            return -1;
        }
    }
    return 0;
}

static int compare_worlds(struct diff *diff, struct failure *failure) {
    const struct world *a = side_world(&diff->sides[0], failure);
    const struct world *b = a == NULL ? NULL : side_world(&diff->sides[1], failure);
    return b == NULL ? -1 : world_difference_find(a, b, &diff->difference, failure);
}

/* key: of what is written for programs. */
static void print_agents(const struct diff *diff, const char *key, uint64_t tick) {
    const struct world_difference *difference = &diff->difference;
    struct json_writer *json = diff->def->json;
    if (json != NULL) {
        json_key(json, key);
        json_object(json);
        json_key_unsigned(json, "tick", tick);
        world_difference_write(difference, side_names[0], side_names[1], json);
        json_end(json);
        return;
    }
    (void)printf("At tick %" PRIu64 " ", tick);
    if (difference->agent_count == 0) {
        (void)printf("no agent differs yet, but:\n");
    } else {
        (void)printf("%" PRId32 " of %" PRId32 " agents differ%s:\n", difference->agent_count,
                     difference->agents_compared, difference->agent_count == 1 ? "s" : "");
    }
    world_difference_print(difference, side_names[0], side_names[1]);
}

static bool is_same_force(const struct side_force *a, const struct side_force *b) {
    return is_same_vec2(a->force, b->force);
}

static const struct side_force *find_force(const struct side_forces *forces, const char *label) {
    for (int i = 0; i < forces->count; i++) {
        if (strcmp(forces->rows[i].label, label) == 0) {
            return &forces->rows[i];
        }
    }
    return NULL;
}

/* The force of one side, in a list of forces; nothing where it has none. */
static void write_force(const struct side_force *force, const char *side, struct json_writer *json) {
    if (force != NULL) {
        json_key(json, side);
        json_array(json);
        json_float(json, force->force.x);
        json_float(json, force->force.y);
        json_end(json);
    }
}

static void write_forces(const char *label, const struct side_force *a, const struct side_force *b,
                         struct json_writer *json) {
    json_object(json);
    json_key_string(json, "behavior", label);
    write_force(a, side_names[0], json);
    write_force(b, side_names[1], json);
    json_end(json);
}

static void write_label(const char *label, const struct side_force *a, const struct side_force *b,
                        struct json_writer *json) {
    (void)a;
    (void)b;
    json_string(json, label);
}

/* What is said of a behavior whose force differs: of both sides, NULL where one has none. */
typedef void (*write_difference)(const char *label, const struct side_force *a, const struct side_force *b,
                                 struct json_writer *json);

/* The behaviors whose force differs. */
static void write_list(const char *name, write_difference write, const struct side_forces *a,
                       const struct side_forces *b, struct json_writer *json) {
    comparison_begin_list(json, name);
    for (int i = 0; i < a->count; i++) {
        const struct side_force *other = find_force(b, a->rows[i].label);
        if (other == NULL || !is_same_force(&a->rows[i], other)) {
            write(a->rows[i].label, &a->rows[i], other, json);
        }
    }
    for (int i = 0; i < b->count; i++) {
        if (find_force(a, b->rows[i].label) == NULL) {
            write(b->rows[i].label, NULL, &b->rows[i], json);
        }
    }
    comparison_end_list(json);
}

static void print_forces(const struct side_forces *a, const struct side_forces *b) {
    bool differs = a->count != b->count;
    for (int i = 0; i < a->count; i++) {
        const struct side_force *one = &a->rows[i];
        const struct side_force *other = find_force(b, one->label);
        if (other == NULL) {
            (void)printf("  %s: only in A\n", one->label);
            differs = true;
        } else if (!is_same_force(one, other)) {
            (void)printf("  %s: A %.9g, %.9g, B %.9g, %.9g\n", one->label, (double)one->force.x,
                         (double)one->force.y, (double)other->force.x, (double)other->force.y);
            differs = true;
        }
    }
    for (int i = 0; i < b->count; i++) {
        if (find_force(a, b->rows[i].label) == NULL) {
            (void)printf("  %s: only in B\n", b->rows[i].label);
        }
    }
    if (!differs) {
        (void)printf("  none of its %d behaviors: all forces are the same, so the difference arose where the "
                     "agent moved\n",
                     a->count);
    }
}

/* What steered the first agent that differs, in the tick before. Both sides are at `moment` afterwards. */
static int explain(struct diff *diff, const struct recording_moment *moment, struct failure *failure) {
    struct side_forces forces[2];
    const struct difference_agent *agent = &diff->difference.agents[0];
    if (diff->difference.agent_count == 0 || agent->is_missing[0] || agent->is_missing[1]) {
        return 0;
    }
    if (go_both(diff, moment, false, failure) != 0) {
        return -1;
    }
    for (int i = 0; i < 2; i++) {
        if (side_explain(&diff->sides[i], agent->id, &forces[i], failure) != 0) {
            return failure->code == FAILURE_NO_AGENT ? 0 : -1;
        }
    }
    if (diff->def->json != NULL) {
        write_list("behaviors", write_label, &forces[0], &forces[1], diff->def->json);
        write_list("forces", write_forces, &forces[0], &forces[1], diff->def->json);
        return 0;
    }
    (void)printf("Behaviors of agent %" PRIu32 " whose force from tick %" PRIu64 " to %" PRIu64 " differs:\n",
                 agent->id, moment->tick, moment->tick + 1);
    print_forces(&forces[0], &forces[1]);
    return 0;
}

/* From a moment at which the worlds differ and no agent does: to the first tick in which one does. */
static int search_agents(struct diff *diff, struct recording_moment moment, struct failure *failure) {
    for (int i = 0; i < SEARCH_TICKS && diff->difference.agent_count == 0; i++, moment.tick++) {
        for (int side = 0; side < 2; side++) {
            if (side_go(&diff->sides[side], &moment, failure) != 0) {
                if (diff->def->json == NULL) {
                    (void)printf("No agent differs before the run ends.\n");
                }
                *failure = (struct failure){0};
                return 0;
            }
            if (side_tick(&diff->sides[side], failure) != 0) {
                return -1;
            }
        }
        if (compare_worlds(diff, failure) != 0) {
            return -1;
        }
    }
    if (diff->difference.agent_count == 0) {
        if (diff->def->json == NULL) {
            (void)printf("No agent differs in the next %d ticks.\n", SEARCH_TICKS);
        }
        return 0;
    }
    print_agents(diff, "first_agents", moment.tick);
    moment.tick--;
    return explain(diff, &moment, failure);
}

static void write_parting(const struct parting *parting, struct json_writer *json) {
    json_key(json, "parting");
    json_object(json);
    json_key_string(json, "by",
                    parting->is_elsewhere  ? "moments"
                    : parting->is_world    ? "world"
                    : parting->by_requests ? "requests"
                                           : "tick");
    json_key_unsigned(json, "world", parting->world);
    json_key_unsigned(json, "tick", parting->tick);
    json_end(json);
}

static void print_parting(const struct diff *diff) {
    const struct parting *parting = &diff->parting;
    char world[32] = "";
    if (diff->sides[0].player.facts->world_count > 1) {
        (void)snprintf(world, sizeof world, " of world %" PRIu32, parting->world);
    }
    if (parting->is_elsewhere) {
        (void)printf("The runs are not at the same moments: A is at tick %" PRIu64 " of world %" PRIu32
                     ", B at tick %" PRIu64 " of world %" PRIu32 ".\n",
                     parting->tick, parting->world, parting->other.tick, parting->other.world);
    } else if (parting->is_world) {
        (void)printf("The worlds differ from the start%s.\n", world);
    } else if (parting->by_requests) {
        (void)printf("Simulated: the same to tick %" PRIu64 "%s, until requests take effect there.\n",
                     parting->tick, world);
    } else {
        (void)printf("Simulated: the same to tick %" PRIu64 "%s, differ at tick %" PRIu64 ".\n",
                     parting->tick - 1, world, parting->tick);
    }
}

static bool is_same_scenario(const struct recording_world *a, const struct recording_world *b) {
    return strcmp(a->scenario, b->scenario) == 0 && a->seed == b->seed &&
           is_same_double(a->tick_hz, b->tick_hz);
}

static void print_scenario(const char *side, const struct recording_world *world) {
    (void)printf("  %s: %s, seed %" PRIu64 ", %g ticks a second\n", side, world->scenario, world->seed,
                 world->tick_hz);
}

/* Both to the world as it was put in: of the first one without its requests. */
static int go_to_world(struct diff *diff, struct failure *failure) {
    const struct recording_moment moment = {.world = diff->parting.world, .tick = diff->parting.tick};
    return diff->start.world == moment.world ? begin_both(diff, failure)
                                             : go_both(diff, &moment, false, failure);
}

/* Two worlds that differ as they were put in: by what they were made from, or else by what they are. */
static int compare_starts(struct diff *diff, struct failure *failure) {
    const struct recording_world *a = player_find_world(&diff->sides[0].player, diff->parting.world);
    const struct recording_world *b =
        diff->sides[1].is_open ? player_find_world(&diff->sides[1].player, diff->parting.world) : a;
    if (diff->parting.is_elsewhere) {
        return 0;
    }
    const bool is_other = a != NULL && b != NULL && !is_same_scenario(a, b);
    if (diff->def->json != NULL) {
        json_key_bool(diff->def->json, "scenarios_differ", is_other);
    }
    if (is_other && diff->def->json == NULL) {
        print_scenario(side_names[0], a);
        print_scenario(side_names[1], b);
    }
    if (is_other) {
        return 0;
    }
    if (go_to_world(diff, failure) != 0 || compare_worlds(diff, failure) != 0) {
        return -1;
    }
    print_agents(diff, "difference", diff->parting.tick);
    return 0;
}

static int find_agents(struct diff *diff, struct failure *failure) {
    const struct parting *parting = &diff->parting;
    const bool by_tick = !parting->by_requests;
    const struct recording_moment before = {.world = parting->world,
                                            .tick = parting->tick - (by_tick ? 1 : 0)};
    diff->differs = true;
    if (diff->def->json != NULL) {
        write_parting(parting, diff->def->json);
    } else {
        print_parting(diff);
    }
    if (parting->is_world) {
        return compare_starts(diff, failure);
    }
    if (go_both(diff, &before, by_tick, failure) != 0 || compare_worlds(diff, failure) != 0) {
        return -1;
    }
    print_agents(diff, "difference", parting->tick);
    if (diff->difference.agent_count == 0) {
        const struct recording_moment next = {.world = parting->world, .tick = parting->tick};
        return search_agents(diff, next, failure);
    }
    return explain(diff, &before, failure);
}

/* ---- a recording that this program does not compute ---- */

static int write_side(struct player *player, int index, const struct comparison *comparison,
                      const struct diff *diff, struct failure *failure) {
    struct json_writer *json = diff->def->json;
    json_object(json);
    json_key_string(json, "file", player->argument);
    json_key_unsigned(json, "hashes", player->hashes.compared);
    if (comparison->differs) {
        comparison_write_difference(player, json);
        if (comparison_print_checkpoint(player, diff->def->path[index], json, failure) != 0) {
            return -1;
        }
    }
    json_end(json);
    return 0;
}

/* Says of one recording whether its hashes are those that this program computes. *different: of it. */
static int compare_side(struct diff *diff, int index, struct recording_moment *different,
                        struct failure *failure) {
    struct player player;
    struct comparison comparison = {.every = 1,
                                    .has_from = true,
                                    .from = diff->start,
                                    .until = diff->recorded.has_different ? &diff->recorded.different : NULL};
    const struct diff_def *def = diff->def;
    if (player_open(&player, def->argument[index], def->path[index], &def->means, def->interrupt, failure) !=
        0) {
        return -1;
    }
    int result = comparison_run(&comparison, &player, failure);
    if (def->json != NULL && result == 0) {
        result = write_side(&player, index, &comparison, diff, failure);
    } else if (result == 0 && comparison.differs) {
        (void)printf("Simulated again from tick %" PRIu64 ": ", diff->start.tick);
        comparison_print_difference(&player);
        result = comparison_print_checkpoint(&player, def->path[index], NULL, failure);
        (void)printf(
            "So the file %s is wrong there, not the simulation: it was edited or damaged, or recorded by a "
            "program that computes other bits.\n",
            def->argument[index]);
    } else if (result == 0 && player.hashes.compared > 0) {
        (void)printf("Simulated again from tick %" PRIu64 ": %s: all %" PRIu64 " hashes are the same.\n",
                     diff->start.tick, def->argument[index], player.hashes.compared);
    }
    if (comparison.differs) {
        *different = player_divergence(&player)->moment;
        diff->differs = true;
    }
    player_close(&player);
    return result;
}

/* Why the simulation went no further. */
static const char *why_it_ended(const struct diff *diff) {
    const bool is_over_a = diff->sides[0].is_over;
    const bool is_over_b = diff->sides[1].is_over;
    if (is_over_a || is_over_b) {
        return !diff->has_two           ? ", where the recording ends"
               : is_over_a && is_over_b ? ", where both recordings end"
               : is_over_a              ? ", where A ends"
                                        : ", where B ends";
    }
    return "; not further, as the recorded hashes differ there";
}

/* The runs are the same: a difference between what was recorded is one between a recording and its simulation. */
static int compare_with_recorded(struct diff *diff, int *cut_side, struct failure *failure) {
    if (diff->def->json != NULL) {
        json_key_unsigned(diff->def->json, "same_to_tick", diff->last.tick);
    } else {
        (void)printf("Simulated: the same to tick %" PRIu64 "%s.\n", diff->last.tick, why_it_ended(diff));
    }
    comparison_begin_list(diff->def->json, "simulated_again");
    for (int i = 0; i < (diff->has_two ? 2 : 1); i++) {
        struct recording_moment different = {0};
        if (!diff->recorded.has_different && !player_divergence(&diff->sides[0].player)->has_diverged) {
            continue;
        }
        if (compare_side(diff, i, &different, failure) != 0) {
            return -1;
        }
        if (different.world != 0 && !diff->parting.is_found) {
            diff->parting =
                (struct parting){.is_found = true, .world = different.world, .tick = different.tick};
            *cut_side = i;
        }
    }
    comparison_end_list(diff->def->json);
    return 0;
}

/* ---- the cut ---- */

static int write_cut(const struct diff *diff, int side, struct failure *failure) {
    struct player player;
    const struct diff_def *def = diff->def;
    if (player_open(&player, def->argument[side], def->path[side], &def->means, def->interrupt, failure) !=
        0) {
        return -1;
    }
    const uint32_t number = diff->parting.world;
    const struct recording_world *world = player_find_world(&player, number);
    const double hz = world == NULL ? 0.0 : world->tick_hz;
    const uint64_t second = hz >= 1.0 ? (uint64_t)llround(hz) : 1;
    const uint64_t tick = diff->parting.tick;
    struct cut cut = {.world = number,
                      .from = tick > second ? tick - second : 0,
                      .to = tick + second,
                      .path = def->cut,
                      .replaces = def->replaces};
    const int result = cut_write(&cut, &player, def->interrupt, failure);
    if (result == 0 && def->json == NULL && strcmp(def->cut, "-") != 0) {
        (void)printf("Wrote ticks %" PRIu64 " to %" PRIu64 " of %s: %s\n", cut.from, cut.to,
                     def->argument[side], def->cut);
    }
    player_close(&player);
    return result;
}

/* ---- all together ---- */

static int run(struct diff *diff, struct failure *failure) {
    int cut_side = 0;
    if (diff->has_two && compare_recorded(diff, failure) != 0) {
        return -1;
    }
    if (find_tick(diff, failure) != 0) {
        return -1;
    }
    if (diff->parting.is_found) {
        if (find_agents(diff, failure) != 0) {
            return -1;
        }
    } else if (compare_with_recorded(diff, &cut_side, failure) != 0) {
        return -1;
    }
    if (diff->def->cut[0] != '\0' && diff->parting.is_found) {
        return write_cut(diff, cut_side, failure);
    }
    return 0;
}

static int open_sides(struct diff *diff, struct failure *failure) {
    const struct diff_def *def = diff->def;
    for (int i = 0; i < 2; i++) {
        const struct side_def side = {.name = side_names[i],
                                      .argument = def->argument[i],
                                      .path = def->path[i],
                                      .program = i == 1 ? def->program : NULL,
                                      .means = def->means,
                                      .interrupt = def->interrupt};
        if (side_open(&diff->sides[i], &side, failure) != 0) {
            return -1;
        }
    }
    return 0;
}

/* Prints on standard output, a finding a line, unless there is a json. 0: *is_same says whether nothing differs; -1 with *failure. */
static int diff_run(const struct diff_def *def, bool *is_same, struct failure *failure) {
    struct diff *diff = calloc(1, sizeof *diff);
    if (diff == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    diff->def = def;
    diff->has_two = def->path[0] != def->path[1];
    const int result = open_sides(diff, failure) == 0 ? run(diff, failure) : -1;
    *is_same = !diff->differs;
    side_close(&diff->sides[0]);
    side_close(&diff->sides[1]);
    free(diff);
    return result;
}

/* ---- the command ---- */

struct diff_options {
    char with[1024];
    char cut[1024];
    bool replaces, is_json;
    struct player_means means;
};

static const struct field diff_table[] = {
    OPTION_TEXT(struct diff_options, with, "with", "PROGRAM",
                "Another build of drover, which simulates the second run."),
    OPTION_TEXT(struct diff_options, cut, "cut", "OUT",
                "Writes a recording of the two seconds around the difference, from A."),
    OPTION_FLAG(struct diff_options, replaces, "replace", "Replace the file of --cut that is there already."),
    OPTION_FLAG(struct diff_options, is_json, "json", "Prints what is found as a JSON object."),
    PLAYER_MEANS_ROWS(struct diff_options, means),
    OPTIONS_END,
};

const struct options_def command_diff_options = {
    .program = "drover diff",
    .summary = "Finds the first input, tick, agent, field and behavior in which two runs differ.",
    .positional = "A [B]",
    .positional_help =
        "Two recordings; or one, with --with, which two builds of drover simulate. One of them may be "
        "-, standard input.",
    .takes_several = true,
    .table = diff_table,
};

static int run_as_json(const struct diff_def *def, bool *is_same, struct failure *failure) {
    struct buffer line;
    buffer_init(&line, COMMAND_LINE_BYTES);
    struct json_writer json = json_writer_begin(&line);
    struct diff_def written = *def;
    written.json = &json;
    json_object(&json);
    if (diff_run(&written, is_same, failure) != 0) {
        buffer_fini(&line);
        return -1;
    }
    json_key_bool(&json, "same", *is_same);
    json_end(&json);
    return command_print_line(&line, failure);
}

enum exit_code command_diff(const struct command_context *context, int argc, char **argv) {
    struct diff_options options = {.means = {.threads = 1}};
    struct failure failure = {0};
    enum exit_code code = EXIT_WELL;
    char paths[2][INPUT_PATH];
    int count = 0;
    if (!command_options(&command_diff_options, argc, argv, &options, 1, 2, &count, &code)) {
        return code;
    }
    if ((count == 1 && options.with[0] == '\0') ||
        (count == 2 && strcmp(argv[1], "-") == 0 && strcmp(argv[2], "-") == 0)) {
        (void)failure_set(&failure, FAILURE_BAD_PARAM, NULL, "diff: %s",
                          count == 1 ? "expected A B, or A with --with PROGRAM; --help shows the usage"
                                     : "A and B cannot both be standard input");
        return command_complain(context, &failure, EXIT_USAGE);
    }
    if (options.is_json && strcmp(options.cut, "-") == 0) {
        (void)failure_set(&failure, FAILURE_BAD_PARAM, "--cut",
                          "--cut: --json has standard output for itself; allowed: --cut FILE");
        return command_complain(context, &failure, EXIT_USAGE);
    }
    struct diff_def def = {.program = options.with[0] == '\0' ? NULL : options.with,
                           .cut = options.cut,
                           .replaces = options.replaces,
                           .means = options.means,
                           .interrupt = context->interrupt};
    for (int i = 0; i < 2; i++) {
        def.argument[i] = argv[count == 1 ? 1 : 1 + i];
        def.path[i] = paths[count == 1 ? 0 : i];
        if (i < count && input_find(def.argument[i], context->interrupt, paths[i], &failure) != 0) {
            return command_complain(context, &failure, EXIT_DIFFERS);
        }
    }
    bool is_same = false;
    if ((options.is_json ? run_as_json(&def, &is_same, &failure) : diff_run(&def, &is_same, &failure)) != 0) {
        return command_complain(context, &failure, EXIT_DIFFERS);
    }
    return is_same ? EXIT_WELL : EXIT_DIFFERS;
}
