/* Crowds against what was measured of people, and the tests of RiMEA 4.1.1, NIST TN 1822 and ISO 20414. */
#include "tests/validation/validation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/sim/space/edge.h"

#define BODY     5.0 /* px; the radius of the bodies of these scenarios */
#define TIME_GAP 0.8 /* s; of walk, fitted to the corridor */
#define MARGIN   6.0 /* px; how far from the edge of a door a way leads */

enum { MOST = 2048, WAY_TEXT = 1 << 19 };
#define WAY_CELL 5

/* ---- flow fields that lead to doors ---- */

typedef vec2 (*direction_at)(double x, double y, const double *door);

/* The nearest point between two ends, each less the margin. */
static double into(double at, double low, double high) {
    return fmin(fmax(at, low + MARGIN), high - MARGIN);
}

static vec2 unit(double x, double y) {
    const double length = sqrt(x * x + y * y);
    return vec2_make((float)(x / length), (float)(y / length));
}

/* To the nearest point of a door in the line x = door[0], from y = door[1] to door[2]; from there on straight on, at door[3] = 1
 * to the right, at -1 to the left. */
static vec2 through_door(double x, double y, const double *door) {
    const double before = (door[0] - x) * door[3];
    return before > 0.0 ? unit(door[0] - x + door[3], into(y, door[1], door[2]) - y)
                        : vec2_make((float)door[3], 0.0f);
}

/* Along a corridor, then up behind the corner x = door[0]. */
static vec2 round_corner(double x, double y, const double *door) {
    return x < door[0] ? unit(door[0] + 3.0 - x, into(y, door[1], door[2]) - y) : vec2_make(0.0f, -1.0f);
}

/* The field as the text of a scenario, for a world of this size; valid until the next call with this slot. */
static const char *field_text(int slot, double width, double height, direction_at direction,
                              const double *door) {
    static char texts[2][WAY_TEXT];
    char *text = texts[slot];
    const int columns = (int)width / WAY_CELL, rows = (int)height / WAY_CELL;
    int at = snprintf(text, WAY_TEXT, "{\"grid\":{\"cells\":[%d,%d],\"vectors\":[", columns, rows);
    for (int i = 0; i < columns * rows; i++) {
        const int column = i % columns, row = i / columns;
        const vec2 to = direction((column + 0.5) * WAY_CELL, (row + 0.5) * WAY_CELL, door);
        at += snprintf(text + at, (size_t)(WAY_TEXT - at), "%s[%.2f,%.2f]", i > 0 ? "," : "",
                       100.0 * (double)to.x, 100.0 * (double)to.y);
    }
    (void)snprintf(text + at, (size_t)(WAY_TEXT - at), "]}}");
    return text;
}

/* ---- measuring ---- */

static double seconds(const struct world *world) {
    return (double)world_tick(world) / world_tick_hz(world);
}

/* m/s; the mean speed to the right of the agents of a kind (-1: all). */
static double mean_speed(const struct world *world, int kind) {
    double sum = 0.0;
    int count = 0;
    for (int32_t i = 0; i < world_agent_count(world); i++) {
        const struct agent_view agent = world_agent(world, i);
        if (kind < 0 || agent.kind == kind) {
            sum += (double)agent.velocity.x / METER;
            count++;
        }
    }
    return count > 0 ? sum / count : 0.0;
}

/* By how much two bodies overlap at most, as a share of a diameter. */
static double worst_overlap(const struct world *world) {
    const struct bounds bounds = world_bounds(world);
    const int32_t count = world_agent_count(world);
    double least = 2.0 * BODY;
    for (int32_t i = 0; i < count; i++) {
        const vec2 here = world_agent(world, i).position;
        for (int32_t j = 0; j < i; j++) {
            least = fmin(
                least, (double)vec2_length(bounds_difference(&bounds, here, world_agent(world, j).position)));
        }
    }
    return 1.0 - least / (2.0 * BODY);
}

/* Removes who is beyond x (to the right: side 1, to the left: -1) and is of this kind (-1: any). Returns how many. */
static int32_t remove_beyond(struct world *world, double x, double side, int kind) {
    static uint32_t ids[MOST];
    int32_t count = 0;
    for (int32_t i = 0; i < world_agent_count(world); i++) {
        const struct agent_view agent = world_agent(world, i);
        if (side * ((double)agent.position.x - x) > 0.0 && (kind < 0 || agent.kind == kind)) {
            ids[count++] = agent.id;
        }
    }
    return count > 0 ? world_remove(world, ids, count, NULL) : 0;
}

