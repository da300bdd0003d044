/* See web_operators.h. */
#include "server/web/web_operators.h"

#include <string.h>
#include <strings.h>

#include <uv.h>

#include "common/system/clock.h"
#include "server/loop/loop_context.h"
#include "server/simulation/logbook.h"
#include "server/web/health.h"
#include "server/web/metrics.h"

/* ---- /metrics ---- */

/* The token of the header `Authorization: Bearer TOKEN`, or NULL. */
static const char *bearer_of(const char *authorization) {
    static const char scheme[] = "Bearer";
    if (authorization == NULL || strncasecmp(authorization, scheme, sizeof scheme - 1) != 0 ||
        authorization[sizeof scheme - 1] != ' ') {
        return NULL;
    }
    const char *token = authorization + sizeof scheme - 1;
    return token + strspn(token, " ");
}

static void refuse_token(struct web_answer *answer, const char *text) {
    web_answer_refusal(answer, 401, text);
    answer->challenge = "Bearer realm=\"drover\"";
}

/* Whether the request may read what a viewer may. A wrong token is answered as late as one of hello. */
static bool may_read(struct loop_context *loop, const struct web_request *request,
                     struct web_answer *answer) {
    if (!loop->access.needs_token) {
        return true;
    }
    const char *token = bearer_of(request->authorization);
    if (token == NULL) {
        refuse_token(answer, "metrics need a token; expected Authorization: Bearer TOKEN\n");
        return false;
    }
    const uint64_t now_ms = uv_now(loop->uv);
    if (token_guard_is_full(&loop->tokens, request->address, now_ms)) {
        web_answer_refusal(answer, 429, "too many wrong tokens came from your address; try again later\n");
        return false;
    }
    const struct access_entry *entry = access_find(&loop->access, token);
    if (entry != NULL && entry->role >= ROLE_VIEWER) {
        return true;
    }
    const uint64_t then_ms = token_guard_wrong(&loop->tokens, request->address, now_ms);
    answer->not_before_ms = then_ms > now_ms ? then_ms : 0;
    refuse_token(answer, "no such token\n");
    return false;
}

void web_answer_metrics(const struct web_site *site, const struct web_request *request,
                        struct web_answer *answer) {
    if (site->loop->options->web_metrics == SERVER_METRICS_OFF) {
        web_answer_refusal(answer, 404, "--web-metrics is off\n");
        return;
    }
    if (!may_read(site->loop, request, answer)) {
        return;
    }
    const enum metrics_form form = metrics_form_of(request->accept);
    struct buffer text;
    buffer_init(&text, METRICS_BYTES);
    metrics_write(site->loop, form, &text);
    web_answer_buffer(answer, metrics_type_of(form), &text);
    buffer_fini(&text);
    answer->cache = "no-store";
}

/* ---- health ---- */

static void answer_health(const struct health *health, struct web_answer *answer) {
    struct buffer text;
    buffer_init(&text, HEALTH_REASON_BYTES);
    buffer_append_text(&text, health->text);
    web_answer_buffer(answer, "text/plain; charset=utf-8", &text);
    buffer_fini(&text);
    answer->status = health->is_good && answer->status == 200 ? 200 : 503;
    answer->cache = "no-store";
}

void web_answer_healthz(const struct web_site *site, const struct web_request *request,
                        struct web_answer *answer) {
    (void)request;
    const struct simulation_motion motion = simulation_read_motion(site->loop->simulation);
    const struct health health = health_well(&motion, clock_now_ns());
    answer_health(&health, answer);
}

void web_answer_readyz(const struct web_site *site, const struct web_request *request,
                       struct web_answer *answer) {
    (void)request;
    const struct simulation_motion motion = simulation_read_motion(site->loop->simulation);
    struct health health = health_ready(&motion, site->loop->is_stopping, clock_now_ns());
    struct logbook_statistics logbook;
    if (health.is_good && site->loop->options->is_ready_with_journal) {
        simulation_read_logbook(site->loop->simulation, &logbook);
        health = logbook.journal.has_failed ? health_unkept(logbook.journal.reason) : health;
    }
    answer_health(&health, answer);
}
