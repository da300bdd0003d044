/* Writes the "objects" layout: JSON that a person can read. The reader is snapshot_objects_decode.c.
 *
 * Invariant: the writer formats integers only, so what it writes is the same on every machine and in every
 * locale.
 */
#include "common/snapshot/snapshot.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/json_writer.h"
#include "common/snapshot/snapshot_internal.h"
#include "common/text/digits.h"

enum {
    FRAGMENT_BYTES = 48,      /* holds the longest of the name fragments below; copied whole */
    NAME_FRAGMENT_EXTRA = 17, /* the longest text around a name */
    AGENT_BYTES =
        6 + 10 + 2 * FRAGMENT_BYTES + 6 * (8 + 13) + 22, /* fragments, keys and numbers of one agent */
    AGENT_FORCE_BYTES = 2 * (13 + 2 * 13 + 2) + 16,
    SHARE_BYTES = FRAGMENT_BYTES + 2 * 13 + 4,
    PART_BYTES = 2 * FRAGMENT_BYTES + 2 * 13 + 16, /* the behavior's name may come with each */
    SLACK_BYTES = FRAGMENT_BYTES + DIGITS_SLACK,   /* what fixed-size copies may store past the text */
    CHUNK_AGENTS = 64,
};

/* Text around a name, ready to be copied: ,"kind":"prey" for each kind. */
struct fragment {
    char text[FRAGMENT_BYTES];
    uint32_t length;
};

struct fragments {
    struct fragment *kinds, *states, *behaviors, *parts; /* behaviors: "flock":[ */
};

static struct fragment make_fragment(const char *before, const char *name, const char *after) {
    struct fragment fragment = {.length = 0};
    const char *const parts[] = {before, name, after};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const size_t length = strlen(parts[i]);
        assert(fragment.length + length <= FRAGMENT_BYTES);
        memcpy(fragment.text + fragment.length, parts[i], length);
        fragment.length += (uint32_t)length;
    }
    return fragment;
}

static void make_fragments(const struct name_table *names, const char *before, const char *after,
                           struct fragment *out) {
    for (int i = 0; i < names->count; i++) {
        assert(name_is_valid(names->names[i], strlen(names->names[i]))); /* needs no escaping */
        out[i] = make_fragment(before, names->names[i], after);
    }
}

/* One allocation a frame for all names; false when out of memory. */
static bool fragments_init(struct fragments *fragments, const struct snapshot *snapshot) {
    const size_t kinds = (size_t)snapshot->kind_names.count;
    const size_t states = (size_t)snapshot->state_names.count;
    const size_t behaviors = (size_t)snapshot->behavior_names.count;
    const size_t parts = (size_t)snapshot->part_names.count;
    fragments->kinds = calloc(kinds + states + behaviors + parts + 1, sizeof(struct fragment));
    if (fragments->kinds == NULL) {
        return false;
    }
    fragments->states = fragments->kinds + kinds;
    fragments->behaviors = fragments->states + states;
    fragments->parts = fragments->behaviors + behaviors;
    make_fragments(&snapshot->kind_names, ",\"kind\":\"", "\"", fragments->kinds);
    make_fragments(&snapshot->state_names, ",\"state\":\"", "\",\"x\":", fragments->states);
    make_fragments(&snapshot->behavior_names, "\"", "\":[", fragments->behaviors);
    make_fragments(&snapshot->part_names, "\"", "\":[", fragments->parts);
    return true;
}

static void fragments_fini(struct fragments *fragments) {
    free(fragments->kinds);
}

static inline char *put_fragment(char *out, const struct fragment *fragment) {
    memcpy(out, fragment->text, FRAGMENT_BYTES);
    return out + fragment->length;
}

/* Copies a literal of at most 16 characters. Always 8 or 16 bytes, so this is one store; what is too much is
 * overwritten by what follows (SLACK_BYTES). */
#define PUT(out, literal)                                                                                    \
    ((char *)memcpy((out), literal "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", sizeof(literal) - 1 <= 8 ? 8 : 16) +    \
     sizeof(literal) - 1)

static inline char *put_vector(char *out, struct snapshot_vector vector) {
    out = digits_write_hundredths(out, vector.x);
    *out++ = ',';
    return digits_write_hundredths(out, vector.y);
}