/* When each agent came through a gate first. */
struct passage {
    double x;              /* px; the gate, across the whole world */
    int kind;              /* -1: any */
    bool has_passed[MOST]; /* by id */
    double times[MOST];    /* s, in the order of passing */
    uint32_t ids[MOST];
    int count;
    double overlap; /* the worst there was, a second apart */
};

static void watch(struct passage *passage, const struct world *world) {
    for (int32_t i = 0; i < world_agent_count(world); i++) {
        const struct agent_view agent = world_agent(world, i);
        if ((passage->kind < 0 || agent.kind == passage->kind) && !passage->has_passed[agent.id] &&
            (double)agent.position.x >= passage->x) {
            passage->has_passed[agent.id] = true;
            passage->ids[passage->count] = agent.id;
            passage->times[passage->count++] = seconds(world);
        }
    }
}

/* Until so many have passed, or the time is over. Who is beyond `end` leaves the world. */
static void pass(struct passage *passage, struct world *world, int wanted, double limit, double end) {
    while (passage->count < wanted && seconds(world) < limit) {
        world_step(world);
        watch(passage, world);
        if (world_tick(world) % 60 == 0) {
            passage->overlap = fmax(passage->overlap, worst_overlap(world));
            (void)remove_beyond(world, end, 1.0, passage->kind);
        }
    }
}

/* Persons a second between the passing of two. 0: they have not passed. */
static double rate(const struct passage *passage, int from, int to) {
    return passage->count >= to ? (double)(to - from) / (passage->times[to - 1] - passage->times[from - 1])
                                : 0.0;
}

/* ---- speed and density ---- */

struct model {
    const char *name, *kind;
    double time_gap; /* s; 0: the kind has none */
    int seeds;
};

static void one_way(const struct plan *plan, const struct model *model, double density, int seed) {
    const struct setting settings[] = {{"agents.0.kind", 0.0, model->kind},
                                       {"agents.0.count", floor(density * 72.0 + 0.5), NULL},
                                       {"kinds.walker.behaviors.1.walk.time_gap", model->time_gap, NULL}};
    struct world *world =
        validation_world(plan, "corridor_fd", (uint64_t)seed, settings, model->time_gap > 0.0 ? 3 : 2);
    if (world == NULL) {
        return;
    }
    enum { SAMPLES = 20 };
    double speed = 0.0, overlap = 0.0, inside = 0.0, inside_speed = 0.0;
    validation_step(world, 30.0);
    for (int sample = 0; sample < SAMPLES; sample++) {
        validation_step(world, 1.0);
        speed += mean_speed(world, -1) / SAMPLES;
        overlap = fmax(overlap, worst_overlap(world));
        for (int32_t i = 0; i < world_agent_count(world); i++) { /* an area of 2 x 2 m in the middle */
            const struct agent_view agent = world_agent(world, i);
            if (fabs((double)agent.position.x - 225.0) < 25.0 &&
                fabs((double)agent.position.y - 75.0) < 25.0) {
                inside += 1.0;
                inside_speed += (double)agent.velocity.x / METER;
            }
        }
    }
    printf("%s,%g,%g,%d,%.3f,%.3f,%.3f,%.3f", model->name, model->time_gap, density, seed, speed,
           inside / (4.0 * SAMPLES), inside > 0.0 ? inside_speed / inside : 0.0, overlap);
    validation_end_row(world);
}

static void diagram(const struct plan *plan) {
    static const struct model models[] = {{"walk", "walker", TIME_GAP, 3},
                                          {"walk", "walker", 0.75, 3},
                                          {"walk", "walker", 0.7, 3},
                                          {"walk_wide", "wide", 0.0, 1},
                                          {"orca", "predictor", 0.0, 1}};
    static const double densities[] = {0.5, 1.0, 1.5, 2.0, 3.0, 4.0};
    puts("model,time_gap_s,density,seed,speed,area_density,area_speed,overlap,hash");
    for (int m = 0; m < 5; m++) {
        for (int d = 0; d < 6; d++) {
            for (int seed = 1; seed <= (plan->is_cut ? 1 : models[m].seeds); seed++) {
                if (!plan->is_cut || (m == 0 && d == 3)) {
                    one_way(plan, &models[m], densities[d], seed);
                }
            }
        }
    }
}

