/* See request_unknown.h. Owns nothing.
 *
 * Invariants: a request without such members costs a count of its members, nothing more; the names are cut
 * and made printable where they are noted, so that writers need no further check.
 */
#include "common/protocol/request_unknown.h"

#include <stdio.h>
#include <string.h>

#include "common/base/utf8.h"
#include "common/json/field_json.h"
#include "common/text/nearest_name.h"

enum { HINT_BYTES = 4096 }; /* eight names and what is said of each have half of it */

/* ---- noting ---- */

static int count_bits(uint64_t bits) {
    int count = 0;
    for (; bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
}

static bool is_known(enum request_op op, const char *name) {
    return strcmp(name, "op") == 0 || strcmp(name, "id") == 0 ||
           (strcmp(name, "at") == 0 && request_has_trait(op, REQUEST_TRAIT_AT)) ||
           field_find(request_fields(op), name) != NULL;
}

/* Appends a name and a line break; what cannot be printed is a question mark. Returns the bytes used now, or
 * `used` when there is no room. */
static size_t add_name(char *list, size_t used, const char *name) {
    const size_t length = utf8_cut(name, strlen(name), REQUEST_UNKNOWN_CHARS);
    if (used + length + 2 > REQUEST_UNKNOWN_BYTES) {
        return used;
    }
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)name[i];
        list[used++] = (char)(c < 0x20 || c == 0x7F ? '?' : c);
    }
    list[used++] = '\n';
    list[used] = '\0';
    return used;
}

void request_unknown_note(const cJSON *json, const uint64_t *present, struct request *request) {
    if (present != NULL &&
        cJSON_GetArraySize(json) == count_bits(*present) + 1 + (request->id[0] != '\0') + request->has_at) {
        return;
    }
    size_t used = 0;
    int count = 0;
    const cJSON *member = NULL;
    cJSON_ArrayForEach(member, json) {
        if (!is_known(request->op, member->string) && count++ < REQUEST_UNKNOWN_MOST) {
            used = add_name(request->unknown, used, member->string);
        }
    }
}

/* ---- what was meant ---- */

/* What other protocols, and people, call a field of this one. The first that the op has counts. */
static const struct {
    const char *typed, *field;
} synonyms[] = {
    {"rate", "hz"},
    {"fps", "hz"},
    {"frequency", "hz"},
    {"frame_rate", "hz"},
    {"target", "name"},
    {"target", "follow"},
    {"goal", "follow"},
    {"amount", "count"},
    {"number", "count"},
    {"n", "count"},
    {"num", "count"},
    {"ticks", "count"},
    {"steps", "count"},
    {"times", "count"},
    {"type", "kind"},
    {"species", "kind"},
    {"class", "kind"},
    {"types", "kinds"},
    {"agent_id", "agent"},
    {"agent_ids", "agents"},
    {"ids", "agents"},
    {"direction", "heading"},
    {"angle", "heading"},
    {"rotation", "heading"},
    {"rect", "region"},
    {"viewport", "region"},
    {"area", "region"},
    {"bounds", "region"},
    {"format", "layout"},
    {"form", "layout"},
    {"reset", "clear"},
    {"world", "scenario"},
    {"file", "scenario"},
    {"name", "scenario"},
    {"parameter", "param"},
    {"name", "param"},
    {"key", "param"},
    {"user", "name"},
    {"nick", "name"},
    {"password", "token"},
    {"secret", "token"},
    {"version", "protocol"},
    {"command", "about"},
    {"topic", "about"},
    {"obstacle_id", "obstacle"},
    {"disc", "circle"},
    {"rect", "box"},
    {"rectangle", "box"},
    {"points", "polygon"},
    {"time", "t0"},
    {"properties", "fields"},
    {"columns", "fields"},
    {"attributes", "fields"},
    {"size", "radius"},
    {"pos", "x"},
    {"position", "x"},
    {"point", "x"},
    {"at", "x"},
    {"place", "x"},
    {"velocity", "vx"},
    {"vel", "vx"},
    {"name", "kind"},
};