/* {"id":1,"kind":"prey","state":"seek","x":12.34,"y":5.00,"vx":-3.20,"vy":0.00,"heading":180.00 */
static inline char *put_agent(char *out, const struct snapshot *snapshot, const struct fragments *fragments,
                              int32_t i) {
    out = PUT(out, "{\"id\":");
    out = digits_write_u32(out, snapshot->id[i]);
    out = put_fragment(out, &fragments->kinds[snapshot->kind[i]]);
    out = put_fragment(out, &fragments->states[snapshot->state[i]]);
    out = digits_write_hundredths(out, snapshot->x[i]);
    out = PUT(out, ",\"y\":");
    out = digits_write_hundredths(out, snapshot->y[i]);
    out = PUT(out, ",\"vx\":");
    out = digits_write_hundredths(out, snapshot->vx[i]);
    out = PUT(out, ",\"vy\":");
    out = digits_write_hundredths(out, snapshot->vy[i]);
    out = PUT(out, ",\"heading\":");
    return digits_write_hundredths(out, snapshot->heading[i]);
}

/* ,"forces":{"seek":[400.00,0.00]} */
static char *put_shares(char *out, const struct snapshot *snapshot, const struct fragments *fragments,
                        int32_t i) {
    out = PUT(out, ",\"forces\":{");
    for (int32_t s = snapshot->share_begin[i]; s < snapshot->share_begin[i + 1]; s++) {
        out = put_fragment(out, &fragments->behaviors[snapshot->shares[s].behavior]);
        out = put_vector(out, snapshot->shares[s].force);
        out = PUT(out, "],");
    }
    if (out[-1] == ',') {
        out--;
    }
    *out++ = '}';
    return out;
}

/* "flock":{"separation":[1.00,0.00],"alignment":[0.00,2.00]}, of the parts from `first` to before `end`, which are of one
 * behavior. */
static char *put_parts_of(char *out, const struct snapshot *snapshot, const struct fragments *fragments,
                          int32_t first, int32_t end) {
    out = put_fragment(out, &fragments->behaviors[snapshot->parts[first].behavior]);
    out[-1] = '{'; /* the fragment ends with the bracket of a vector */
    for (int32_t p = first; p < end; p++) {
        out = put_fragment(out, &fragments->parts[snapshot->parts[p].part]);
        out = put_vector(out, snapshot->parts[p].force);
        out = PUT(out, "],");
    }
    out[-1] = '}';
    return PUT(out, ",");
}

/* ,"parts":{"flock":{"separation":[1.00,0.00]}}; nothing for an agent without parts. */
static char *put_parts(char *out, const struct snapshot *snapshot, const struct fragments *fragments,
                       int32_t i) {
    const int32_t end = snapshot->part_begin[i + 1];
    int32_t first = snapshot->part_begin[i];
    if (first == end) {
        return out;
    }
    out = PUT(out, ",\"parts\":{");
    while (first < end) {
        int32_t next = first + 1;
        while (next < end && snapshot->parts[next].behavior == snapshot->parts[first].behavior) {
            next++;
        }
        out = put_parts_of(out, snapshot, fragments, first, next);
        first = next;
    }
    out[-1] = '}';
    return out;
}

static char *put_desired(char *out, const struct snapshot *snapshot, int32_t i) {
    out = PUT(out, ",\"desired\":[");
    out = put_vector(out, snapshot->desired[i]);
    return PUT(out, "]");
}

static char *put_steering(char *out, const struct snapshot *snapshot, int32_t i) {
    out = PUT(out, ",\"steering\":[");
    out = put_vector(out, snapshot->steering[i]);
    return PUT(out, "]");
}

/* ,"desired":[120.00,0.00],"steering":[360.00,0.00],"forces":{"seek":[400.00,0.00]} */
static char *put_forces(char *out, const struct snapshot *snapshot, const struct fragments *fragments,
                        int32_t i) {
    return put_shares(put_steering(put_desired(out, snapshot, i), snapshot, i), snapshot, fragments, i);
}

