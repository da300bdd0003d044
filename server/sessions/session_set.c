/* See session_set.h. */
#include "server/sessions/session_set.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/json/json_writer.h"
#include "common/system/log.h"

static void on_idle(uv_idle_t *idle) {
    struct session_set *set = idle->data;
    bool again = false;
    /* A session is freed in its close callback only, so the list stays whole while we walk it. */
    for (struct session *session = set->first; session != NULL; session = session->next) {
        if (session_is_runnable(session)) {
            session_run(session);
            again = again || session_is_runnable(session);
        }
    }
    if (!again) {
        uv_idle_stop(&set->idle);
        set->is_idle_running = false;
    }
}

static void host_runnable(void *context, struct session *session) {
    (void)session;
    struct session_set *set = context;
    if (!set->is_idle_running) {
        set->is_idle_running = true;
        uv_idle_start(&set->idle, on_idle);
    }
}

static void unlink_session(struct session_set *set, struct session *session) {
    if (session->previous != NULL) {
        session->previous->next = session->next;
    } else {
        set->first = session->next;
    }
    if (session->next != NULL) {
        session->next->previous = session->previous;
    }
    assert(set->count > 0 && set->numbered <= set->count);
    set->count--;
    if (session->id == 0) {
        return;
    }
    assert(set->numbered > 0);
    set->numbered--;
    struct session **link = &set->buckets[session->id % SESSION_SET_BUCKETS];
    while (*link != session) {
        assert(*link != NULL);
        link = &(*link)->next_in_bucket;
    }
    *link = session->next_in_bucket;
}

static void add_traffic(struct session_traffic *traffic, const struct session *session) {
    traffic->bytes_received += session->stream.bytes_received;
    traffic->bytes_sent += session->stream.bytes_sent;
    traffic->frames_sent += session->stream.queue.frames_sent;
    traffic->frames_skipped += session->stream.queue.frames_skipped;
    traffic->lines += session->line;
    traffic->errors += session->errors;
}

struct session_traffic session_set_traffic(const struct session_set *set) {
    struct session_traffic traffic = set->gone;
    for (const struct session *session = set->first; session != NULL; session = session->next) {
        add_traffic(&traffic, session);
    }
    return traffic;
}

int session_set_count_address(const struct session_set *set, const char *address) {
    int count = 0;
    for (const struct session *session = set->first; session != NULL; session = session->next) {
        count += session->id != 0 && strcmp(session->address, address) == 0;
    }
    return count;
}

static void host_closed(void *context, struct session *session) {
    struct session_set *set = context;
    const struct log_about about = session_about(session, NULL);
    log_write_about(LOG_DEBUG, "net", &about, "session %u: gone; %llu frames sent, %llu skipped", session->id,
                    (unsigned long long)session->stream.queue.frames_sent,
                    (unsigned long long)session->stream.queue.frames_skipped);
    add_traffic(&set->gone, session);
    unlink_session(set, session);
    set->handler.on_closed(set->handler.context, session);
    free(session);
}

/* Logs how many sessions were refused without a line of their own, at most a line a second for each cause. */
static void session_set_report(struct session_set *set) {
    for (int i = 0; i < REFUSAL_COUNT; i++) {
        const enum refusal_cause cause = (enum refusal_cause)i;
        const uint64_t more = refusal_log_report(&set->refusals, cause, uv_now(set->loop));
        const struct log_about about = {.code = refusal_name(cause)};
        if (more > 0) {
            log_write_about(LOG_INFO, "net", &about, "further sessions refused (%s): %llu", about.code,
                            (unsigned long long)more);
        }
    }
}

static void on_timer(uv_timer_t *timer) {
    struct session_set *set = timer->data;
    const uint64_t now_ms = uv_now(set->loop);
    for (struct session *session = set->first; session != NULL; session = session->next) {
        session_check(session, now_ms);
    }
    session_set_report(set);
    set->handler.on_beat(set->handler.context);
}

int session_set_init(struct session_set *set, uv_loop_t *loop, const struct session_set_handler *handler) {
    *set = (struct session_set){.loop = loop, .handler = *handler};
    set->host = (struct session_host){.context = set,
                                      .handler = handler->session,
                                      .on_runnable = host_runnable,
                                      .web_address = handler->web_address,
                                      .rate = handler->rate,
                                      .seq = handler->seq,
                                      .refusals = &set->refusals,
                                      .on_closed = host_closed};
    int result = uv_timer_init(loop, &set->timer);
    if (result == 0) {
        result = uv_idle_init(loop, &set->idle);
    }
    /* With its first stream libuv opens the descriptor it keeps in reserve. Do that now, not with the first
     * client. */
    result = result != 0 ? result : uv_tcp_init(loop, &set->first_stream);
    if (result == 0) {
        uv_close((uv_handle_t *)&set->first_stream, NULL);
    }
    set->timer.data = set;
    set->idle.data = set;
    if (result == 0) {
        result = uv_timer_start(&set->timer, on_timer, SESSION_SET_CHECK_MS, SESSION_SET_CHECK_MS);
    }
    return result;
}

void session_set_fini(struct session_set *set) {
    assert(set->count == 0);
    uv_close((uv_handle_t *)&set->timer, NULL);
    uv_close((uv_handle_t *)&set->idle, NULL);
}

uint64_t session_set_now_ms(const struct session_set *set) {
    return uv_now(set->loop);
}

struct session *session_set_add(struct session_set *set, int socket, bool with_number,
                                enum framing_kind kind) {
    struct session *session = calloc(1, sizeof *session);
    if (session == NULL) {
        close(socket);
        return NULL;
    }
    const uint32_t id = with_number ? ++set->last_id : 0;
    if (session_open(session, set->loop, &set->host, id, socket, kind) != 0) {
        free(session);
        return NULL;
    }
    session->next = set->first;
    if (set->first != NULL) {
        set->first->previous = session;
    }
    set->first = session;
    set->count++;
    if (with_number) {
        struct session **bucket = &set->buckets[id % SESSION_SET_BUCKETS];
        session->next_in_bucket = *bucket;
        *bucket = session;
        set->numbered++;
    }
    return session;
}

struct session *session_set_find(const struct session_set *set, uint32_t id) {
    struct session *session = set->buckets[id % SESSION_SET_BUCKETS];
    while (session != NULL && session->id != id) {
        session = session->next_in_bucket;
    }
    return session;
}

void session_set_close_all(struct session_set *set, const char *reason, const char *text) {
    for (struct session *session = set->first; session != NULL; session = session->next) {
        session_hurry(session);
        session_close(session, reason, text);
    }
}

/* ---- cursors ---- */

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