static void ring(const struct plan *plan) {
    static const double gaps[] = {TIME_GAP, 0.7, 1.0};
    static const double densities[] = {0.5, 0.7, 0.9, 1.1, 1.3, 1.5, 1.7, 1.9, 2.1};
    enum { SAMPLES = 30 };
    puts("time_gap_s,density,seed,speed,hash");
    for (int g = 0; g < 3; g++) {
        for (int d = 0; d < 9; d++) {
            for (int seed = 1; seed <= validation_seeds(plan) && (!plan->is_cut || (g == 0 && d % 5 == 2));
                 seed++) {
                const struct setting settings[] = {{"agents.0.count", floor(densities[d] * 26.0 + 0.5), NULL},
                                                   {"kinds.walker.behaviors.1.walk.time_gap", gaps[g], NULL}};
                struct world *world = validation_world(plan, "ring", (uint64_t)seed, settings, 2);
                if (world == NULL) {
                    continue;
                }
                double speed = 0.0;
                validation_step(world, 30.0);
                for (int sample = 0; sample < SAMPLES; sample++) {
                    validation_step(world, 1.0);
                    speed += mean_speed(world, -1) / SAMPLES;
                }
                printf("%g,%g,%d,%.3f", gaps[g], densities[d], seed, speed);
                validation_end_row(world);
            }
        }
    }
}

/* ---- stop and go ---- */

/* Speeds along the ring, one array a sample, 0.5 m a cell; NAN where nobody is. */
enum { WAVE_CELLS = 52, WAVE_SAMPLES = 120, WAVE_LAG = 12, WAVE_REACH = 13 };

struct wave {
    double at[WAVE_SAMPLES][WAVE_CELLS]; /* m/s */
    double mean, deviation;              /* m/s; of the persons' speeds, at one time, its mean over time */
    double standing;                     /* share of the persons below 0.05 m/s */
};

static void look_for_waves(struct world *world, struct wave *wave) {
    *wave = (struct wave){0};
    for (int sample = 0; sample < WAVE_SAMPLES; sample++) {
        double count[WAVE_CELLS] = {0.0}, sum = 0.0, squares = 0.0;
        const double people = (double)world_agent_count(world);
        validation_step(world, 0.5);
        for (int32_t i = 0; i < world_agent_count(world); i++) {
            const struct agent_view agent = world_agent(world, i);
            const double speed = (double)agent.velocity.x / METER;
            const int cell = (int)fmin((double)agent.position.x / 12.5, WAVE_CELLS - 1);
            wave->at[sample][cell] += speed;
            count[cell] += 1.0;
            sum += speed;
            squares += speed * speed;
            wave->standing += speed < 0.05 ? 1.0 / people / WAVE_SAMPLES : 0.0;
        }
        const double mean = sum / people;
        wave->mean += mean / WAVE_SAMPLES;
        wave->deviation += sqrt(fmax(squares / people - mean * mean, 0.0)) / WAVE_SAMPLES;
        for (int cell = 0; cell < WAVE_CELLS; cell++) {
            wave->at[sample][cell] =
                count[cell] > 0.0 ? wave->at[sample][cell] / count[cell] - mean : (double)NAN;
        }
    }
}

/* How well the speeds agree with those 6 s later and so many cells on: 1 wholly, 0 not at all. */
static double wave_correlation(const struct wave *wave, int shift) {
    double product = 0.0, first = 0.0, second = 0.0;
    for (int sample = 0; sample + WAVE_LAG < WAVE_SAMPLES; sample++) {
        for (int cell = 0; cell < WAVE_CELLS; cell++) {
            const double a = wave->at[sample][cell];
            const double b = wave->at[sample + WAVE_LAG][(cell + shift + WAVE_CELLS) % WAVE_CELLS];
            if (!isnan(a) && !isnan(b)) {
                product += a * b;
                first += a * a;
                second += b * b;
            }
        }
    }
    return first > 0.0 && second > 0.0 ? product / sqrt(first * second) : 0.0;
}

static void waves(const struct plan *plan) {
    static const double densities[] = {1.5, 1.9, 2.1};
    static struct wave wave;
    puts("density,seed,speed,deviation,standing,wave_speed,correlation,hash");
    for (int d = 0; d < 3; d++) {
        for (int seed = 1; seed <= validation_seeds(plan) && !plan->is_cut; seed++) {
            const struct setting setting = {"agents.0.count", floor(densities[d] * 26.0 + 0.5), NULL};
            struct world *world = validation_world(plan, "ring", (uint64_t)seed, &setting, 1);
            int best = -WAVE_REACH;
            if (world == NULL) {
                continue;
            }
            validation_step(world, 60.0);
            look_for_waves(world, &wave);
            for (int shift = -WAVE_REACH; shift <= WAVE_REACH; shift++) {
                best = wave_correlation(&wave, shift) > wave_correlation(&wave, best) ? shift : best;
            }
            printf("%g,%d,%.3f,%.3f,%.3f,%.2f,%.3f", densities[d], seed, wave.mean, wave.deviation,
                   wave.standing, best * 0.5 / (WAVE_LAG * 0.5), wave_correlation(&wave, best));
            validation_end_row(world);
        }
    }
}