/* The members of one agent that are in `fields`; the same text as put_agent's for those. */
static inline char *put_chosen(char *out, const struct snapshot *snapshot, const struct fragments *fragments,
                               unsigned fields, int32_t i) {
    out = digits_write_u32(PUT(out, "{\"id\":"), snapshot->id[i]);
    if (fields & SNAPSHOT_KIND) {
        out = put_fragment(out, &fragments->kinds[snapshot->kind[i]]);
    }
    if (fields & SNAPSHOT_STATE) { /* the fragment goes on with ,"x": */
        out = put_fragment(out, &fragments->states[snapshot->state[i]]) - (sizeof ",\"x\":" - 1);
    }
    if (fields & SNAPSHOT_POS) {
        out = digits_write_hundredths(PUT(out, ",\"x\":"), snapshot->x[i]);
        out = digits_write_hundredths(PUT(out, ",\"y\":"), snapshot->y[i]);
    }
    if (fields & SNAPSHOT_VEL) {
        out = digits_write_hundredths(PUT(out, ",\"vx\":"), snapshot->vx[i]);
        out = digits_write_hundredths(PUT(out, ",\"vy\":"), snapshot->vy[i]);
    }
    if (fields & SNAPSHOT_HEADING) {
        out = digits_write_hundredths(PUT(out, ",\"heading\":"), snapshot->heading[i]);
    }
    if (fields & SNAPSHOT_STAMINA) {
        out = digits_write_hundredths(PUT(out, ",\"stamina\":"), snapshot->stamina[i]);
    }
    out = fields & SNAPSHOT_DESIRED ? put_desired(out, snapshot, i) : out;
    out = fields & SNAPSHOT_FORCE ? put_steering(out, snapshot, i) : out;
    out = fields & SNAPSHOT_SHARES ? put_shares(out, snapshot, fragments, i) : out;
    return fields & SNAPSHOT_PARTS ? put_parts(out, snapshot, fragments, i) : out;
}

static void encode_agents(const struct snapshot *snapshot, const struct fragments *fragments,
                          struct buffer *out) {
    for (int32_t begin = 0; begin < snapshot->count; begin += CHUNK_AGENTS) {
        const int32_t end = begin + CHUNK_AGENTS < snapshot->count ? begin + CHUNK_AGENTS : snapshot->count;
        char *const start = buffer_reserve(out, (size_t)(end - begin) * AGENT_BYTES + SLACK_BYTES);
        if (start == NULL) {
            return;
        }
        char *text = start;
        for (int32_t i = begin; i < end; i++) {
            text = put_agent(text, snapshot, fragments, i);
            text = PUT(text, "},");
        }
        buffer_commit(out, (size_t)(text - start));
    }
}

static void encode_agents_with_forces(const struct snapshot *snapshot, const struct fragments *fragments,
                                      struct buffer *out) {
    for (int32_t i = 0; i < snapshot->count; i++) {
        const size_t shares = (size_t)(snapshot->share_begin[i + 1] - snapshot->share_begin[i]);
        char *const start =
            buffer_reserve(out, AGENT_BYTES + AGENT_FORCE_BYTES + shares * SHARE_BYTES + SLACK_BYTES);
        if (start == NULL) {
            return;
        }
        char *text = put_agent(start, snapshot, fragments, i);
        text = put_forces(text, snapshot, fragments, i);
        text = PUT(text, "},");
        buffer_commit(out, (size_t)(text - start));
    }
}

/* What one chunk of agents may take, their shares included. */
static size_t chosen_bytes(const struct snapshot *snapshot, unsigned fields, int32_t begin, int32_t end) {
    const size_t agents = (size_t)(end - begin) * (AGENT_BYTES + AGENT_FORCE_BYTES);
    const int32_t shares =
        fields & SNAPSHOT_SHARES ? snapshot->share_begin[end] - snapshot->share_begin[begin] : 0;
    const int32_t parts =
        fields & SNAPSHOT_PARTS ? snapshot->part_begin[end] - snapshot->part_begin[begin] : 0;
    return agents + (size_t)shares * SHARE_BYTES + (size_t)parts * PART_BYTES + SLACK_BYTES;
}

static inline char *put_run(char *out, const struct snapshot *snapshot, const struct fragments *fragments,
                            unsigned fields, int32_t begin, int32_t end) {
    for (int32_t i = begin; i < end; i++) {
        out = PUT(put_chosen(out, snapshot, fragments, fields, i), "},");
    }
    return out;
}

