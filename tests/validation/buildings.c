/* Buildings that people leave: tests of RiMEA 4.1.1, NIST TN 1822 and ISO 20414 that count at gates and in areas. */
#include "tests/validation/validation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 2048, GATES = 8, SETTINGS = 4, PEAK_S = 10, LIMIT_S = 600 };

/* ---- what gates and areas see ---- */

struct gate_watch {
    bool has_passed[MOST]; /* by id */
    double times[MOST];    /* s, in the order of passing for the first time */
    int count, by_kind[LIMIT_KINDS];
    double last[LIMIT_KINDS]; /* s; when the last of a kind passed */
};

struct area_watch {
    double recent[PEAK_S], most;    /* persons: the last seconds, and the greatest mean of as many */
    double persons, speed, samples; /* sums */
};

struct watch {
    struct gate_watch gates[GATES];
    struct area_watch areas[LIMIT_AREAS];
    int seconds;
};

static double now(const struct world *world) {
    return (double)world_tick(world) / world_tick_hz(world);
}

static void watch_gates(struct watch *watch, const struct world *world) {
    const struct world_crossing *crossings = NULL;
    uint64_t left_out = 0;
    const int count = world_crossings(world, &crossings, &left_out);
    for (int i = 0; i < count; i++) {
        struct gate_watch *gate = &watch->gates[crossings[i].gate];
        const int32_t row = world_find_agent(world, crossings[i].agent);
        if (row >= 0 && !gate->has_passed[crossings[i].agent]) {
            gate->has_passed[crossings[i].agent] = true;
            gate->times[gate->count++] = now(world);
            gate->by_kind[world_agent_kind(world, row)]++;
            gate->last[world_agent_kind(world, row)] = now(world);
        }
    }
}

/* Once a second. */
static void watch_areas(struct watch *watch, const struct world *world) {
    struct area_count counts[LIMIT_AREAS];
    world_count_areas(world, counts);
    for (int a = 0; a < world_scenery(world)->def.area_count; a++) {
        struct area_watch *area = &watch->areas[a];
        double sum = 0.0;
        area->recent[watch->seconds % PEAK_S] = (double)counts[a].agents;
        for (int i = 0; i < PEAK_S; i++) {
            sum += area->recent[i];
        }
        area->most = fmax(area->most, sum / PEAK_S);
        area->persons += (double)counts[a].agents;
        area->speed += (double)counts[a].agents * counts[a].mean_speed / METER;
        area->samples += 1.0;
    }
    watch->seconds++;
}

/* Persons a second between those at 20 and at 80 %. 0: fewer than ten passed. */
static double flow(const struct gate_watch *gate) {
    const int from = gate->count / 5, to = gate->count * 4 / 5;
    return gate->count >= 10 ? (double)(to - from) / (gate->times[to - 1] - gate->times[from - 1]) : 0.0;
}

/* ---- a case ---- */

struct part {
    const char *name, *scenario;
    double shuts_s;                    /* s; then `door` of the building is shut. 0: never */
    struct setting settings[SETTINGS]; /* the first whose path is NULL ends them */
};

struct building {
    const struct part *parts;
    int count;
    struct obstacle_def door;
    int seeds; /* of a whole run; 0: as many as usual */
    bool is_in_cut;
};

/* Nobody is ever in the area of a sink. */
static bool is_sink(const struct world *world, int area) {
    for (int i = 0; i < world_sink_count(world); i++) {
        if (world_sink(world, i).def->area == area) {
            return true;
        }
    }
    return false;
}