/* RiMEA 13: all of the corridor is stairs, with the speeds of rimea_02. */
static void rimea_13(const struct plan *plan) {
    static const double densities[] = {0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0};
    enum { SAMPLES = 20 };
    puts("way,density,seed,speed,hash");
    for (int w = 0; w < 2; w++) {
        for (int d = 0; d < 7; d++) {
            for (int seed = 1; seed <= validation_seeds(plan) && !plan->is_cut; seed++) {
                const struct setting settings[] = {
                    {"agents.0.count", floor(densities[d] * 72.0 + 0.5), NULL},
                    {"world.areas.stairs.speed", (w == 0 ? 0.61 : 0.694) / 1.34, NULL}};
                struct world *world = validation_world(plan, "rimea_13", (uint64_t)seed, settings, 2);
                double speed = 0.0;
                if (world == NULL) {
                    continue;
                }
                validation_step(world, 30.0);
                for (int sample = 0; sample < SAMPLES; sample++) {
                    validation_step(world, 1.0);
                    speed += mean_speed(world, -1) / SAMPLES;
                }
                printf("%s,%g,%d,%.3f", w == 0 ? "up" : "down", densities[d], seed, speed);
                validation_end_row(world);
            }
        }
    }
}

/* ---- doors ---- */

struct door {
    const char *kind;
    double time_gap, width, length; /* s, m, m */
    double speed;                   /* m/s; 0: as the scenario has it */
    int people;
    double end; /* m behind the door; there people leave the world */
};

static struct world *door_world(const struct plan *plan, const struct door *door, int seed) {
    const double low = 125.0 - 0.5 * door->width * METER, high = 125.0 + 0.5 * door->width * METER;
    const double at[] = {250.0, low, high, 1.0}, length = door->length * METER;
    /* Those of people who queue have neither a flow field nor a time gap. */
    const bool queues = strcmp(door->kind, "queuer") == 0;
    const struct setting settings[] = {
        {"world.obstacles.0.box.2", length, NULL},
        {"world.obstacles.0.box.3", low, NULL},
        {"world.obstacles.1.box.2", length, NULL},
        {"world.obstacles.1.box.1", high, NULL},
        {"world.obstacles.1.box.3", 250.0 - high, NULL},
        {"agents.0.count", door->people, NULL},
        {"world.flow_fields.out", 0.0, field_text(0, 700.0, 250.0, through_door, at)},
        {"kinds.walker.behaviors.1.walk.time_gap", door->time_gap, NULL},
        {"kinds.walker.max_speed", door->speed * METER, NULL},
    };
    return validation_world(plan, queues ? "queue_door" : "bottleneck", (uint64_t)seed, settings,
                            queues ? 6 : 8 + (door->speed > 0.0));
}

/* Runs it, and prints what every case of doors has: the flow between the 30th and the 120th of 150 (20 and 80 %), the time until all
 * but the last are through, and the worst overlap. */
static void door_run(struct world *world, const struct door *door, struct passage *passage) {
    const double behind = 250.0 + door->length * METER;
    *passage = (struct passage){.x = behind, .kind = -1};
    pass(passage, world, door->people, 300.0, behind + door->end * METER);
}

static void doors(const struct plan *plan) {
    static const struct model models[] = {
        {"walk", "walker", TIME_GAP, 3}, {"walk", "walker", 0.7, 3}, {"queue", "queuer", TIME_GAP, 1}};
    static const double widths[] = {0.8, 1.0, 1.2, 1.6, 2.0, 2.4};
    static struct passage passage;
    puts("model,time_gap_s,width,seed,passed,flow,specific_flow,overlap,hash");
    for (int m = 0; m < 3; m++) {
        for (int w = 0; w < 6; w++) {
            for (int seed = 1; seed <= (plan->is_cut ? 1 : models[m].seeds); seed++) {
                const struct door door = {models[m].kind, models[m].time_gap, widths[w], 0.4, 0.0, 150, 4.0};
                struct world *world =
                    plan->is_cut && (m > 0 || w != 2) ? NULL : door_world(plan, &door, seed);
                if (world == NULL) {
                    continue;
                }
                door_run(world, &door, &passage);
                const double flow = rate(&passage, 30, 120);
                printf("%s,%g,%g,%d,%d,%.3f,%.3f,%.3f", models[m].name, m < 2 ? models[m].time_gap : 0.0,
                       widths[w], seed, passage.count, flow, flow / widths[w], passage.overlap);
                validation_end_row(world);
            }
        }
    }
}

