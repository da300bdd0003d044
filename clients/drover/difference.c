/* What two recordings and two worlds are compared by. See diff.h. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/drover/diff.h"
#include "clients/drover/player.h"
#include "common/json/json_writer.h"
#include "server/recording/recording_line.h"
#include "server/recording/replay.h"
#include "server/sim/world/world_image.h"

/* ---- recordings: taking ---- */

struct taking {
    struct outline *out;
    size_t input_room, hash_room;
    uint32_t world;
    size_t actor_count, actor_room;
    uint32_t *actors; /* sessions in order of appearance */
    bool is_short;    /* of memory */
};

/* Room for one more entry. */
static void *grow(void *entries, size_t count, size_t *room, size_t size) {
    if (count < *room) {
        return entries;
    }
    const size_t wanted = *room == 0 ? 64 : 2 * *room;
    void *grown = realloc(entries, wanted * size);
    if (grown != NULL) {
        *room = wanted;
    }
    return grown;
}

/* FNV-1a */
static uint64_t digest_of(uint64_t digest, const void *bytes, size_t length) {
    const unsigned char *next = bytes;
    for (size_t i = 0; i < length; i++) {
        digest = (digest ^ next[i]) * 1099511628211u;
    }
    return digest;
}
static const uint64_t NO_DIGEST = 14695981039346656037u;

static uint32_t actor_of(struct taking *taking, uint32_t by) {
    if (by == 0) {
        return 0;
    }
    for (size_t i = taking->actor_count; i > 0; i--) {
        if (taking->actors[i - 1] == by) {
            return (uint32_t)i;
        }
    }
    uint32_t *actors = grow(taking->actors, taking->actor_count, &taking->actor_room, sizeof *actors);
    if (actors == NULL) {
        taking->is_short = true;
        return 0;
    }
    taking->actors = actors;
    actors[taking->actor_count++] = by;
    return (uint32_t)taking->actor_count;
}

static void take_input(struct taking *taking, const struct recording_line *line) {
    struct outline *out = taking->out;
    struct outline_input *inputs = grow(out->inputs, out->input_count, &taking->input_room, sizeof *inputs);
    if (inputs == NULL) {
        taking->is_short = true;
        return;
    }
    out->inputs = inputs;
    struct outline_input *input = &inputs[out->input_count++];
    *input = (struct outline_input){.moment = {taking->world, line->tick, line->seq},
                                    .by = line->by,
                                    .is_world = line->op == RECORDING_WORLD};
    input->actor = actor_of(taking, line->by);
    if (line->op == RECORDING_DO) {
        input->digest = digest_of(NO_DIGEST, line->request, line->request_length);
    } else {
        input->digest = digest_of(NO_DIGEST, line->text, line->text_length);
        input->digest = digest_of(input->digest, &line->seed, sizeof line->seed);
        input->digest = digest_of(input->digest, &line->tick_hz, sizeof line->tick_hz);
    }
}

static void take_hash(struct taking *taking, const struct recording_line *line) {
    struct outline *out = taking->out;
    struct outline_hash *hashes = grow(out->hashes, out->hash_count, &taking->hash_room, sizeof *hashes);
    if (hashes == NULL) {
        taking->is_short = true;
        return;
    }
    out->hashes = hashes;
    hashes[out->hash_count++] = (struct outline_hash){.moment = {taking->world, line->tick, line->seq},
                                                      .hash = line->hash,
                                                      .is_checkpoint = line->op == RECORDING_CHECKPOINT};
}

static bool take_line(void *context, const char *text, size_t length) {
    struct taking *taking = context;
    struct recording_line line;
    struct failure failure;
    if (recording_line_read(text, length, &line, &failure) != 0) {
        return true;
    }
    if (line.op == RECORDING_WORLD) {
        taking->world = line.world;
    }
    if (line.op == RECORDING_WORLD || line.op == RECORDING_DO) {
        take_input(taking, &line);
    } else if (line.op == RECORDING_HASH || line.op == RECORDING_CHECKPOINT) {
        take_hash(taking, &line);
    }
    return !taking->is_short;
}

