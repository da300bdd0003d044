/* Random requests that change a world, with the numbers and names that a program seldom writes: each member that the
 * table of requests has, in its range and at its ends. Most of them can be done in the world. */
#ifndef DROVER_TESTS_PROPERTY_ODD_REQUEST_H
#define DROVER_TESTS_PROPERTY_ODD_REQUEST_H

#include <stdlib.h>

#include "common/base/buffer.h"
#include "common/protocol/request.h"
#include "common/text/base64.h"
#include "server/commands/simulation_state.h"
#include "tests/property/random_request.h"
#include "tests/support/request_decode.h"

enum { ODD_TEXT = 96, ODD_ROWS = 600, ODD_TRIES = 400, ODD_BYTES = 1 << 20 };

static inline bool one_in(int count) {
    return below(count) == 0;
}

/* ---- numbers ---- */

/* Digits to the limit of what a line may have. */
static inline void write_long_number(char text[ODD_TEXT]) {
    int used = snprintf(text, ODD_TEXT, "%s%d.", one_in(2) ? "-" : "", below(2000));
    for (const int end = 16 + below(49); used < end && used < LIMIT_JSON_NUMBER_CHARS; used++) {
        text[used] = (char)('0' + below(10));
    }
    text[used] = '\0';
}

static inline double beside(double value) {
    const double to = one_in(2) ? HUGE_VAL : -HUGE_VAL;
    return one_in(2) ? nextafter(value, to) : (double)nextafterf((float)value, (float)to);
}

static inline void write_some_number(double low, double high, char text[ODD_TEXT]) {
    static const char *const odd[] = {"-0",
                                      "-0.0",
                                      "-0e5",
                                      "0.0",
                                      "-0.000E-7",
                                      "1e-320",
                                      "-1e-320",
                                      "5e-324",
                                      "-5e-324",
                                      "1e-45",
                                      "-1e-45",
                                      "7e-46",
                                      "-7e-46",
                                      "7.1e-46",
                                      "-7.1e-46",
                                      "1e-40",
                                      "-1e-40",
                                      "1.1754943e-38",
                                      "-1.1754942e-38",
                                      "2.2250738585072011e-308",
                                      "1e-400",
                                      "-1e-400",
                                      "1e15",
                                      "-1e15",
                                      "3.4e38",
                                      "16777217",
                                      "33554433",
                                      "-16777217",
                                      "0.333333333333333333333333333333333333333333333333333333333333",
                                      "1.00000005960464477539062500",
                                      "1.0000000596046448",
                                      "0.1",
                                      "0.30000000000000004",
                                      "90",
                                      "-90",
                                      "180",
                                      "-180",
                                      "270",
                                      "360",
                                      "-360",
                                      "359.99999",
                                      "0.5",
                                      "1",
                                      "2"};
    const float ordinary = any(-1000.0f, 1000.0f);
    switch (below(9)) {
    case 0:
        write_long_number(text);
        return;
    case 1:
        (void)snprintf(text, ODD_TEXT, "%.17g", beside(one_in(2) ? low : high));
        return;
    case 2:
        (void)snprintf(text, ODD_TEXT, "%.17g", one_in(2) ? low : high);
        return;
    case 3: /* halfway between two floats */
        (void)snprintf(text, ODD_TEXT, "%.40g",
                       0.5 * ((double)ordinary + (double)nextafterf(ordinary, INFINITY)));
        return;
    case 4: /* an integer as a float */
        (void)snprintf(text, ODD_TEXT, one_in(3) ? "%d.0" : one_in(2) ? "%de0" : "%d0E-1", below(1000) - 300);
        return;
    case 5:
        (void)snprintf(text, ODD_TEXT, "%.17g", (double)any(0.0f, 1.0f) * (high - low) + low);
        return;
    default:
        (void)snprintf(text, ODD_TEXT, "%s", odd[below((int)(sizeof odd / sizeof odd[0]))]);
    }
}

