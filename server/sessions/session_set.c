/* See session_set.h. */
#include "server/sessions/session_set.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/system/log.h"

static void host_line(void *context, struct session *session, const char *line, size_t length) {
    struct session_set *set = context;
    set->handler.on_line(set->handler.context, session, line, length);
}

static void host_too_long(void *context, struct session *session) {
    struct session_set *set = context;
    set->handler.on_too_long(set->handler.context, session);
}

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

static void host_check(void *context, struct session *session, uint64_t now_ms) {
    struct session_set *set = context;
    set->handler.on_check(set->handler.context, session, now_ms);
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

void session_set_report(struct session_set *set) {
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
                                      .on_line = host_line,
                                      .on_too_long = host_too_long,
                                      .on_runnable = host_runnable,
                                      .web_address = handler->web_address,
                                      .rate = handler->rate,
                                      .seq = handler->seq,
                                      .refusals = &set->refusals,
                                      .on_check = host_check,
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