static int compare_moments(const struct recording_moment *a, const struct recording_moment *b) {
    if (a->world != b->world) {
        return a->world < b->world ? -1 : 1;
    }
    if (a->tick != b->tick) {
        return a->tick < b->tick ? -1 : 1;
    }
    return (a->seq > b->seq) - (a->seq < b->seq);
}

static int compare_hashes(const void *a, const void *b) {
    return compare_moments(&((const struct outline_hash *)a)->moment,
                           &((const struct outline_hash *)b)->moment);
}

/* How many inputs stand before each hash. */
static void count_inputs(struct outline *out) {
    size_t inputs = 0;
    for (size_t i = 0; i < out->hash_count; i++) {
        while (inputs < out->input_count &&
               compare_moments(&out->inputs[inputs].moment, &out->hashes[i].moment) <= 0) {
            inputs++;
        }
        out->hashes[i].inputs = inputs;
    }
}

int outline_take(struct recording *recording, struct outline *out, struct failure *failure) {
    *out = (struct outline){0};
    struct taking taking = {.out = out};
    int result = recording_visit(recording, take_line, &taking, failure);
    free(taking.actors);
    if (result == 0 && taking.is_short) {
        result = failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    if (result != 0) {
        outline_fini(out);
        return -1;
    }
    if (out->hash_count > 0) {
        qsort(out->hashes, out->hash_count, sizeof *out->hashes, compare_hashes);
    }
    count_inputs(out);
    return 0;
}

size_t outline_world_count(const struct outline *outline) {
    size_t count = 0;
    for (size_t i = 0; i < outline->input_count; i++) {
        count += outline->inputs[i].is_world;
    }
    return count;
}

void outline_fini(struct outline *outline) {
    free(outline->inputs);
    free(outline->hashes);
    *outline = (struct outline){0};
}

/* ---- recordings: comparing ---- */

size_t outline_first_input(const struct outline *a, const struct outline *b) {
    size_t index = 0;
    for (; index < a->input_count && index < b->input_count; index++) {
        const struct outline_input *one = &a->inputs[index];
        const struct outline_input *other = &b->inputs[index];
        if (one->moment.world != other->moment.world || one->moment.tick != other->moment.tick ||
            one->actor != other->actor || one->digest != other->digest) {
            break;
        }
    }
    return index;
}

/* In the same world at the same tick after as many inputs. seq counts pauses, too, so it is not looked at. */
static int compare_places(const struct outline_hash *a, const struct outline_hash *b) {
    if (a->moment.world != b->moment.world) {
        return a->moment.world < b->moment.world ? -1 : 1;
    }
    if (a->moment.tick != b->moment.tick) {
        return a->moment.tick < b->moment.tick ? -1 : 1;
    }
    return (a->inputs > b->inputs) - (a->inputs < b->inputs);
}

void outline_part(const struct outline *a, const struct outline *b, struct outline_parting *out) {
    const size_t common = outline_first_input(a, b);
    size_t i = 0;
    size_t j = 0;
    *out = (struct outline_parting){0};
    while (i < a->hash_count && j < b->hash_count) {
        const struct outline_hash *one = &a->hashes[i];
        const struct outline_hash *other = &b->hashes[j];
        const int order = compare_places(one, other);
        if (order != 0) {
            i += order < 0;
            j += order > 0;
            continue;
        }
        if (one->hash != other->hash) {
            out->has_different = true;
            out->different = one->moment;
            out->hash[0] = one->hash;
            out->hash[1] = other->hash;
            return;
        }
        out->has_equal = true;
        out->equal = one->moment;
        if (one->is_checkpoint && other->is_checkpoint && one->inputs <= common) {
            out->has_checkpoint = true;
            out->checkpoint = one->moment;
        }
        i++;
        j++;
    }
}

/* ---- recordings: printing ---- */

struct finding {
    size_t index, next;
};

static void print_input(const struct recording_line *line) {
    enum { SHOWN = 300 };
    (void)printf("tick %" PRIu64 ", request %" PRIu64 ", ", line->tick, line->seq);
    if (line->by == 0) {
        (void)printf("the server");
    } else {
        (void)printf("session %" PRIu32 "%s%s%s", line->by, line->name[0] == '\0' ? "" : " (", line->name,
                     line->name[0] == '\0' ? "" : ")");
    }
    if (line->op == RECORDING_DO) {
        const bool is_long = line->request_length > SHOWN;
        (void)printf(": %.*s%s\n", is_long ? SHOWN : (int)line->request_length, line->request,
                     is_long ? "..." : "");
    } else {
        (void)printf(": world %" PRIu32 ", scenario %s, seed %" PRIu64 ", %g ticks a second\n", line->world,
                     line->scenario, line->seed, line->tick_hz);
    }
}

static bool find_input(void *context, const char *text, size_t length) {
    struct finding *finding = context;
    struct recording_line line;
    struct failure failure;
    if (recording_line_read(text, length, &line, &failure) != 0 ||
        (line.op != RECORDING_WORLD && line.op != RECORDING_DO)) {
        return true;
    }
    if (finding->next++ < finding->index) {
        return true;
    }
    print_input(&line);
    return false;
}

int outline_print_input(struct recording *recording, size_t index, struct failure *failure) {
    struct finding finding = {.index = index};
    return recording_visit(recording, find_input, &finding, failure);
}

/* ---- worlds: besides agents ---- */

static void note(struct world_difference *out, const char *format, ...) PRINTF_LIKE(2, 3);
static void note(struct world_difference *out, const char *format, ...) {
    if (out->note_count < DIFFERENCE_NOTES) {
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(out->notes[out->note_count], DIFFERENCE_NOTE, format, arguments);
        va_end(arguments);
    }
    out->note_count++;
}

/* What it is, and its value in each of the worlds. */
static void note_values(struct world_difference *out, const char *what, const char *a, const char *b) {
    if (out->note_count < DIFFERENCE_NOTES) {
        (void)snprintf(out->values[out->note_count][0], DIFFERENCE_NOTE, "%s", a);
        (void)snprintf(out->values[out->note_count][1], DIFFERENCE_NOTE, "%s", b);
    }
    note(out, "%s", what);
}

static void note_numbers(struct world_difference *out, const char *what, double a, double b) {
    char text_a[JSON_NUMBER_TEXT];
    char text_b[JSON_NUMBER_TEXT];
    (void)json_number_text(text_a, a);
    (void)json_number_text(text_b, b);
    note_values(out, what, text_a, text_b);
}

/* Notes what differs. Whether they are the same. */
static bool compare_numbers(struct world_difference *out, const char *what, double a, double b) {
    if (a != b) {
        note_numbers(out, what, a, b);
    }
    return a == b;
}

static void compare_images(const struct world *a, const struct world *b, struct world_difference *out) {
    const struct world_image image_a = world_image_of(a);
    const struct world_image image_b = world_image_of(b);
    (void)compare_numbers(out, "tick", (double)image_a.tick, (double)image_b.tick);
    if (world_seed(a) != world_seed(b)) {
        note_numbers(out, "seed", (double)world_seed(a), (double)world_seed(b));
    }
    (void)compare_numbers(out, "ticks a second", world_tick_hz(a), world_tick_hz(b));
    (void)compare_numbers(out, "id of the next agent", image_a.next_id, image_b.next_id);
    (void)compare_numbers(out, "id of the next obstacle", image_a.next_obstacle, image_b.next_obstacle);
}

static void compare_params(const struct world *a, const struct world *b, int kind,
                           struct world_difference *out) {
    struct param_ref ref_a;
    struct param_ref ref_b;
    char name_a[64];
    char name_b[64];
    for (int i = 0; world_param_at(a, kind, i, &ref_a, name_a); i++) {
        if (!world_param_at(b, kind, i, &ref_b, name_b) || strcmp(name_a, name_b) != 0) {
            note(out, "kind %s has other parameters", world_kind(a, kind)->name);
            return;
        }
        const struct image_param value_a = world_image_param(a, &ref_a);
        const struct image_param value_b = world_image_param(b, &ref_b);
        if (!is_same_double(value_a.low, value_b.low) || !is_same_double(value_a.high, value_b.high)) {
            char what[DIFFERENCE_NOTE];
            (void)snprintf(what, sizeof what, "parameter %s.%s", world_kind(a, kind)->name, name_a);
            note_numbers(out, what, world_get_param(a, &ref_a), world_get_param(b, &ref_b));
        }
    }
}

static void compare_kinds(const struct world *a, const struct world *b, struct world_difference *out) {
    if (!compare_numbers(out, "number of kinds", world_kind_count(a), world_kind_count(b))) {
        return;
    }
    for (int kind = 0; kind < world_kind_count(a); kind++) {
        if (strcmp(world_kind(a, kind)->name, world_kind(b, kind)->name) != 0) {
            note_values(out, "kind", world_kind(a, kind)->name, world_kind(b, kind)->name);
            continue;
        }
        compare_params(a, b, kind, out);
        const struct aim aim_a = world_image_aim(a, kind);
        const struct aim aim_b = world_image_aim(b, kind);
        if (aim_a.mode != aim_b.mode || aim_a.target != aim_b.target || aim_a.point.x != aim_b.point.x ||
            aim_a.point.y != aim_b.point.y) {
            note(out, "kind %s was sent to different places", world_kind(a, kind)->name);
        }
    }
}

/* How long no request has set it, and how it strolls then. */
static void compare_stroll(const struct target_def *a, const struct target_def *b,
                           struct world_difference *out) {
    char what[DIFFERENCE_NOTE];
    (void)snprintf(what, sizeof what, "target %s, ticks since it was set", a->name);
    (void)compare_numbers(out, what, a->idle, b->idle);
    if (a->stroll_speed != b->stroll_speed || a->stroll_after != b->stroll_after) {
        note(out, "target %s strolls otherwise", a->name);
    }
}

static void compare_targets(const struct world *a, const struct world *b, struct world_difference *out) {
    if (!compare_numbers(out, "number of targets", world_target_count(a), world_target_count(b))) {
        return;
    }
    for (int i = 0; i < world_target_count(a); i++) {
        const vec2 at_a = world_target_position(a, i);
        const vec2 at_b = world_target_position(b, i);
        if (strcmp(world_target_name(a, i), world_target_name(b, i)) != 0) {
            note_values(out, "target", world_target_name(a, i), world_target_name(b, i));
            continue;
        }
        compare_stroll(world_image_target(a, i), world_image_target(b, i), out);
        if (!is_same_vec2(at_a, at_b)) {
            char what[DIFFERENCE_NOTE];
            char place[2][64];
            (void)snprintf(what, sizeof what, "target %s", world_target_name(a, i));
            (void)snprintf(place[0], sizeof place[0], "(%.9g, %.9g)", (double)at_a.x, (double)at_a.y);
            (void)snprintf(place[1], sizeof place[1], "(%.9g, %.9g)", (double)at_b.x, (double)at_b.y);
            note_values(out, what, place[0], place[1]);
        }
    }
}

/* What the shape uses. */
static bool is_same_obstacle(const struct obstacle_def *a, const struct obstacle_def *b) {
    if (a->id != b->id || a->shape != b->shape) {
        return false;
    }
    if (a->shape == OBSTACLE_POLYGON) {
        bool is_same = a->point_count == b->point_count;
        for (int i = 0; is_same && i < a->point_count; i++) {
            is_same = is_same_vec2(a->points[i], b->points[i]);
        }
        return is_same;
    }
    return is_same_vec2(a->at, b->at) && (a->shape == OBSTACLE_CIRCLE ? is_same_float(a->radius, b->radius)
                                                                      : is_same_vec2(a->size, b->size));
}

static void compare_obstacles(const struct world *a, const struct world *b, struct world_difference *out) {
    const struct geometry_def *def_a = &world_scenery(a)->def;
    const struct geometry_def *def_b = &world_scenery(b)->def;
    if (!compare_numbers(out, "number of obstacles", def_a->obstacle_count, def_b->obstacle_count)) {
        return;
    }
    for (int i = 0; i < def_a->obstacle_count; i++) {
        if (!is_same_obstacle(&def_a->obstacles[i], &def_b->obstacles[i])) {
            note(out, "obstacle %" PRIu32 " is another one, or stands elsewhere", def_a->obstacles[i].id);
        }
    }
}

static void compare_order(const struct world *a, const struct world *b, struct world_difference *out) {
    const struct world_image image_a = world_image_of(a);
    const struct world_image image_b = world_image_of(b);
    if (!is_same_float(image_a.drift, image_b.drift)) {
        note_numbers(out, "how far agents went since they were sorted (order.drift)", (double)image_a.drift,
                     (double)image_b.drift);
    } else if (image_a.drift != 0.0f && image_a.agent_count == image_b.agent_count) {
        const struct image_order order_a = world_image_order(a);
        const struct image_order order_b = world_image_order(b);
        int32_t moved = 0;
        for (int32_t slot = 0; slot < image_a.agent_count; slot++) {
            moved += order_a.row[slot] != order_b.row[slot];
        }
        if (moved > 0) {
            note(out, "%" PRId32 " agents stand elsewhere in the order of the grid (order.row)", moved);
        }
    }
}

/* ---- worlds: agents ---- */

static void add_missing(struct world_difference *out, uint32_t id, int side) {
    if (out->agent_count < DIFFERENCE_AGENTS) {
        struct difference_agent *agent = &out->agents[out->agent_count];
        *agent = (struct difference_agent){.id = id};
        agent->is_missing[side] = true;
    }
    out->agent_count++;
}

/* ---- worlds: the values of one agent ---- */

static bool is_one_of(const char *name, const char *const *names) {
    for (; *names != NULL; names++) {
        if (strcmp(*names, name) == 0) {
            return true;
        }
    }
    return false;
}

static void name_component(char *out, size_t size, const struct image_column *column, int index) {
    static const char *const motion[] = {"x", "y", "vx", "vy"};
    static const char *const point[] = {"x", "y"};
    if (strcmp(column->name, "motion") == 0 && index < 4) {
        (void)snprintf(out, size, "%s", motion[index]);
    } else if (column->count == 2) {
        (void)snprintf(out, size, "%s.%s", column->name, point[index]);
    } else if (column->count > 1) {
        (void)snprintf(out, size, "%s[%d]", column->name, index);
    } else {
        (void)snprintf(out, size, "%s", column->name);
    }
}

/* A number of `width` bytes, in this machine's order. */
static uint32_t bits_at(const unsigned char *bytes, uint8_t width) {
    uint8_t byte = 0;
    uint16_t half = 0;
    uint32_t word = 0;
    switch (width) {
    case sizeof byte:
        return bytes[0];
    case sizeof half:
        memcpy(&half, bytes, sizeof half);
        return half;
    default:
        memcpy(&word, bytes, sizeof word);
        return word;
    }
}

static void add_value(struct difference_agent *agent, const char *field, const struct image_column *column,
                      uint32_t a, uint32_t b) {
    if (a != b && agent->value_count < DIFFERENCE_VALUES) {
        struct difference_value *value = &agent->values[agent->value_count++];
        *value = (struct difference_value){.is_float = column->is_float,
                                           .is_signed = column->is_signed,
                                           .width = column->width,
                                           .bits = {a, b}};
        (void)snprintf(value->field, sizeof value->field, "%s", field);
    }
}

static void add_column(struct difference_agent *agent, const struct agent_pairs *pairing,
                       const int32_t rows[2], int index, const struct image_column *column) {
    unsigned char entries[2][WORLD_ENTRY_BYTES] = {{0}};
    for (int side = 0; side < 2; side++) {
        struct image_cursor cursor = {.column = index, .row = rows[side], .entry = rows[side]};
        (void)world_image_take(pairing->world[side], &cursor, entries[side], 1);
    }
    for (int i = 0; i < column->count; i++) {
        char field[40];
        const size_t at = (size_t)i * column->width;
        name_component(field, sizeof field, column, i);
        add_value(agent, field, column, bits_at(entries[0] + at, column->width),
                  bits_at(entries[1] + at, column->width));
    }
}

static void add_sparse(struct difference_agent *agent, const struct agent_pairs *pairing,
                       const int32_t rows[2]) {
    static const char *const fields[] = {"heading.x",       "heading.y",          "own_body.mass",
                                         "own_body.radius", "own_body.max_speed", "own_body.max_force"};
    const struct agent_sparse a = agent_sparse_of(pairing->world[0], rows[0]);
    const struct agent_sparse b = agent_sparse_of(pairing->world[1], rows[1]);
    const float values_a[] = {a.heading.x, a.heading.y, a.body[0], a.body[1], a.body[2], a.body[3]};
    const float values_b[] = {b.heading.x, b.heading.y, b.body[0], b.body[1], b.body[2], b.body[3]};
    const struct image_column floats = {.width = sizeof(float), .is_float = true};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        add_value(agent, fields[i], &floats, float_bits(values_a[i]), float_bits(values_b[i]));
    }
}