/* Mostly one that is allowed. */
static inline void write_odd_number(double low, double high, char text[ODD_TEXT]) {
    for (int attempt = 0; attempt < 30; attempt++) {
        write_some_number(low, high, text);
        const double value = strtod(text, NULL);
        if ((value >= low && value <= high) || one_in(400)) {
            return;
        }
    }
    (void)snprintf(text, ODD_TEXT, "%.17g", low);
}

/* ---- members ---- */

/* A member of a request in the making. */
struct odd_member {
    const struct world *world;
    const struct field *field;
    enum request_op op;
    int kind;
    int rows; /* of columns; -1: numbers */
};

static inline void put(struct buffer *out, const char *text) {
    buffer_append_text(out, text);
}

static inline void put_number(struct buffer *out, double low, double high) {
    char text[ODD_TEXT];
    write_odd_number(low, high, text);
    put(out, text);
}

/* A coordinate is mostly in the world, or nearly. */
static inline void put_coordinate(const struct world *world, struct buffer *out) {
    const vec2 size = world_size(world);
    const double most = (double)fmaxf(size.x, size.y);
    if (one_in(3)) {
        put_number(out, -LIMIT_COORDINATE, LIMIT_COORDINATE);
    } else {
        put_number(out, -0.02 * most, one_in(2) ? most : 0.2 * most);
    }
}

static inline void put_field_number(const struct odd_member *member, struct buffer *out) {
    const struct field *field = member->field;
    if (field->type == FIELD_FLOAT && field->max == LIMIT_COORDINATE) {
        put_coordinate(member->world, out);
    } else {
        put_number(out, field->min, field->max);
    }
}

/* A text with some of its characters as escapes: the same name. */
static inline void put_string(struct buffer *out, const char *text) {
    char escape[8];
    put(out, "\"");
    for (; *text != '\0'; text++) {
        (void)snprintf(escape, sizeof escape, one_in(12) ? "\\u%04x" : "%c", (unsigned)*text);
        put(out, escape);
    }
    put(out, "\"");
}

static inline void put_unsigned(struct buffer *out, uint32_t number) {
    char text[ODD_TEXT];
    (void)snprintf(text, sizeof text,
                   one_in(8)   ? "%" PRIu32 ".0"
                   : one_in(8) ? "%" PRIu32 "e0"
                               : "%" PRIu32,
                   number);
    put(out, text);
}

static inline void put_base64(struct buffer *out, const uint32_t *values, int count) {
    char text[ODD_ROWS * 6 + 8];
    *base64_encode_integers(values, (size_t)count, 4, text) = '\0';
    put(out, "\"");
    put(out, text);
    put(out, "\"");
}

