/* See web_table.h. The rows that answer with files of the server are here. */
#include "server/web/web_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <uv.h>

#include "common/base/buffer.h"
#include "common/base/limits.h"
#include "common/system/clock.h"
#include "server/loop/loop_context.h"
#include "server/simulation/logbook.h"
#include "server/web/metrics.h"
#include "server/web/web_assets.h"
#include "server/web/web_route.h"

/* ---- operators ---- */

/* The routes for those who run the server: /metrics, /healthz, /readyz. */

/** GET /metrics. Where sessions need a token, so does this: `Authorization: Bearer TOKEN`, of role viewer or higher. */
void web_answer_metrics(const struct web_site *site, const struct web_request *request,
                        struct web_answer *answer);
/** GET /healthz and GET /readyz: 200, or 503 with the reason (metrics.h). */
void web_answer_healthz(const struct web_site *site, const struct web_request *request,
                        struct web_answer *answer);
void web_answer_readyz(const struct web_site *site, const struct web_request *request,
                       struct web_answer *answer);

/* ---- operators ---- */

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

enum { PICTURE_BYTES = 4 << 20, PATH_BYTES = 4352 };

static const char html[] = "text/html; charset=utf-8";

/* ---- the page ---- */

static void answer_asset(const struct web_asset *asset, const struct web_request *request,
                         struct web_answer *answer) {
    const bool is_small = request->accepts_gzip && asset->gzip != NULL;
    web_answer_static(answer, asset->type, is_small ? asset->gzip : asset->bytes,
                      is_small ? asset->gzip_length : asset->length);
    answer->encoding = is_small ? "gzip" : NULL;
    answer->etag = asset->etag;
    answer->cache = asset->is_immutable ? "public, max-age=31536000, immutable" : NULL;
}

static const struct web_asset *find_asset(const char *name) {
    for (size_t i = 0; i < web_asset_count; i++) {
        if (strcmp(web_assets[i].name, name) == 0) {
            return &web_assets[i];
        }
    }
    return NULL;
}

static void answer_asset_named(const struct web_site *site, const struct web_request *request,
                               struct web_answer *answer) {
    (void)site;
    const struct web_asset *asset = find_asset(request->rest);
    if (asset == NULL) {
        web_answer_refusal(answer, 404, "there is no such file\n");
    } else {
        answer_asset(asset, request, answer);
    }
}

static void answer_page(const struct web_site *site, const struct web_request *request,
                        struct web_answer *answer) {
    static const char without[] =
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Drover</title>\n"
        "<h1>Drover</h1>\n<p>This server was built without the page for browsers. Its WebSocket is at "
        "<code>/ws</code>, "
        "with the subprotocol <code>drover.v1</code>; the viewer <code>drover-viewer</code> connects over "
        "TCP.</p>\n"
        "<p>A build with the page needs clang, lld, llvm, wasi-libc, libclang-rt-dev-wasm32, esbuild and "
        "node-typescript.</p></html>\n";
    (void)site;
    const struct web_asset *asset = find_asset("index.html");
    if (asset == NULL) {
        web_answer_static(answer, html, without, sizeof without - 1);
    } else {
        answer_asset(asset, request, answer);
    }
}

static void answer_icon(const struct web_site *site, const struct web_request *request,
                        struct web_answer *answer) {
    (void)site;
    const struct web_asset *asset = find_asset("favicon.ico");
    asset = asset != NULL ? asset : find_asset("favicon.svg");
    if (asset == NULL) {
        web_answer_refusal(answer, 404, "there is no icon\n");
    } else {
        answer_asset(asset, request, answer);
    }
}

/* ---- pictures of the scenarios ---- */

/* Whether the name is NAME.png of a scenario's name, so that it leaves no folder. */
static bool is_picture(const char *name) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    const size_t length = strspn(name, letters);
    return length > 0 && length <= LIMIT_NAME_CHARS && strcmp(name + length, ".png") == 0;
}

static void read_picture(FILE *file, struct buffer *out) {
    char bytes[16384];
    size_t count = 0;
    buffer_init(out, PICTURE_BYTES);
    while ((count = fread(bytes, 1, sizeof bytes, file)) > 0) {
        buffer_append(out, bytes, count);
    }
    out->failed = out->failed || ferror(file) != 0;
}

static void answer_picture(const struct web_site *site, const struct web_request *request,
                           struct web_answer *answer) {
    char path[PATH_BYTES];
    struct buffer picture;
    FILE *file = NULL;
    if (is_picture(request->rest) && site->scenarios[0] != '\0') {
        (void)snprintf(path, sizeof path, "%.4000s/previews/%.60s", site->scenarios, request->rest);
        file = fopen(path, "rb");
    }
    if (file == NULL) {
        web_answer_refusal(answer, 404, "there is no such picture\n");
        return;
    }
    read_picture(file, &picture);
    (void)fclose(file);
    web_answer_buffer(answer, "image/png", &picture);
    buffer_fini(&picture);
    answer->cache = "max-age=300";
}

/* ---- the protocol ---- */

static void answer_schema(const struct web_site *site, const struct web_request *request,
                          struct web_answer *answer) {
    (void)site;
    (void)request;
    web_answer_static(answer, "application/schema+json", web_schema, web_schema_length);
}

static const struct web_route table[] = {
    {"/", answer_page},
    {"/assets/", answer_asset_named},
    {"/previews/", answer_picture},
    {"/protocol.schema.json", answer_schema},
    {"/favicon.ico", answer_icon},
    {"/metrics", web_answer_metrics},
    {"/healthz", web_answer_healthz},
    {"/readyz", web_answer_readyz},
};

const struct web_route *web_table(size_t *count) {
    *count = sizeof table / sizeof *table;
    return table;
}