/* The field that other protocols call by this name, or NULL. */
static const struct field *find_synonym(const struct field *fields, const char *name) {
    for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++) {
        const struct field *field = field_find(fields, synonyms[i].field);
        if (field != NULL && strcmp(name, synonyms[i].typed) == 0) {
            return field;
        }
    }
    return NULL;
}

/* The field whose letters are the same but for their case, "X" for "x", or NULL. */
static const struct field *find_caseless(const struct field *fields, const char *name) {
    for (; fields->type != FIELD_END; fields++) {
        if (nearest_name_distance(name, fields->name) == 0) {
            return fields;
        }
    }
    return NULL;
}

/* The field of this op that the name was probably to be, or "". */
static void find_meant(enum request_op op, const char *name, char meant[NEAREST_NAME_CHARS + 1]) {
    const struct field *fields = request_fields(op);
    const struct field *sure = find_synonym(fields, name);
    sure = sure != NULL ? sure : find_caseless(fields, name);
    struct nearest_name nearest = nearest_name_begin(name);
    nearest_name_offer(&nearest, "id");
    for (const struct field *field = fields; field->type != FIELD_END; field++) {
        nearest_name_offer(&nearest, field->name);
    }
    (void)snprintf(meant, NEAREST_NAME_CHARS + 1, "%s",
                   sure != NULL ? sure->name : nearest_name_best(&nearest));
}

/* "kind" is a member of spawn, remove: the ops that have what this one has not. */
static void write_owners(const char *name, struct buffer *out) {
    enum { MOST_NAMED = 4 };
    int count = 0;
    for (int op = 0; op < REQUEST_OP_COUNT; op++) {
        if (field_find(request_fields((enum request_op)op), name) == NULL) {
            continue;
        }
        if (count == 0) {
            buffer_printf(out, "\"%s\" is a member of %s", name, request_op_name((enum request_op)op));
        } else if (count < MOST_NAMED) {
            buffer_printf(out, ", %s", request_op_name((enum request_op)op));
        }
        count++;
    }
    buffer_printf(out, "%s%s", count > MOST_NAMED ? " and others" : "", count > 0 ? "; " : "");
}

static void write_taken(enum request_op op, struct buffer *out) {
    const struct field *field = request_fields(op);
    buffer_printf(out, "%s takes ", request_op_name(op));
    if (field->type == FIELD_END) {
        buffer_printf(out, "nothing but an id");
    }
    for (bool is_first = true; field->type != FIELD_END; field++, is_first = false) {
        buffer_printf(out, "%s%s", is_first ? "" : ", ", field->name);
    }
}

/* The line at list; returns the next one. */
static const char *take_name(const char *list, char name[REQUEST_UNKNOWN_CHARS + 1]) {
    const size_t length = strcspn(list, "\n");
    (void)snprintf(name, REQUEST_UNKNOWN_CHARS + 1, "%.*s", (int)length, list);
    return list + length + (list[length] == '\n');
}

void request_unknown_hint(const struct request *request, struct buffer *out) {
    bool is_all_meant = true;
    for (const char *at = request->unknown; *at != '\0';) {
        char name[REQUEST_UNKNOWN_CHARS + 1];
        char meant[NEAREST_NAME_CHARS + 1];
        at = take_name(at, name);
        find_meant(request->op, name, meant);
        if (meant[0] != '\0') {
            buffer_printf(out, "\"%s\": did you mean \"%s\"?%s", name, meant,
                          *at != '\0' || !is_all_meant ? " " : "");
        } else {
            is_all_meant = false;
            write_owners(name, out);
        }
    }
    if (!is_all_meant) {
        write_taken(request->op, out);
    }
}

void request_unknown_write(const struct request *request, struct json_writer *json) {
    if (request->unknown[0] == '\0') {
        return;
    }
    json_key(json, "unknown");
    json_array(json);
    for (const char *at = request->unknown; *at != '\0';) {
        char name[REQUEST_UNKNOWN_CHARS + 1];
        at = take_name(at, name);
        json_string(json, name);
    }
    json_end(json);
    struct buffer hint;
    buffer_init(&hint, HINT_BYTES);
    request_unknown_hint(request, &hint);
    if (!hint.failed) {
        json_key_string(json, "hint", hint.data);
    }
    buffer_fini(&hint);
}