static void faster(const struct plan *plan) {
    static const double speeds[] = {0.7, 1.3, 2.5, 4.5};
    static struct passage passage;
    puts("speed,seed,passed,specific_flow,last_s,hash");
    for (int s = 0; s < 4; s++) {
        for (int seed = 1; seed <= validation_seeds(plan) && !plan->is_cut; seed++) {
            const struct door door = {"walker", TIME_GAP, 1.2, 0.4, speeds[s], 150, 4.0};
            struct world *world = door_world(plan, &door, seed);
            if (world == NULL) {
                continue;
            }
            door_run(world, &door, &passage);
            printf("%g,%d,%d,%.3f,%.1f", speeds[s], seed, passage.count, rate(&passage, 30, 120) / 1.2,
                   passage.times[passage.count - 1]);
            validation_end_row(world);
        }
    }
}

/* RiMEA 12 a, b and d: the distance of the goal, the length and the width of the neck. */
static void necks(const struct plan *plan) {
    static const struct {
        const char *part;
        double width, length, end;
    } rows[] = {{"a", 1.0, 0.2, 0.5}, {"a", 1.0, 0.2, 8.0}, {"b", 1.0, 0.2, 4.0}, {"b", 1.0, 5.0, 4.0},
                {"d", 0.8, 5.0, 4.0}, {"d", 1.0, 5.0, 4.0}, {"d", 1.2, 5.0, 4.0}};
    static struct passage passage;
    puts("part,width,length,goal,seed,passed,last_s,flow,hash");
    for (int r = 0; r < 7; r++) {
        for (int seed = 1; seed <= validation_seeds(plan) && !plan->is_cut; seed++) {
            const struct door door = {"walker", TIME_GAP, rows[r].width, rows[r].length, 0.0, 100, 4.0};
            struct world *world = door_world(plan, &door, seed);
            if (world == NULL) {
                continue;
            }
            passage = (struct passage){
                .x = 250.0 + (rows[r].length + (rows[r].part[0] == 'a' ? rows[r].end : 0.0)) * METER,
                .kind = -1};
            pass(&passage, world, door.people, 300.0, passage.x + 5.0 * METER);
            printf("%s,%g,%g,%g,%d,%d,%.1f,%.3f", rows[r].part, rows[r].width, rows[r].length, rows[r].end,
                   seed, passage.count, passage.times[passage.count - 1], rate(&passage, 20, 80));
            validation_end_row(world);
        }
    }
}

/* ---- the zipper in a neck ---- */

/* Where people walk in the middle of a neck of 4 m, a row for each 0.05 m from its axis, and how often one comes on the other side of the
 * axis than the one before. */
static void zipper(const struct plan *plan) {
    static const double widths[] = {0.8, 1.0, 1.2};
    static struct passage passage;
    enum { BINS = 25, MIDDLE = BINS / 2 };
    puts("width,offset,seed,people,alternating,hash");
    for (int w = 0; w < 3; w++) {
        for (int seed = 1; seed <= validation_seeds(plan) && !plan->is_cut; seed++) {
            const struct door door = {"walker", TIME_GAP, widths[w], 4.0, 0.0, 150, 4.0};
            struct world *world = door_world(plan, &door, seed);
            int bins[BINS] = {0}, alternating = 0, seen = 0;
            double before = 0.0;
            if (world == NULL) {
                continue;
            }
            passage = (struct passage){.x = 300.0, .kind = -1};
            while (passage.count < door.people && seconds(world) < 300.0) {
                world_step(world);
                const int known = passage.count;
                watch(&passage, world);
                for (int p = known; p < passage.count; p++, seen++) {
                    const double y =
                        ((double)world_agent(world, world_find_agent(world, passage.ids[p])).position.y -
                         125.0) /
                        METER;
                    bins[(int)fmin(fmax(floor(y / 0.05 + 0.5) + MIDDLE, 0.0), BINS - 1)]++;
                    alternating += seen > 0 && y * before < 0.0 ? 1 : 0;
                    before = y;
                }
            }
            const uint64_t hash = world_hash(world);
            for (int bin = 0; bin < BINS; bin++) {
                printf("%g,%.2f,%d,%d,%.3f,%016llx\n", widths[w], 0.05 * (bin - MIDDLE), seed, bins[bin],
                       (double)alternating / fmax(seen - 1, 1), (unsigned long long)hash);
            }
            world_destroy(world);
        }
    }
}

