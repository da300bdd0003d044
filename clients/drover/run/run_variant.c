/* See run_variant.h. The numbers are replaced in the scenario's text, so that all else stays as it was written. */
#include "clients/drover/run/run_variant.h"

#include <math.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/json/json_place.h"
#include "common/json/json_writer.h"

bool run_is_path(const struct world *world, const char *name) {
    static const char *const parts[] = {"world", "targets", "kinds", "agents"};
    const size_t length = strcspn(name, ".[");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strlen(parts[i]) == length && memcmp(parts[i], name, length) == 0) {
            return name[length] == '[' || world_find_kind(world, parts[i]) < 0;
        }
    }
    return false;
}

/* The text with the number at a path replaced. */
static int replace(struct buffer *text, const char *path, double value, struct failure *failure) {
    const char *found = json_value_find(text->data, path);
    const size_t length = found == NULL ? 0 : strspn(found, "-+.eE0123456789");
    if (length == 0) {
        return failure_set(failure, FAILURE_NO_PARAM, NULL,
                           "%s: %s; allowed: the path of a number that the scenario's file has", path,
                           found == NULL ? "nothing there" : "no number");
    }
    struct buffer out;
    char number[JSON_NUMBER_TEXT];
    buffer_init(&out, LIMIT_SCENARIO_BYTES);
    buffer_append(&out, text->data, (size_t)(found - text->data));
    buffer_append(&out, number, json_number_text(number, value));
    buffer_append_text(&out, found + length);
    buffer_fini(text);
    *text = out;
    return out.failed ? failure_set(failure, FAILURE_BUSY, NULL, "%s: out of memory", path) : 0;
}

int run_variant_make(const struct scenario *scenario, const struct run_plan *plan, const double *values,
                     struct scenario *out, struct failure *failure) {
    struct buffer text;
    struct failure inner = {0};
    buffer_init(&text, LIMIT_SCENARIO_BYTES);
    buffer_append(&text, scenario->text, scenario->text_length);
    int result = text.failed ? failure_set(failure, FAILURE_BUSY, NULL, "out of memory") : 0;
    for (int i = 0; i < plan->parameter_count && result == 0; i++) {
        if (plan->parameters[i].is_path && !isnan(values[i])) {
            result = replace(&text, plan->parameters[i].name, values[i], failure);
        }
    }
    if (result == 0 && scenario_read(text.data, text.length, out, &inner) != 0) {
        result = failure_set(failure, inner.code, NULL, "%s: %s", inner.field, inner.message);
    } else if (result == 0) {
        memcpy(out->name, scenario->name, sizeof out->name);
    }
    buffer_fini(&text);
    return result;
}
