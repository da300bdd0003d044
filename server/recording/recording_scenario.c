/* See recording_scenario.h. */
#include "server/recording/recording_scenario.h"

#include <stdlib.h>
#include <string.h>

static int read_scenario_text(const char *text, size_t length, struct scenario *out,
                              struct failure *failure) {
    struct failure inner;
    if (length > LIMIT_SCENARIO_BYTES) {
        return failure_set(failure, FAILURE_BAD_SAVE, "text",
                           "the scenario of a world line has %zu bytes; at most %d are allowed", length,
                           LIMIT_SCENARIO_BYTES);
    }
    if (scenario_read(text, length, out, &inner) == 0) {
        return 0;
    }
    return failure_set(failure, inner.code == FAILURE_BUSY ? FAILURE_BUSY : FAILURE_BAD_SAVE, inner.field,
                       "the scenario of a world line: %s", inner.message);
}

int recording_scenario_read(const struct recording_line *line, struct scenario *out,
                            struct failure *failure) {
    size_t length = 0;
    scenario_init(out);
    char *text = recording_line_text(line, &length);
    if (text == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory for a world of the recording");
    }
    const int result = read_scenario_text(text, length, out, failure);
    free(text);
    if (result == 0) {
        memcpy(out->name, line->scenario, sizeof out->name);
        out->def.seed = line->seed;
        out->def.tick_hz = line->tick_hz;
    }
    return result;
}