/* ---- both ways ---- */

/* 1: each row of 0.4 m is walked one way; 0: both ways equally. */
static double lane_order(const struct world *world, int kind) {
    int ways[10][2] = {{0}};
    double sum = 0.0;
    for (int32_t i = 0; i < world_agent_count(world); i++) {
        const struct agent_view agent = world_agent(world, i);
        const int row = (int)fmin(fmax(((double)agent.position.y - 25.0) / 10.0, 0.0), 9.0);
        ways[row][agent.kind == kind ? 0 : 1]++;
    }
    for (int row = 0; row < 10; row++) {
        const int all = ways[row][0] + ways[row][1], net = ways[row][0] - ways[row][1];
        sum += all > 0 ? (double)(net * net) / (double)all : 0.0;
    }
    return sum / (double)world_agent_count(world);
}

static void lanes(const struct plan *plan) {
    static const double densities[] = {0.5, 1.0, 2.0, 3.0};
    static const char *const kinds[][2] = {{"east", "west"}, {"east_predictor", "west_predictor"}};
    enum { SAMPLES = 20 };
    puts("model,density,seed,order,speed,overlap,hash");
    for (int m = 0; m < 2; m++) {
        for (int d = 0; d < 4; d++) {
            for (int seed = 1; seed <= validation_seeds(plan) && (!plan->is_cut || (m == 0 && d == 1));
                 seed++) {
                const double each = floor(densities[d] * 48.0 + 0.5);
                const struct setting settings[] = {{"agents.0.count", each, NULL},
                                                   {"agents.1.count", each, NULL},
                                                   {"agents.0.kind", 0.0, kinds[m][0]},
                                                   {"agents.1.kind", 0.0, kinds[m][1]}};
                struct world *world = validation_world(plan, "lanes", (uint64_t)seed, settings, 4);
                if (world == NULL) {
                    continue;
                }
                const int east = world_find_kind(world, kinds[m][0]),
                          west = world_find_kind(world, kinds[m][1]);
                double order = 0.0, speed = 0.0, overlap = 0.0;
                validation_step(world, 60.0);
                for (int sample = 0; sample < SAMPLES; sample++) {
                    validation_step(world, 1.0);
                    order += lane_order(world, east) / SAMPLES;
                    speed += 0.5 * (mean_speed(world, east) - mean_speed(world, west)) / SAMPLES;
                    overlap = fmax(overlap, worst_overlap(world));
                }
                printf("%s,%g,%d,%.3f,%.3f,%.3f", m == 0 ? "walk" : "orca", densities[d], seed, order, speed,
                       overlap);
                validation_end_row(world);
            }
        }
    }
}

static void counterflow(const struct plan *plan) {
    static const int against[] = {0, 10, 50, 100};
    static struct passage passage;
    puts("against,seed,passed,mean_s,last_s,hash");
    for (int n = 0; n < 4; n++) {
        for (int seed = 1; seed <= validation_seeds(plan) && (!plan->is_cut || n == 0); seed++) {
            const double right[] = {250.0, 100.0, 150.0, 1.0}, left[] = {500.0, 100.0, 150.0, -1.0};
            const struct setting settings[] = {
                {"world.flow_fields.east", 0.0, field_text(0, 750.0, 250.0, through_door, right)},
                {"world.flow_fields.west", 0.0, field_text(1, 750.0, 250.0, through_door, left)},
                {"agents.1.count", fmax(against[n], 1.0), NULL}};
            struct world *world = validation_world(plan, "iso_06", (uint64_t)seed, settings, 3);
            if (world == NULL) {
                continue;
            }
            const int east = world_find_kind(world, "east"), west = world_find_kind(world, "west");
            if (against[n] == 0) {
                (void)world_remove_kind(world, west);
            }
            passage = (struct passage){.x = 500.0, .kind = east};
            while (passage.count < 100 && seconds(world) < 300.0) {
                pass(&passage, world, 100, seconds(world) + 1.0, 725.0);
                (void)remove_beyond(world, 25.0, -1.0, west);
            }
            double mean = 0.0;
            for (int i = 0; i < passage.count; i++) {
                mean += passage.times[i] / passage.count;
            }
            printf("%d,%d,%d,%.1f,%.1f", against[n], seed, passage.count, mean,
                   passage.count > 0 ? passage.times[passage.count - 1] : 0.0);
            validation_end_row(world);
        }
    }
}

/* ---- crossing streams ---- */

/* The mean product of two persons' streams (1: the same, -1: the other) by the direction of the line between them, of those that are 0.5
 * to 2.5 m apart: it is greatest along the stripes. 0 degrees: one stream's way, 90 the other's. */