/* Kinds and states have names. */
static void name_values(struct difference_agent *agent, const struct agent_pairs *pairing,
                        const int32_t rows[2]) {
    for (int i = 0; i < agent->value_count; i++) {
        struct difference_value *value = &agent->values[i];
        for (int side = 0; side < 2; side++) {
            const struct agent_view view = world_agent(pairing->world[side], rows[side]);
            const struct kind_def *kind = world_kind(pairing->world[side], view.kind);
            const char *name = strcmp(value->field, "kind") == 0    ? kind->name
                               : strcmp(value->field, "state") == 0 ? kind->states[view.state].name
                                                                    : "";
            (void)snprintf(value->name[side], sizeof value->name[side], "%s", name);
        }
    }
}

/* By what explains most: the state, then motion, heading and body, then what agents remember. */
static void describe_agent(struct difference_agent *agent, const struct agent_pairs *pairing,
                           const int32_t rows[2]) {
    static const char *const first[] = {"kind", "state", "motion", NULL};
    struct image_column column;
    for (int pass = 0; pass < 2; pass++) {
        for (int index = 0; world_image_column(index, &column); index++) {
            if (!column.is_partial && is_one_of(column.name, first) == (pass == 0)) {
                add_column(agent, pairing, rows, index, &column);
            }
        }
        if (pass == 0) {
            add_sparse(agent, pairing, rows);
        }
    }
    name_values(agent, pairing, rows);
}

