/* See presence.h. */
#include "server/sessions/presence.h"

#include <math.h>
#include <stdlib.h>

#include "common/json/json_writer.h"
#include "common/system/log.h"

static const size_t line_limit_bytes = (size_t)16 << 20;

void presence_point(struct presence *presence, struct session *session, vec2 at) {
    struct client_cursor *cursor = &session->cursor;
    if (!cursor->is_set || cursor->at.x != at.x || cursor->at.y != at.y) {
        cursor->is_set = true;
        cursor->at = at;
        presence->has_changed = true;
    }
}

void presence_changed(struct presence *presence) {
    presence->has_changed = true;
}

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
        log_write(LOG_ERROR, "presence", "short of memory: the cursors are not sent");
        return NULL;
    }
    return shared_bytes_create(data, length);
}

void presence_send(struct presence *presence, struct session_set *sessions) {
    if (!presence->has_changed && !presence->is_owed) {
        return;
    }
    struct shared_bytes *line = NULL;
    presence->is_owed = false;
    for (struct session *session = sessions->first; session != NULL; session = session->next) {
        const struct subscription *subscription = &session->subscription;
        if (!subscription->is_active || !subscription->cursors) {
            continue;
        }
        session->cursor.is_line_due = session->cursor.is_line_due || presence->has_changed;
        if (!session->cursor.is_line_due) {
            continue;
        }
        if (send_queue_is_writing(&session->stream.queue)) {
            presence->is_owed = true;
            continue;
        }
        line = line == NULL ? make_line(sessions) : line;
        if (line != NULL) {
            session->cursor.is_line_due = false;
            session_send_shared(session, line);
        }
    }
    shared_bytes_release(line);
    presence->has_changed = false;
}