/* The bits of a float that an array in base64 has: of one near what the text says. */
static inline uint32_t odd_bits(double low, double high) {
    char text[ODD_TEXT];
    write_odd_number(low, high, text);
    float value = strtof(text, NULL);
    uint32_t bits;
    value = isfinite(value) ? value : 0.0f;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline void put_ids(const struct odd_member *member, int count, bool as_base64, struct buffer *out) {
    uint32_t ids[ODD_ROWS];
    for (int i = 0; i < count; i++) {
        ids[i] = some_agent(member->world);
    }
    if (as_base64) {
        put_base64(out, ids, count);
        return;
    }
    put(out, "[");
    for (int i = 0; i < count; i++) {
        put(out, i > 0 ? "," : "");
        put_unsigned(out, ids[i]);
    }
    put(out, "]");
}

static inline void put_column(const struct odd_member *member, struct buffer *out) {
    uint32_t bits[ODD_ROWS];
    if (one_in(2)) {
        for (int i = 0; i < member->rows; i++) {
            bits[i] = odd_bits(member->field->min, member->field->max);
        }
        put_base64(out, bits, member->rows);
        return;
    }
    put(out, "[");
    for (int i = 0; i < member->rows; i++) {
        put(out, i > 0 ? "," : "");
        put_field_number(member, out);
    }
    put(out, "]");
}

static inline void put_shape(const struct odd_member *member, struct buffer *out) {
    const bool is_polygon = strcmp(member->field->name, "polygon") == 0;
    const int lengths = strcmp(member->field->name, "box") == 0 ? 2 : 1;
    put(out, is_polygon ? "[[" : "[");
    for (int corner = 0; corner < (is_polygon ? 3 : 1); corner++) {
        put(out, corner > 0 ? "],[" : "");
        put_coordinate(member->world, out);
        put(out, ",");
        put_coordinate(member->world, out);
    }
    for (int i = 0; i < lengths && !is_polygon; i++) {
        put(out, ",");
        put_number(out, 0.0, one_in(3) ? LIMIT_WORLD_SIZE : 100.0);
    }
    put(out, is_polygon ? "]]" : "]");
}

static inline const char *odd_name(const struct odd_member *member) {
    static const char *const fresh[] = {"new1", "new2", "a_target_with_a_name_of_31_chars"};
    const char *name = member->field->name;
    if (strcmp(name, "kind") == 0) {
        return world_kind(member->world, member->kind)->name;
    }
    return strcmp(name, "name") == 0 && (member->op == REQUEST_ADD_TARGET || one_in(2))
               ? fresh[below(3)]
               : some_target(member->world);
}

/* The parameter and its value, whose range the parameter has. */
static inline void put_param(const struct odd_member *member, struct buffer *out) {
    struct param_ref ref;
    char name[64] = "mass";
    put(out, "\"param\":");
    if (world_param_at(member->world, member->kind, below(40), &ref, name)) {
        put_string(out, name);
        put(out, ",\"value\":");
        put_number(out, ref.field->min, ref.field->max);
    } else {
        put(out, "\"mass\",\"value\":1");
    }
}

/* Of a door when only doors can do it, mostly. */
static inline void put_obstacle_id(const struct odd_member *member, struct buffer *out) {
    const struct geometry_def *def = &world_scenery(member->world)->def;
    int index = def->obstacle_count == 0 ? 0 : below(def->obstacle_count);
    for (int tries = 0; tries < 9 && member->op == REQUEST_SET_OBSTACLE && def->obstacle_count > 0 &&
                        !(def->obstacles[index].door.time > 0.0f);
         tries++) {
        index = below(def->obstacle_count);
    }
    put_unsigned(out, def->obstacle_count == 0 ? 1 : def->obstacles[index].id);
}

static inline void put_odd_request(const struct world *world, enum request_op op, struct buffer *out);

static inline void put_members_of_batch(const struct world *world, struct buffer *out) {
    put(out, "[");
    for (int i = below(4); i >= 0; i--) {
        enum request_op op = (enum request_op)below(REQUEST_OP_COUNT);
        while (!request_has_trait(op, REQUEST_TRAIT_BATCH)) {
            op = (enum request_op)below(REQUEST_OP_COUNT);
        }
        put_odd_request(world, op, out);
        put(out, i > 0 ? "," : "]");
    }
}

/* Numbers of a kind, a target; mostly such as can be. */
static inline void put_patch(const struct odd_member *member, struct buffer *out) {
    put(out, "{\"kinds\":{");
    put_string(out, world_kind(member->world, member->kind)->name);
    put(out, ":{\"mass\":");
    put_number(out, 0.01, 100.0);
    put(out, ",\"max_speed\":");
    put_number(out, 0.0, 200.0);
    put(out, "}},\"targets\":{\"new1\":[");
    put_coordinate(member->world, out);
    put(out, ",");
    put_coordinate(member->world, out);
    put(out, "]}}");
}

static inline void put_shaped(const struct odd_member *member, struct buffer *out) {
    const char *name = member->field->name;
    if (strcmp(name, "agents") == 0) {
        const bool is_column = member->op != REQUEST_REMOVE;
        put_ids(member, is_column ? member->rows : below(4), is_column && one_in(2), out);
    } else if (strcmp(name, "requests") == 0) {
        put_members_of_batch(member->world, out);
    } else if (member->op == REQUEST_ADD_OBSTACLE) {
        put_shape(member, out);
    } else if (strcmp(name, "patch") == 0) {
        put_patch(member, out);
    } else {
        fail_msg("%s: the test does not know the form of %s", request_op_name(member->op), name);
    }
}

static inline void put_value(const struct odd_member *member, struct buffer *out) {
    const struct field *field = member->field;
    if (field->type == FIELD_SHAPED) {
        put_shaped(member, out);
    } else if (field->type == FIELD_NAME || field->type == FIELD_TEXT) {
        put_string(out, odd_name(member));
    } else if (field->type == FIELD_BOOL) {
        put(out, "true");
    } else if (strcmp(field->name, "agent") == 0) {
        put_unsigned(out, some_agent(member->world));
    } else if (strcmp(field->name, "obstacle") == 0) {
        put_obstacle_id(member, out);
    } else if (field->type == FIELD_UINT32) {
        put_unsigned(out, (uint32_t)below(4));
    } else if ((field->flags & FIELD_COLUMN) != 0 && member->rows >= 0) {
        put_column(member, out);
    } else {
        put_field_number(member, out);
    }
}

/* How many rows columns have: few, or so many that they are written in base64, or one for each agent of the kind. */
static inline int some_rows(const struct world *world, int kind) {
    const int population = (int)world_kind_population(world, kind);
    return one_in(2) && population <= ODD_ROWS ? population : one_in(4) ? 65 + below(4) : below(4);
}

/* A random choice of the members; not all choices can be read. */
static inline void put_some_members(const struct world *world, enum request_op op, struct buffer *out) {
    const bool is_column = one_in(2);
    struct odd_member member = {.world = world, .op = op, .kind = below(world_kind_count(world))};
    member.rows = is_column ? some_rows(world, member.kind) : -1;
    put(out, "{\"op\":\"");
    put(out, request_op_name(op));
    put(out, "\"");
    for (const struct field *field = request_fields(op); field->type != FIELD_END; field++) {
        const bool is_agents = strcmp(field->name, "agents") == 0 && op != REQUEST_REMOVE;
        member.field = field;
        if (((field->flags & FIELD_REQUIRED) == 0 && !one_in(2)) || (is_agents && !is_column) ||
            strcmp(field->name, "value") == 0) {
            continue;
        }
        put(out, ",");
        if (strcmp(field->name, "param") == 0) {
            put_param(&member, out);
            continue;
        }
        put_string(out, field->name);
        put(out, ":");
        put_value(&member, out);
    }
    put(out, "}");
}

/** Appends a request of this op that can be read. */
static inline void put_odd_request(const struct world *world, enum request_op op, struct buffer *out) {
    const size_t begin = out->length;
    struct request request;
    struct failure failure;
    for (int attempt = 0; attempt < ODD_TRIES; attempt++) {
        out->length = begin;
        put_some_members(world, op, out);
        assert_false(out->failed);
        if (request_decode(out->data + begin, out->length - begin, &request, &failure) == 0) {
            request_fini(&request);
            return;
        }
    }
    fail_msg("no request %s can be read: %s: %s; %.*s", request_op_name(op), failure.field, failure.message,
             (int)(out->length - begin), out->data + begin);
}

/** A request of any op that stands in a recording. */
static inline enum request_op put_some_odd_request(const struct world *world, struct buffer *out) {
    enum request_op op = (enum request_op)below(REQUEST_OP_COUNT);
    while (!state_ranks_share(op)) {
        op = (enum request_op)below(REQUEST_OP_COUNT);
    }
    put_odd_request(world, op, out);
    return op;
}

#endif