/* Agents that only one world has come first. */
static void list_agents(const struct agent_pairs *pairing, struct world_difference *out) {
    for (int32_t i = 0; i < pairing->single_count; i++) {
        add_missing(out, pairing->singles[i].id, 1 - pairing->singles[i].side);
    }
    for (int32_t i = 0; i < pairing->pair_count; i++) {
        if (pairing->differs[i]) {
            if (out->agent_count < DIFFERENCE_AGENTS) {
                struct difference_agent *agent = &out->agents[out->agent_count];
                *agent = (struct difference_agent){.id = pairing->ids[0][pairing->pairs[i][0]]};
                describe_agent(agent, pairing, pairing->pairs[i]);
            }
            out->agent_count++;
        }
    }
}

int world_difference_find(const struct world *a, const struct world *b, struct world_difference *out,
                          struct failure *failure) {
    struct agent_pairs pairing;
    *out = (struct world_difference){0};
    compare_images(a, b, out);
    compare_kinds(a, b, out);
    compare_targets(a, b, out);
    compare_obstacles(a, b, out);
    const bool is_done = agent_pairs_compare(&pairing, a, b);
    if (is_done) {
        list_agents(&pairing, out);
    }
    out->agents_compared = pairing.pair_count;
    compare_order(a, b, out);
    agent_pairs_fini(&pairing);
    return is_done ? 0 : failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
}