/* The names of the columns; the gates, areas and kinds of all parts are the same. */
static void print_header(const struct world *world) {
    const struct geometry_def *geometry = &world_scenery(world)->def;
    printf("part,seed,people,left_in,last_s");
    for (int g = 0; g < geometry->gate_count; g++) {
        for (int kind = 0; kind < world_kind_count(world); kind++) {
            const char *name = world_kind(world, kind)->name;
            printf(",%s.%s,%s.%s.last_s", geometry->gates[g].name, name, geometry->gates[g].name, name);
        }
        printf(",%s.flow", geometry->gates[g].name);
    }
    for (int a = 0; a < geometry->area_count; a++) {
        if (is_sink(world, a)) {
            continue;
        }
        printf(",%s.most,%s.speed", geometry->areas[a].name, geometry->areas[a].name);
    }
    puts(",hash");
}

static void print_row(const struct world *world, const struct watch *watch) {
    const struct geometry_def *geometry = &world_scenery(world)->def;
    for (int g = 0; g < geometry->gate_count; g++) {
        const struct gate_watch *gate = &watch->gates[g];
        for (int kind = 0; kind < world_kind_count(world); kind++) {
            printf(",%d,%.1f", gate->by_kind[kind], gate->last[kind]);
        }
        printf(",%.3f", flow(gate));
    }
    for (int a = 0; a < geometry->area_count; a++) {
        const struct area_watch *area = &watch->areas[a];
        if (is_sink(world, a)) {
            continue;
        }
        printf(",%.1f,%.3f", area->most, area->persons > 0.0 ? area->speed / area->persons : 0.0);
    }
}

/* Until all have left, or the time is over. */
static void leave(const struct part *part, const struct obstacle_def *door, struct world *world,
                  struct watch *watch) {
    bool is_shut = !(part->shuts_s > 0.0);
    memset(watch, 0, sizeof *watch);
    while (world_agent_count(world) > 0 && now(world) < LIMIT_S) {
        if (!is_shut && now(world) >= part->shuts_s) {
            uint32_t id = 0;
            int32_t pushed = 0;
            is_shut = world_add_obstacle(world, door, &id, &pushed) == WORLD_OK;
        }
        world_step(world);
        watch_gates(watch, world);
        if (world_tick(world) % 60 == 0) {
            watch_areas(watch, world);
        }
    }
}

static void evacuate(const struct plan *plan, const struct building *building) {
    static struct watch watch;
    bool has_header = false;
    for (int p = 0; p < building->count; p++) {
        const struct part *part = &building->parts[p];
        int settings = 0;
        while (settings < SETTINGS && part->settings[settings].path != NULL) {
            settings++;
        }
        const int seeds = building->seeds > 0 && !plan->is_cut ? building->seeds : validation_seeds(plan);
        for (int seed = 1; seed <= seeds; seed++) {
            struct world *world =
                validation_world(plan, part->scenario, (uint64_t)seed, part->settings, settings);
            if (world == NULL) {
                continue;
            }
            if (!has_header) {
                print_header(world);
                has_header = true;
            }
            if (plan->is_cut && !building->is_in_cut) {
                world_destroy(world);
                return;
            }
            const int32_t people = world_agent_count(world);
            leave(part, &building->door, world, &watch);
            printf("%s,%d,%d,%d,%.1f", part->name, seed, people, world_agent_count(world), now(world));
            print_row(world, &watch);
            validation_end_row(world);
        }
    }
}

/* ---- the cases ---- */

#define COUNT(parts) (int)(sizeof(parts) / sizeof *(parts))

static void rimea_09(const struct plan *plan) {
    static const struct part parts[] = {{"four doors", "rimea_09", 0.0, {{0}}},
                                        {"two doors",
                                         "rimea_09",
                                         0.0,
                                         {{"world.obstacles.8", 0.0, "{\"box\":[145,40,35,10]}"},
                                          {"world.obstacles.9", 0.0, "{\"box\":[670,40,35,10]}"}}}};
    evacuate(plan, &(struct building){.parts = parts, .count = COUNT(parts)});
}

static void rimea_10(const struct plan *plan) {
    static const struct part parts[] = {{"assigned", "rimea_10", 0.0, {{0}}}};
    evacuate(plan, &(struct building){.parts = parts, .count = COUNT(parts), .is_in_cut = true});
}

