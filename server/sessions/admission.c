/* See admission.h. */
#include "server/sessions/admission.h"

#include <assert.h>
#include <string.h>
#include <sys/resource.h>

#include "common/base/limits.h"
#include "common/protocol/message.h"
#include "common/protocol/request_batch.h"
#include "common/system/log.h"
#include "common/system/process.h"
#include "common/text/names.h"

enum { BYES = 64, SHARES = 4 }; /* byes and web get no more than one of so many shares each */

/* The soft limit, raised where that is allowed; UINT64_MAX: nothing is known. */
static uint64_t raise_limit(uint64_t wanted) {
    struct rlimit now = {0};
    if (getrlimit(RLIMIT_NOFILE, &now) != 0) {
        return UINT64_MAX;
    }
    if (now.rlim_cur < wanted) {
        const struct rlimit raised = {.rlim_cur = now.rlim_max < wanted ? now.rlim_max : (rlim_t)wanted,
                                      .rlim_max = now.rlim_max};
        now.rlim_cur = setrlimit(RLIMIT_NOFILE, &raised) == 0 ? raised.rlim_cur : now.rlim_cur;
    }
    return (uint64_t)now.rlim_cur;
}

static uint32_t at_most(uint32_t wanted, uint64_t share) {
    return share < wanted ? (uint32_t)share : wanted;
}

int descriptor_limit_divide(uint32_t clients, bool has_web, struct descriptor_room *room,
                            struct failure *failure) {
    const uint32_t web = has_web ? LIMIT_WEB_CONNECTIONS : 0;
    const uint64_t own = process_usage_read().open_files + DESCRIPTOR_LIMIT_OWN;
    const uint64_t limit = raise_limit(own + clients + BYES + web);
    const uint64_t least = own + 2 * SHARES;
    if (limit < least) {
        return failure_set(failure, FAILURE_BUSY, NULL,
                           "open files are limited to %llu (ulimit -Hn); the server needs at least %llu",
                           (unsigned long long)limit, (unsigned long long)least);
    }
    const uint64_t left = limit - own;
    *room =
        (struct descriptor_room){.byes = at_most(BYES, left / SHARES), .web = at_most(web, left / SHARES)};
    room->sessions = at_most(clients, left - room->byes - room->web);
    if (room->sessions < clients) {
        log_write(
            LOG_WARN, "server",
            "open files are limited to %llu (ulimit -Hn): at most %u clients, not the %u of --max-clients",
            (unsigned long long)limit, room->sessions, clients);
    }
    return 0;
}

/* ---- admission ---- */

const char *admission_why_full(struct admission_limits limits, const struct session_set *sessions,
                               const char *address, bool is_loopback) {
    if (sessions->numbered >= limits.clients) {
        return "too many sessions; try again later";
    }
    const bool is_limited = limits.per_address > 0 || !is_loopback;
    const int most = limits.per_address > 0 ? limits.per_address : LIMIT_ADDRESS_CLIENTS;
    if (is_limited && session_set_count_address(sessions, address) >= most) {
        return "too many sessions from your address; try again later";
    }
    return NULL;
}

/* The entry of the token; NULL without failure when the server needs none. */
static int find_entry(const struct access *access, struct token_guard *tokens, struct session *session,
                      const struct request_hello *hello, uint64_t now_ms, const struct access_entry **entry,
                      struct failure *failure) {
    *entry = NULL;
    if (!access->needs_token) {
        return 0;
    }
    if (hello->token[0] == '\0') {
        return failure_set(failure, FAILURE_DENIED, "token", "this server requires a token");
    }
    *entry = access_find(access, hello->token);
    if (*entry == NULL) {
        session->client.wrong_tokens++;
        session->client.denial_ms = token_guard_wrong(tokens, session->address, now_ms);
        return admission_deny(failure);
    }
    return 0;
}

int admission_deny(struct failure *failure) {
    return failure_set(failure, FAILURE_DENIED, "token", "no such token");
}