/* ---- worlds: printing ---- */

/* Of what is no float. */
static int64_t integer_of(const struct difference_value *value, int side) {
    const int64_t bits = value->bits[side], range = INT64_C(1) << (8 * value->width);
    return value->is_signed && bits >= range / 2 ? bits - range : bits;
}

static void value_text(char out[64], const struct difference_value *value, int side) {
    if (value->name[side][0] != '\0') {
        (void)snprintf(out, 64, "%s", value->name[side]);
        return;
    }
    if (!value->is_float) {
        (void)snprintf(out, 64, "%" PRId64, integer_of(value, side));
        return;
    }
    float number;
    memcpy(&number, &value->bits[side], sizeof number);
    (void)snprintf(out, 64, "%.9g (%08" PRIx32 ")", (double)number, value->bits[side]);
}

static void print_agent(const struct difference_agent *agent, const char *name_a, const char *name_b) {
    if (agent->is_missing[0] || agent->is_missing[1]) {
        (void)printf("  agent %" PRIu32 ": only in %s\n", agent->id, agent->is_missing[0] ? name_b : name_a);
        return;
    }
    for (int i = 0; i < agent->value_count; i++) {
        char a[64];
        char b[64];
        value_text(a, &agent->values[i], 0);
        value_text(b, &agent->values[i], 1);
        (void)printf("  agent %" PRIu32 ": %s: %s %s, %s %s\n", agent->id, agent->values[i].field, name_a, a,
                     name_b, b);
    }
}