static void add_directions(const struct world *world, int kind, double sums[12], double pairs[12]) {
    const struct bounds bounds = world_bounds(world);
    for (int32_t i = 0; i < world_agent_count(world); i++) {
        const struct agent_view a = world_agent(world, i);
        for (int32_t j = 0; j < i; j++) {
            const struct agent_view b = world_agent(world, j);
            const vec2 to = bounds_difference(&bounds, a.position, b.position);
            const double distance = (double)vec2_length(to) / METER;
            if (distance >= 0.5 && distance <= 2.5) {
                const double angle = atan2((double)to.y, (double)to.x) * 180.0 / 3.14159265358979;
                const int sector = (int)floor(angle / 15.0 + 24.5) % 12;
                sums[sector] += (a.kind == kind) == (b.kind == kind) ? 1.0 : -1.0;
                pairs[sector] += 1.0;
            }
        }
    }
}

static void crossing(const struct plan *plan) {
    static const double densities[] = {0.5, 1.0, 1.5};
    enum { SAMPLES = 20 };
    puts("density,angle,seed,correlation,speed,hash");
    for (int d = 0; d < 3; d++) {
        for (int seed = 1; seed <= validation_seeds(plan) && !plan->is_cut; seed++) {
            const double each = densities[d] * 128.0;
            const struct setting settings[] = {{"agents.0.count", each, NULL},
                                               {"agents.1.count", each, NULL}};
            struct world *world = validation_world(plan, "crossing", (uint64_t)seed, settings, 2);
            double sums[12] = {0.0}, pairs[12] = {0.0}, speed = 0.0;
            if (world == NULL) {
                continue;
            }
            validation_step(world, 60.0);
            for (int sample = 0; sample < SAMPLES; sample++) {
                validation_step(world, 1.0);
                add_directions(world, 0, sums, pairs);
                speed += mean_speed(world, 0) / SAMPLES;
            }
            const uint64_t hash = world_hash(world);
            for (int sector = 0; sector < 12; sector++) {
                printf("%g,%d,%d,%.3f,%.3f,%016llx\n", densities[d], 15 * sector, seed,
                       pairs[sector] > 0.0 ? sums[sector] / pairs[sector] : 0.0, speed,
                       (unsigned long long)hash);
            }
            world_destroy(world);
        }
    }
}

/* ---- RiMEA 1, 2, 3, 5, 6, 7 ---- */

static void rimea_01(const struct plan *plan) {
    static struct passage passage;
    puts("seed,seconds,aside,hash");
    struct world *world = validation_world(plan, "rimea_01", 1, NULL, 0);
    if (world != NULL) {
        double aside = 0.0;
        passage = (struct passage){.x = 25.0 + 40.0 * METER, .kind = -1};
        while (passage.count < 1 && seconds(world) < 60.0) {
            pass(&passage, world, 1, seconds(world) + 1.0, 2000.0);
            aside = fmax(aside, fabs((double)world_agent(world, 0).position.y - 50.0) / METER);
        }
        printf("1,%.2f,%.3f", passage.count > 0 ? passage.times[0] : 0.0, aside);
        validation_end_row(world);
    }
}

/* 2: up, 3: down; the speeds on stairs are those of Weidmann 1993, as shares of 1.34 m/s. */
static void rimea_02(const struct plan *plan) {
    static const struct {
        const char *way;
        double speed; /* m/s */
    } rows[] = {{"up", 0.61}, {"down", 0.694}};
    puts("way,seed,set_speed,speed,hash");
    for (int r = 0; r < 2; r++) {
        const struct setting setting = {"world.areas.stairs.speed", rows[r].speed / 1.34, NULL};
        struct world *world = validation_world(plan, "rimea_02", 1, &setting, 1);
        if (world == NULL) {
            continue;
        }
        static struct passage foot, head;
        foot = (struct passage){.x = 10.0 * METER, .kind = -1};
        head = (struct passage){.x = 20.0 * METER, .kind = -1};
        pass(&foot, world, 1, 60.0, 2000.0);
        pass(&head, world, 1, 60.0, 2000.0);
        const double took = head.times[0] - foot.times[0];
        printf("%s,1,%.3f,%.3f", rows[r].way, rows[r].speed, head.count > 0 ? 10.0 / took : 0.0);
        validation_end_row(world);
    }
}