int admission_greet(const struct access *access, struct token_guard *tokens, struct session *session,
                    const struct request_hello *hello, uint64_t now_ms, struct failure *failure) {
    struct client_info *client = &session->client;
    client->denial_ms = now_ms;
    if (client->has_greeted) {
        return failure_set(failure, FAILURE_INVALID, "op", "hello was already sent");
    }
    if (hello->has_protocol && hello->protocol != PROTOCOL_VERSION) {
        return failure_set(failure, FAILURE_VERSION, "protocol",
                           "this server speaks versions [%d,%d], not %u", PROTOCOL_VERSION, PROTOCOL_VERSION,
                           (unsigned)hello->protocol);
    }
    const struct access_entry *entry = NULL;
    char own[LIMIT_PERSON_BYTES + 1];
    if (person_name_read(hello->name, "name", own, failure) != 0 ||
        find_entry(access, tokens, session, hello, now_ms, &entry, failure) != 0) {
        return -1;
    }
    assert(entry != NULL || !access->needs_token); /* a role needs a token, where there are tokens */
    client->has_greeted = true;
    session_set_role(session, entry != NULL ? entry->role : ROLE_ADMIN);
    const char *name = entry != NULL && entry->name[0] != '\0' ? entry->name : own;
    memcpy(client->name, name, sizeof client->name);
    const struct log_about about = session_about(session, NULL);
    log_write_about(LOG_INFO, "net", &about, "session %u: %s \"%s\"", session->id, role_name(client->role),
                    client->name);
    return 0;
}

/* The search for the nearest of many agents takes longer than a tick has for what viewers ask. */
static int allow_nearest(const struct session *session, const struct request *request,
                         struct failure *failure) {
    if (request->op != REQUEST_GET || !request->body.get.view.has_nearest ||
        session->client.role >= ROLE_OPERATOR) {
        return 0;
    }
    return failure_set(failure, FAILURE_DENIED, "nearest",
                       "nearest needs the role %s; you are %s: leave it out", role_name(ROLE_OPERATOR),
                       role_name(session->client.role));
}

int admission_allow_all(const struct session *session, const struct request *request,
                        struct failure *failure) {
    if (admission_allow(session, request->op, failure) != 0 ||
        allow_nearest(session, request, failure) != 0) {
        return -1;
    }
    for (uint32_t i = 0; i < request_member_count(request); i++) {
        if (admission_allow(session, request_member(request, i)->op, failure) != 0) {
            return request_fail_member(i, failure);
        }
    }
    return 0;
}

int admission_allow(const struct session *session, enum request_op op, struct failure *failure) {
    const enum role needed = request_role(op);
    const enum role role = session->client.role;
    if (role >= needed) {
        return 0;
    }
    return failure_set(failure, FAILURE_DENIED, "op", "%s needs the role %s; you are %s%s",
                       request_op_name(op), role_name(needed), role_name(role),
                       role == ROLE_NONE ? ": say hello with a token first" : "");
}

void admission_charge(struct session *session, const struct request *request, size_t length) {
    const bool is_pointing = request != NULL && request->id[0] == '\0' &&
                             (request->op == REQUEST_MOUSE || request->op == REQUEST_CURSOR);
    const uint32_t members = request == NULL ? 0 : request_member_count(request);
    if (members > 1) {
        rate_limit_take(&session->limit, (double)(members - 1));
    }
    if (!session->is_waiting || (request != NULL && request->has_at)) {
        const size_t more = length / LIMIT_LINE_BYTES; /* lines of the usual limit, beyond the first */
        rate_limit_take(&session->limit, is_pointing ? 0.125 : (double)(1 + more));
    }
}

bool admission_close_overdue(struct session *session, uint32_t idle_s, uint64_t now_ms) {
    const bool needs_token = session->client.role == ROLE_NONE;
    if (needs_token && now_ms - session->opened_ms >= LIMIT_AUTH_SECONDS * 1000u) {
        session_close(session, "auth", "no token within 10 s");
        return true;
    }
    const bool is_busy = session->subscription.is_active || session->outstanding > 0 || session->has_backlog;
    if (idle_s > 0 && !is_busy && now_ms - session->last_line_ms >= (uint64_t)idle_s * 1000u) {
        session_close(session, "idle", "idle timeout");
        return true;
    }
    return false;
}
