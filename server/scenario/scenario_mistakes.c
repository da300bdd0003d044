/* See scenario_mistakes.h. Owns nothing. */
#include "server/scenario/scenario_mistakes.h"

#include <assert.h>

#include "common/json/field_json.h"
#include "server/scenario/scenario_text.h"

bool scenario_mistake(struct scenario_mistakes *mistakes, const struct failure *failure) {
    assert(mistakes->count < mistakes->capacity);
    mistakes->rows[mistakes->count++] = *failure;
    return mistakes->count < mistakes->capacity && failure->code != FAILURE_BUSY;
}

int scenario_read_fields(const struct field *table, const cJSON *json, const char *path,
                         const char *const *known, void *object, uint64_t *present, bool *is_whole,
                         struct scenario_mistakes *mistakes) {
    const int before = mistakes->count;
    struct failure failure = {0};
    uint64_t seen = 0;
    *is_whole = false;
    if (!cJSON_IsObject(json)) {
        (void)scenario_expect(false, "an object", json, path, &failure);
        return scenario_mistake(mistakes, &failure) ? 0 : -1;
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, json) {
        if (fields_read_member(table, item, path, known, object, &seen, &failure) != 0 &&
            !scenario_mistake(mistakes, &failure)) {
            return -1;
        }
    }
    if (fields_check_required(table, path, seen, &failure) != 0 && !scenario_mistake(mistakes, &failure)) {
        return -1;
    }
    if (present != NULL) {
        *present = seen;
    }
    *is_whole = mistakes->count == before;
    return 0;
}