/* Numbers alone are what most ask for who choose: constants let the compiler drop every question. */
static char *put_chosen_run(char *out, const struct snapshot *snapshot, const struct fragments *fragments,
                            unsigned fields, int32_t begin, int32_t end) {
    switch (fields) {
    case SNAPSHOT_POS:
        return put_run(out, snapshot, fragments, SNAPSHOT_POS, begin, end);
    case SNAPSHOT_POS | SNAPSHOT_VEL:
        return put_run(out, snapshot, fragments, SNAPSHOT_POS | SNAPSHOT_VEL, begin, end);
    case SNAPSHOT_POS | SNAPSHOT_VEL | SNAPSHOT_HEADING:
        return put_run(out, snapshot, fragments, SNAPSHOT_POS | SNAPSHOT_VEL | SNAPSHOT_HEADING, begin, end);
    case SNAPSHOT_POS | SNAPSHOT_VEL | SNAPSHOT_HEADING | SNAPSHOT_STAMINA:
        return put_run(out, snapshot, fragments,
                       SNAPSHOT_POS | SNAPSHOT_VEL | SNAPSHOT_HEADING | SNAPSHOT_STAMINA, begin, end);
    default:
        return put_run(out, snapshot, fragments, fields, begin, end);
    }
}

static void encode_chosen(const struct snapshot *snapshot, const struct fragments *fragments, unsigned fields,
                          struct buffer *out) {
    for (int32_t begin = 0; begin < snapshot->count; begin += CHUNK_AGENTS) {
        const int32_t end = begin + CHUNK_AGENTS < snapshot->count ? begin + CHUNK_AGENTS : snapshot->count;
        char *const start = buffer_reserve(out, chosen_bytes(snapshot, fields, begin, end));
        if (start == NULL) {
            return;
        }
        char *text = put_chosen_run(start, snapshot, fragments, fields, begin, end);
        buffer_commit(out, (size_t)(text - start));
    }
}

/* ---- lines ---- */

static void encode_all(const struct snapshot *snapshot, const struct fragments *fragments, unsigned fields,
                       struct buffer *out) {
    const unsigned all = (unsigned)SNAPSHOT_FORCES | (unsigned)SNAPSHOT_PARTS, plain = fields & ~all;
    const unsigned there = (snapshot->has_forces ? (unsigned)SNAPSHOT_FORCES : 0u) |
                           (snapshot_has_parts(snapshot) ? (unsigned)SNAPSHOT_PARTS : 0u);
    const unsigned forces = fields & there;
    if (plain == SNAPSHOT_USUAL && forces == 0) {
        encode_agents(snapshot, fragments, out);
    } else if (plain == SNAPSHOT_USUAL && forces == SNAPSHOT_FORCES) {
        encode_agents_with_forces(snapshot, fragments, out);
    } else {
        encode_chosen(snapshot, fragments, plain | forces, out);
    }
}

void snapshot_encode_fields(const struct snapshot *snapshot, unsigned fields, struct buffer *out) {
    struct fragments fragments;
    if (!fragments_init(&fragments, snapshot)) {
        out->failed = true;
        return;
    }
    buffer_printf(out, "{\"op\":\"snapshot\",\"tick\":%llu,\"time\":", (unsigned long long)snapshot->tick);
    snapshot_append_fixed(out, snapshot->time_s, 6);
    buffer_append_text(out, ",\"agents\":[");
    encode_all(snapshot, &fragments, fields, out);
    snapshot_drop_last_comma(out);
    buffer_append_text(out, "]");
    snapshot_append_targets(snapshot, out);
    buffer_append_text(out, ",\"clock\":");
    snapshot_append_fixed(out, snapshot->clock_ms, 3);
    buffer_append_text(out, "}\n");
    fragments_fini(&fragments);
}

void snapshot_encode_objects(const struct snapshot *snapshot, bool with_forces, struct buffer *out) {
    snapshot_encode_fields(snapshot, SNAPSHOT_USUAL | (with_forces ? (unsigned)SNAPSHOT_FORCES : 0u), out);
}