static void rimea_12c(const struct plan *plan) {
    static const struct part parts[] = {{"two necks", "rimea_12c", 0.0, {{0}}}};
    evacuate(plan, &(struct building){.parts = parts, .count = COUNT(parts)});
}

static void rimea_15(const struct plan *plan) {
    static const struct part parts[] = {{"straight", "rimea_15_straight", 0.0, {{0}}},
                                        {"corner", "rimea_15_corner", 0.0, {{0}}},
                                        {"detour", "rimea_15_detour", 0.0, {{0}}}};
    evacuate(plan, &(struct building){.parts = parts, .count = COUNT(parts)});
}

static void rimea_15_turn(const struct plan *plan) {
    static const struct part parts[] = {{"corner", "rimea_15_turn", 0.0, {{0}}}};
    evacuate(plan, &(struct building){.parts = parts, .count = COUNT(parts)});
}

static void iso_07(const struct plan *plan) {
    static const struct part parts[] = {{"impaired", "iso_07", 0.0, {{0}}},
                                        {"able", "iso_07", 0.0, {{"agents.1.kind", 0.0, "walker"}}}};
    evacuate(plan, &(struct building){.parts = parts, .count = COUNT(parts), .is_in_cut = true});
}

static void iso_07_corridor(const struct plan *plan) {
    static const struct part parts[] = {{"one slow", "iso_07_corridor", 0.0, {{0}}}};
    evacuate(plan, &(struct building){.parts = parts, .count = COUNT(parts), .seeds = 20, .is_in_cut = true});
}

static void iso_09(const struct plan *plan) {
    static const struct part parts[] = {{"open", "iso_09", 0.0, {{0}}}, {"shut", "iso_09", 1.0, {{0}}}};
    evacuate(plan, &(struct building){
                       .parts = parts,
                       .count = COUNT(parts),
                       .door = {.shape = OBSTACLE_BOX, .at = {75.0f, 320.0f}, .size = {10.0f, 35.0f}},
                       .is_in_cut = true});
}

static void iso_10(const struct plan *plan) {
    static const struct part parts[] = {{"stairs", "iso_10", 0.0, {{0}}}};
    evacuate(plan, &(struct building){.parts = parts, .count = COUNT(parts)});
}

static void iso_12(const struct plan *plan) {
    static const struct part parts[] = {{"1",
                                         "iso_12",
                                         0.0,
                                         {{"world.obstacles.0.box.3", 112.5, NULL},
                                          {"world.obstacles.1.box.1", 137.5, NULL},
                                          {"world.obstacles.1.box.3", 112.5, NULL}}},
                                        {"1.5",
                                         "iso_12",
                                         0.0,
                                         {{"world.obstacles.0.box.3", 106.25, NULL},
                                          {"world.obstacles.1.box.1", 143.75, NULL},
                                          {"world.obstacles.1.box.3", 106.25, NULL}}},
                                        {"2", "iso_12", 0.0, {{0}}}};
    evacuate(plan, &(struct building){.parts = parts, .count = COUNT(parts)});
}

static void iso_17(const struct plan *plan) {
    static const struct part parts[] = {{"fork", "iso_17", 0.0, {{0}}}};
    evacuate(plan, &(struct building){.parts = parts, .count = COUNT(parts), .is_in_cut = true});
}

const struct validation_case building_cases[] = {
    {"rimea_09", rimea_09},
    {"rimea_10", rimea_10},
    {"rimea_12c", rimea_12c},
    {"rimea_15", rimea_15},
    {"rimea_15_turn", rimea_15_turn},
    {"iso_07", iso_07},
    {"iso_07_corridor", iso_07_corridor},
    {"iso_09", iso_09},
    {"iso_10", iso_10},
    {"iso_12", iso_12},
    {"iso_17", iso_17},
    {NULL, NULL},
};