static void rimea_05(const struct plan *plan) {
    puts("reaction_s,seed,started_s,hash");
    for (int seed = 1; seed <= validation_seeds(plan); seed++) {
        struct world *world = validation_world(plan, "rimea_05", (uint64_t)seed, NULL, 0);
        double started[10] = {0.0};
        if (world == NULL) {
            continue;
        }
        while (seconds(world) < 102.0) {
            world_step(world);
            for (int32_t i = 0; i < world_agent_count(world); i++) {
                const struct agent_view agent = world_agent(world, i);
                if (started[agent.kind] == 0.0 && vec2_length(agent.velocity) > 0.1f * (float)METER) {
                    started[agent.kind] = seconds(world);
                }
            }
        }
        const uint64_t hash = world_hash(world);
        for (int kind = 0; kind < 10; kind++) {
            printf("%d,%d,%.3f,%016llx\n", 10 * (kind + 1), seed, started[kind], (unsigned long long)hash);
        }
        world_destroy(world);
    }
}

static void rimea_06(const struct plan *plan) {
    puts("seed,arrived,last_s,in_walls,hash");
    for (int seed = 1; seed <= validation_seeds(plan); seed++) {
        const double corner[] = {275.0, 275.0, 325.0, 0.0};
        const struct setting setting = {"world.flow_fields.round", 0.0,
                                        field_text(0, 350.0, 350.0, round_corner, corner)};
        struct world *world = validation_world(plan, "rimea_06", (uint64_t)seed, &setting, 1);
        int32_t left = 20, in_walls = 0;
        if (world == NULL) {
            continue;
        }
        while (left > 0 && seconds(world) < 120.0) {
            world_step(world);
            left = 0;
            for (int32_t i = 0; i < world_agent_count(world); i++) {
                const vec2 at = world_agent(world, i).position;
                in_walls += (at.x < 275.0f && at.y < 275.0f) || at.y > 325.0f || at.x > 325.0f ? 1 : 0;
                left += at.y > 25.0f ? 1 : 0;
            }
        }
        printf("%d,%d,%.1f,%d", seed, 20 - left, seconds(world), in_walls);
        validation_end_row(world);
    }
}

static void rimea_07(const struct plan *plan) {
    enum { GROUPS = 4 };
    puts("group,seed,people,assigned_low,assigned_high,walked_low,walked_high,worst,hash");
    for (int seed = 1; seed <= validation_seeds(plan); seed++) {
        struct world *world = validation_world(plan, "rimea_07", (uint64_t)seed, NULL, 0);
        static float from[MOST];
        double assigned[GROUPS][2], walked[GROUPS][2], worst[GROUPS] = {0.0};
        if (world == NULL) {
            continue;
        }
        for (int g = 0; g < GROUPS; g++) {
            assigned[g][0] = walked[g][0] = 1e9;
            assigned[g][1] = walked[g][1] = 0.0;
        }
        validation_step(world, 5.0);
        for (int32_t i = 0; i < world_agent_count(world); i++) {
            from[i] = world_agent(world, i).position.x;
        }
        validation_step(world, 20.0);
        for (int32_t i = 0; i < world_agent_count(world); i++) {
            const struct agent_view agent = world_agent(world, i);
            const double speed = ((double)agent.position.x - (double)from[i]) / 20.0 / METER;
            const double own = (double)agent.max_speed / METER;
            assigned[agent.kind][0] = fmin(assigned[agent.kind][0], own);
            assigned[agent.kind][1] = fmax(assigned[agent.kind][1], own);
            walked[agent.kind][0] = fmin(walked[agent.kind][0], speed);
            walked[agent.kind][1] = fmax(walked[agent.kind][1], speed);
            worst[agent.kind] = fmax(worst[agent.kind], fabs(speed - own));
        }
        const uint64_t hash = world_hash(world);
        for (int g = 0; g < GROUPS; g++) {
            printf("%s,%d,%d,%.3f,%.3f,%.3f,%.3f,%.3f,%016llx\n", world_kind(world, g)->name, seed,
                   (int)world_kind_population(world, g), assigned[g][0], assigned[g][1], walked[g][0],
                   walked[g][1], worst[g], (unsigned long long)hash);
        }
        world_destroy(world);
    }
}

const struct validation_case crowd_cases[] = {
    {"diagram", diagram},   {"ring", ring},         {"waves", waves},
    {"doors", doors},       {"faster", faster},     {"necks", necks},
    {"zipper", zipper},     {"lanes", lanes},       {"counterflow", counterflow},
    {"crossing", crossing}, {"rimea_01", rimea_01}, {"rimea_02", rimea_02},
    {"rimea_05", rimea_05}, {"rimea_06", rimea_06}, {"rimea_07", rimea_07},
    {"rimea_13", rimea_13}, {NULL, NULL},
};