void world_difference_print(const struct world_difference *difference, const char *name_a,
                            const char *name_b) {
    for (int i = 0; i < difference->note_count && i < DIFFERENCE_NOTES; i++) {
        const char *const names[] = {name_a, name_b};
        (void)printf("  %s", difference->notes[i]);
        for (int side = 0; side < 2 && difference->values[i][side][0] != '\0'; side++) {
            (void)printf("%s%s in %s", side == 0 ? ": " : ", ", difference->values[i][side], names[side]);
        }
        (void)putchar('\n');
    }
    if (difference->note_count > DIFFERENCE_NOTES) {
        (void)printf("  and %d more\n", difference->note_count - DIFFERENCE_NOTES);
    }
    for (int i = 0; i < difference->agent_count && i < DIFFERENCE_AGENTS; i++) {
        print_agent(&difference->agents[i], name_a, name_b);
    }
    if (difference->agent_count > DIFFERENCE_AGENTS) {
        (void)printf("  and %" PRId32 " further agents\n", difference->agent_count - DIFFERENCE_AGENTS);
    }
}

/* ---- worlds: for programs ---- */

static void write_value(const struct difference_value *value, int side, struct json_writer *json) {
    float number;
    memcpy(&number, &value->bits[side], sizeof number);
    if (value->name[side][0] != '\0') {
        json_string(json, value->name[side]);
    } else if (!value->is_float) {
        json_number(json, (double)integer_of(value, side));
    } else if (isfinite(number)) {
        json_float(json, number);
    } else {
        json_raw(json, "null");
    }
}

