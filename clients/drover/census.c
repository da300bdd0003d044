/* See census.h. */
#include "clients/drover/census.h"

#include <stdlib.h>
#include <string.h>

#include "common/json/json_check.h"
#include "server/recording/recording_line.h"

static void count_session(struct census *census, const struct recording_line *line) {
    for (int i = census->session_count - 1; i >= 0; i--) {
        struct census_session *session = &census->sessions[i];
        if (session->by == line->by && strcmp(session->name, line->name) == 0) {
            session->requests++;
            return;
        }
    }
    if (census->session_count == CENSUS_SESSIONS) {
        census->more++;
        return;
    }
    struct census_session *session = &census->sessions[census->session_count++];
    *session = (struct census_session){.by = line->by, .requests = 1};
    memcpy(session->name, line->name, sizeof session->name);
}

static bool count_line(void *context, const char *text, size_t length) {
    struct census *census = context;
    struct recording_line line;
    struct request request;
    struct failure failure;
    census->lines++;
    if (recording_line_read(text, length, &line, &failure) != 0 || line.op != RECORDING_DO) {
        return true;
    }
    const struct json_limits limits = json_limits_admin();
    if (request_decode_within(line.request, line.request_length, &limits, &request, &failure) == 0) {
        census->ops[request.op]++;
        request_fini(&request);
    } else {
        census->unknown++;
    }
    count_session(census, &line);
    return true;
}

struct census *census_take(struct recording *recording, struct failure *failure) {
    struct census *census = calloc(1, sizeof *census);
    if (census == NULL) {
        (void)failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
        return NULL;
    }
    if (recording_visit(recording, count_line, census, failure) != 0) {
        free(census);
        return NULL;
    }
    return census;
}
