/* See cursors.h. */
#include "server/sessions/cursors.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/json/json_writer.h"
#include "common/system/log.h"

static const size_t line_limit_bytes = (size_t)16 << 20;

void cursors_point(struct cursors *cursors, struct session *session, vec2 at) {
    struct client_cursor *cursor = &session->cursor;
    if (!cursor->is_set || cursor->at.x != at.x || cursor->at.y != at.y) {
        cursor->is_set = true;
        cursor->at = at;
        cursors->has_changed = true;
    }
}

void cursors_withdraw(struct cursors *cursors, struct session *session) {
    cursors->has_changed = cursors->has_changed || session->cursor.is_set;
    session->cursor.is_set = false;
}

void cursors_changed(struct cursors *cursors) {
    cursors->has_changed = true;
}

void cursors_subscribe(struct cursors *cursors, struct session *session) {
    session->cursor.is_line_due = session->subscription.cursors;
    cursors->is_line_due = cursors->is_line_due || session->subscription.cursors;
}

/* ---- lines ---- */

static void write_cursor(const struct session *session, struct json_writer *json) {
    json_object(json);
    json_key_unsigned(json, "session", session->id);
    if (session->client.name[0] != '\0') {
        json_key_string(json, "name", session->client.name);
    }
    json_key_hundredths(json, "x", llrintf(session->cursor.at.x * 100.0f));
    json_key_hundredths(json, "y", llrintf(session->cursor.at.y * 100.0f));
    json_end(json);
}

static struct shared_bytes *make_line(const struct session_set *sessions) {
    struct buffer out;
    buffer_init(&out, line_limit_bytes);
    struct json_writer json = json_writer_begin(&out);
    json_object(&json);
    json_key_string(&json, "op", "cursors");
    json_key(&json, "cursors");
    json_array(&json);
    for (const struct session *session = sessions->first; session != NULL; session = session->next) {
        if (session_is_open(session) && session->cursor.is_set) {
            write_cursor(session, &json);
        }
    }
    json_end(&json);
    json_end(&json);
    buffer_append(&out, "\n", 1);
    const bool failed = out.failed;
    size_t length = 0;
    char *data = buffer_take(&out, &length);
    if (failed || data == NULL) {
        free(data);
        log_write(LOG_ERROR, "cursors", "out of memory: the cursors are not sent");
        return NULL;
    }
    return shared_bytes_create(data, length);
}

void cursors_send(struct cursors *cursors, struct session_set *sessions) {
    if (!cursors->has_changed && !cursors->is_line_due) {
        return;
    }
    struct shared_bytes *line = NULL;
    cursors->is_line_due = false;
    for (struct session *session = sessions->first; session != NULL; session = session->next) {
        const struct subscription *subscription = &session->subscription;
        if (!subscription->is_active || !subscription->cursors) {
            continue;
        }
        session->cursor.is_line_due = session->cursor.is_line_due || cursors->has_changed;
        if (!session->cursor.is_line_due) {
            continue;
        }
        if (send_queue_is_writing(&session->stream.queue)) {
            cursors->is_line_due = true;
            continue;
        }
        line = line == NULL ? make_line(sessions) : line;
        if (line != NULL) {
            session->cursor.is_line_due = false;
            session_send_shared(session, line);
        }
    }
    shared_bytes_release(line);
    cursors->has_changed = false;
}

/* ---- the world ---- */

bool cursors_reach_world(const struct simulation *simulation, const struct session *session) {
    return session->client.role >= ROLE_OPERATOR && simulation_wants_cursors(simulation);
}

/* name: of the session's client. False: the queue of commands is full. */
static bool withdraw(struct simulation *simulation, uint32_t session, const char *name) {
    struct command_origin origin = {.session = session};
    (void)snprintf(origin.name, sizeof origin.name, "%s", name);
    struct request request = request_default(REQUEST_CURSOR);
    request.body.cursor.gone = true;
    return simulation_submit(simulation, &origin, &request) != COMMAND_REFUSED;
}

/* Keeps a departure, to be tried again. */
static void keep(struct cursors *cursors, uint32_t session) {
    uint32_t *grown = realloc(cursors->departed, sizeof *grown * (size_t)(cursors->departed_count + 1));
    if (grown == NULL) {
        log_write(LOG_ERROR, "cursors", "out of memory: the cursor of session %u stays in the world",
                  (unsigned)session);
        return;
    }
    cursors->departed = grown;
    cursors->departed[cursors->departed_count++] = session;
}

void cursors_depart(struct cursors *cursors, struct simulation *simulation, const struct session *session) {
    if (session->cursor.is_in_world && !withdraw(simulation, session->id, session->client.name)) {
        keep(cursors, session->id);
    }
}

void cursors_settle(struct cursors *cursors, struct simulation *simulation,
                    const struct session_set *sessions) {
    uint32_t owners[LIMIT_TARGETS];
    simulation_read_cursors(simulation, owners);
    for (int i = 0; i < LIMIT_TARGETS; i++) {
        struct session *session = owners[i] != 0 ? session_set_find(sessions, owners[i]) : NULL;
        if (session != NULL) {
            session->cursor.is_in_world = true;
        } else if (owners[i] != 0 && !withdraw(simulation, owners[i], "")) {
            keep(cursors, owners[i]);
        }
    }
}

void cursors_retry(struct cursors *cursors, struct simulation *simulation) {
    assert(cursors->departed_count >= 0);
    while (cursors->departed_count > 0 &&
           withdraw(simulation, cursors->departed[cursors->departed_count - 1], "")) {
        cursors->departed_count--;
    }
}

void cursors_fini(struct cursors *cursors) {
    free(cursors->departed);
    *cursors = (struct cursors){0};
}