static void write_agent(const struct difference_agent *agent, const char *const names[2],
                        struct json_writer *json) {
    json_object(json);
    json_key_unsigned(json, "id", agent->id);
    if (agent->is_missing[0] || agent->is_missing[1]) {
        json_key_string(json, "only_in", names[agent->is_missing[0] ? 1 : 0]);
    }
    json_key(json, "values");
    json_array(json);
    for (int i = 0; i < agent->value_count; i++) {
        json_object(json);
        json_key_string(json, "field", agent->values[i].field);
        for (int side = 0; side < 2; side++) {
            json_key(json, names[side]);
            write_value(&agent->values[i], side, json);
        }
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

void world_difference_write(const struct world_difference *difference, const char *name_a, const char *name_b,
                            struct json_writer *json) {
    const char *const names[] = {name_a, name_b};
    json_key_unsigned(json, "agents_differ", (uint64_t)difference->agent_count);
    json_key(json, "agents");
    json_array(json);
    for (int i = 0; i < difference->agent_count && i < DIFFERENCE_AGENTS; i++) {
        write_agent(&difference->agents[i], names, json);
    }
    json_end(json);
    json_key(json, "others");
    json_array(json);
    for (int i = 0; i < difference->note_count && i < DIFFERENCE_NOTES; i++) {
        json_object(json);
        json_key_string(json, "what", difference->notes[i]);
        for (int side = 0; side < 2 && difference->values[i][side][0] != '\0'; side++) {
            json_key_string(json, names[side], difference->values[i][side]);
        }
        json_end(json);
    }
    json_end(json);
}
