/* See web_exchange.h. */
#include "server/web/web_exchange.h"

#include <arpa/inet.h>
#include <assert.h>
#include <fcntl.h>
#include <netdb.h>
#include <nettle/sha1.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include "common/base/buffer.h"
#include "common/base/limits.h"
#include "common/system/clock.h"
#include "common/text/base64.h"
#include "server/loop/loop_context.h"
#include "server/net/listener.h"
#include "server/simulation/logbook.h"
#include "server/web/metrics.h"
#include "server/web/web_assets.h"
#include "server/web/web_route.h"

/* ---- routes: those who run the server ---- */

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

/* GET /metrics. Where sessions need a token, so does this: `Authorization: Bearer TOKEN`, of role viewer or higher. */
static void answer_metrics(const struct web_site *site, const struct web_request *request,
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

static void answer_health(const struct health *health, struct web_answer *answer) {
    struct buffer text;
    buffer_init(&text, HEALTH_REASON_BYTES);
    buffer_append_text(&text, health->text);
    web_answer_buffer(answer, "text/plain; charset=utf-8", &text);
    buffer_fini(&text);
    answer->status = health->is_good && answer->status == 200 ? 200 : 503;
    answer->cache = "no-store";
}

/* GET /healthz and GET /readyz: 200, or 503 with the reason (metrics.h). */
static void answer_healthz(const struct web_site *site, const struct web_request *request,
                           struct web_answer *answer) {
    (void)request;
    const struct simulation_motion motion = simulation_read_motion(site->loop->simulation);
    const struct health health = health_well(&motion, clock_now_ns());
    answer_health(&health, answer);
}

static void answer_readyz(const struct web_site *site, const struct web_request *request,
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

/* ---- routes: the page ---- */

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

/* ---- routes: pictures of the scenarios ---- */

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

static void answer_schema(const struct web_site *site, const struct web_request *request,
                          struct web_answer *answer) {
    (void)site;
    (void)request;
    web_answer_static(answer, "application/schema+json", web_schema, web_schema_length);
}

/* ---- the table of routes ---- */

/* /ws is none of them: the door hands it over to the sessions (web_door.c). */
static const struct web_route routes[] = {
    {"/", answer_page},
    {"/assets/", answer_asset_named},
    {"/previews/", answer_picture},
    {"/protocol.schema.json", answer_schema},
    {"/favicon.ico", answer_icon},
    {"/metrics", answer_metrics},
    {"/healthz", answer_healthz},
    {"/readyz", answer_readyz},
};

/* ---- handshake ---- */

enum { KEY_BYTES = 16 };

/* same: strncasecmp, or strncmp where case counts. */
static bool has_word(const char *list, const char *word,
                     int (*same)(const char *a, const char *b, size_t length)) {
    const size_t wanted = strlen(word);
    while (list != NULL && *list != '\0') {
        list += strspn(list, ", \t");
        size_t length = strcspn(list, ",");
        const char *next = list + length;
        while (length > 0 && (list[length - 1] == ' ' || list[length - 1] == '\t')) {
            length--;
        }
        if (length == wanted && same(list, word, wanted) == 0) {
            return true;
        }
        list = next;
    }
    return false;
}

bool web_handshake_lists(const char *list, const char *word) {
    return has_word(list, word, strncasecmp);
}

static bool is_key(const char *key) {
    unsigned char bytes[KEY_BYTES];
    return key != NULL && strlen(key) == base64_length(KEY_BYTES) &&
           base64_decode(key, strlen(key), bytes, sizeof bytes);
}

static bool refuse_as(unsigned status, const char *reason, unsigned *out_status, const char **out_reason) {
    *out_status = status;
    *out_reason = reason;
    return false;
}

bool web_handshake_check(const struct web_handshake *handshake, unsigned *status, const char **reason) {
    if (!web_handshake_lists(handshake->upgrade, "websocket") ||
        !web_handshake_lists(handshake->connection, "upgrade")) {
        return refuse_as(426, "this path is a WebSocket; ask for an upgrade to websocket\n", status, reason);
    }
    if (handshake->version == NULL || strcmp(handshake->version, "13") != 0) {
        return refuse_as(426, "unknown version of WebSocket; Sec-WebSocket-Version: 13 is spoken here\n",
                         status, reason);
    }
    if (!is_key(handshake->key)) {
        return refuse_as(400, "Sec-WebSocket-Key is not one; it is 16 bytes as base64\n", status, reason);
    }
    if (!has_word(handshake->protocols, WEB_SUBPROTOCOL, strncmp)) {
        return refuse_as(400, "no subprotocol is spoken here but " WEB_SUBPROTOCOL "; ask for it\n", status,
                         reason);
    }
    return true;
}

void web_handshake_accept(const char *key, char accept[WEB_ACCEPT_CHARS + 1]) {
    static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    struct sha1_ctx hash;
    unsigned char digest[SHA1_DIGEST_SIZE];
    sha1_init(&hash);
    sha1_update(&hash, strlen(key), (const unsigned char *)key);
    sha1_update(&hash, sizeof guid - 1, (const unsigned char *)guid);
    sha1_digest(&hash, sizeof digest, digest);
    *base64_encode(digest, sizeof digest, accept) = '\0';
}

static const char *header(struct MHD_Connection *connection, const char *name) {
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static int socket_of(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

/* ---- answers ---- */

static struct MHD_Response *make_response(const struct web_answer *answer) {
    /* libmicrohttpd takes the bytes as ones that it may not change, whatever its signature says.
     * NOLINTNEXTLINE(performance-no-int-to-ptr): a cast of the pointer itself would take its const away */
    void *bytes = answer->owned != NULL ? (void *)answer->owned : (void *)(uintptr_t)answer->bytes;
    return MHD_create_response_from_buffer(answer->length, answer->length == 0 ? NULL : bytes,
                                           answer->owned != NULL ? MHD_RESPMEM_MUST_FREE
                                                                 : MHD_RESPMEM_PERSISTENT);
}

static bool add(struct MHD_Response *response, const char *name, const char *value) {
    return value == NULL || MHD_add_response_header(response, name, value) == MHD_YES;
}

static bool add_headers(struct MHD_Response *response, const struct web_answer *answer) {
    static const char policy[] =
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: "
        "blob:; "
        "connect-src 'self'; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
    return add(response, "Content-Type", answer->type) &&
           add(response, "Content-Encoding", answer->encoding) &&
           add(response, "Vary", answer->encoding != NULL ? "Accept-Encoding" : NULL) &&
           add(response, "ETag", answer->etag) &&
           add(response, "Cache-Control", answer->cache != NULL ? answer->cache : "no-cache") &&
           add(response, "Allow", answer->status == 405 ? "GET, HEAD" : NULL) &&
           add(response, "WWW-Authenticate", answer->challenge) &&
           add(response, "Sec-WebSocket-Version", answer->status == 426 ? "13" : NULL) &&
           add(response, "Content-Security-Policy", policy) &&
           add(response, "X-Content-Type-Options", "nosniff") &&
           add(response, "Referrer-Policy", "no-referrer") &&
           add(response, "Cross-Origin-Resource-Policy", "same-origin") &&
           add(response, "Connection", "close");
}

enum MHD_Result web_exchange_send(struct MHD_Connection *connection, struct web_answer *answer) {
    struct MHD_Response *response = make_response(answer);
    if (response == NULL) {
        free(answer->owned);
        return MHD_NO;
    }
    const bool is_whole = add_headers(response, answer);
    const enum MHD_Result result =
        is_whole ? MHD_queue_response(connection, answer->status, response) : MHD_NO;
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned status, const char *text) {
    struct web_answer answer = {0};
    web_answer_refusal(&answer, status, text);
    return web_exchange_send(connection, &answer);
}

/* ---- the head ---- */

/* The fields that have one value: of two the door would read one, and a proxy may have read the other. */
static const char *const single_fields[] = {"Host", "Origin", "Content-Length", "Sec-WebSocket-Key",
                                            "Sec-WebSocket-Version"};

enum { SINGLE_FIELDS = sizeof single_fields / sizeof *single_fields };

struct head {
    int fields, of_single[SINGLE_FIELDS];
    bool is_malformed;
};

/* A name is a token, with no blank before its colon; a value has no control character but tabs (RFC 9110, 5.1 and 5.5):
 * libmicrohttpd takes others. */
static bool is_field(const char *name, const char *value) {
    static const char token[] =
        "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    if (name[0] == '\0' || name[strspn(name, token)] != '\0') {
        return false;
    }
    for (const char *at = value == NULL ? "" : value; *at != '\0'; at++) {
        if (((unsigned char)*at < ' ' && *at != '\t') || *at == 0x7f) {
            return false;
        }
    }
    return true;
}

static enum MHD_Result count_field(void *context, enum MHD_ValueKind kind, const char *name,
                                   const char *value) {
    struct head *head = context;
    (void)kind;
    head->fields++;
    head->is_malformed = head->is_malformed || !is_field(name, value);
    for (int i = 0; i < SINGLE_FIELDS; i++) {
        head->of_single[i] += strcasecmp(name, single_fields[i]) == 0;
    }
    return MHD_YES;
}

static bool is_ambiguous(const struct head *head) {
    bool has_two = false;
    for (int i = 0; i < SINGLE_FIELDS; i++) {
        has_two = has_two || head->of_single[i] > 1;
    }
    return has_two || head->of_single[0] == 0;
}

bool web_exchange_begin(struct MHD_Connection *connection, const char *method, enum MHD_Result *result) {
    struct head head = {0};
    (void)MHD_get_connection_values(connection, MHD_HEADER_KIND, count_field, &head);
    const union MHD_ConnectionInfo *size =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    const char *length = header(connection, "Content-Length");
    unsigned status = 0;
    const char *text = "";
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0) {
        status = 405;
        text = "only GET and HEAD are answered here\n";
    } else if (head.fields > LIMIT_WEB_HEADERS ||
               (size != NULL && size->header_size > LIMIT_WEB_HEADER_BYTES)) {
        status = 431;
        text = "too many headers; 32 of them, and 8192 bytes in all, are read\n";
    } else if (head.is_malformed) {
        status = 400;
        text = "a header has a name that is no token, or a control character; expected Name: value\n";
    } else if (is_ambiguous(&head)) {
        status = 400;
        text = "the request needs one Host, and at most one Origin, Content-Length, Sec-WebSocket-Key and "
               "Sec-WebSocket-Version\n";
    } else if (header(connection, "Transfer-Encoding") != NULL ||
               (length != NULL && strcmp(length, "0") != 0)) {
        status = 413;
        text = "the request has a body; none is taken here\n";
    }
    *result = status == 0 ? MHD_YES : refuse(connection, status, text);
    return status == 0;
}

/* ---- peers ---- */

bool web_peer_of(int socket, struct web_peer *peer) {
    return listener_peer(socket, peer->address, sizeof peer->address, &peer->is_loopback);
}

struct last_field {
    const char *name, *value;
};

static enum MHD_Result find_last(void *context, enum MHD_ValueKind kind, const char *name,
                                 const char *value) {
    struct last_field *last = context;
    (void)kind;
    last->value = strcasecmp(name, last->name) == 0 ? value : last->value;
    return MHD_YES;
}

/* The value of the last field of that name, which the proxy next to us wrote, or NULL. */
static const char *last_header(struct MHD_Connection *connection, const char *name) {
    struct last_field last = {.name = name};
    (void)MHD_get_connection_values(connection, MHD_HEADER_KIND, find_last, &last);
    return last.value;
}

/* The address that the proxy next to us saw: the last one of the list. It counts only when it is an address. */
static void believe_proxy(const char *forwarded, struct web_peer *peer) {
    const char *last = forwarded == NULL ? NULL : strrchr(forwarded, ',');
    const char *text = last != NULL ? last + 1 : forwarded;
    unsigned char bytes[16];
    if (text == NULL) {
        return;
    }
    text += strspn(text, " \t");
    const size_t length = strcspn(text, " \t");
    char address[sizeof peer->address];
    if (length >= sizeof address) {
        return;
    }
    memcpy(address, text, length);
    address[length] = '\0';
    const bool is_ipv4 = inet_pton(AF_INET, address, bytes) == 1;
    if (is_ipv4 || inet_pton(AF_INET6, address, bytes) == 1) {
        memcpy(peer->address, address, length + 1);
        peer->is_loopback = is_ipv4 ? bytes[0] == 127 : strcmp(address, "::1") == 0;
    }
}

/* The numeric address that the connection came in on; "" on a Unix socket. */
static void local_address(int socket, char *out, size_t size) {
    struct sockaddr_storage local;
    socklen_t length = sizeof local;
    out[0] = '\0';
    if (getsockname(socket, (struct sockaddr *)&local, &length) != 0 || local.ss_family == AF_UNIX ||
        getnameinfo((struct sockaddr *)&local, length, out, (socklen_t)size, NULL, 0, NI_NUMERICHOST) != 0) {
        out[0] = '\0';
    }
}

/* ---- WebSocket ---- */

/* libmicrohttpd calls it when the answer to the handshake is written. It gets its socket back at once: the session has one
 * of its own for the same connection. */
static void on_upgraded(void *context, struct MHD_Connection *connection, void *request, const char *early,
                        size_t length, MHD_socket socket, struct MHD_UpgradeResponseHandle *handle) {
    struct web_pending *pending = context;
    (void)connection;
    (void)request;
    (void)socket;
    pending->has_socket = false;
    pending->service->on_socket(pending->service->context, pending->socket, &pending->peer, early, length);
    (void)MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
}

void web_exchange_end(struct web_pending *pending) {
    if (pending->has_socket) {
        pending->has_socket = false;
        close(pending->socket);
    }
}

static enum MHD_Result accept_socket(const struct web_service *service, struct MHD_Connection *connection,
                                     const struct web_peer *peer, const char *key,
                                     struct web_pending *pending) {
    char accept[WEB_ACCEPT_CHARS + 1];
    const int own = fcntl(socket_of(connection), F_DUPFD_CLOEXEC, 0);
    if (own < 0) {
        return refuse(connection, 503, "the server has too many open files; try again later\n");
    }
    *pending = (struct web_pending){.service = service, .peer = *peer, .has_socket = true, .socket = own};
    struct MHD_Response *response = MHD_create_response_for_upgrade(on_upgraded, pending);
    web_handshake_accept(key, accept);
    enum MHD_Result result = MHD_NO;
    if (response != NULL && add(response, "Upgrade", "websocket") &&
        add(response, "Sec-WebSocket-Accept", accept) &&
        add(response, "Sec-WebSocket-Protocol", WEB_SUBPROTOCOL)) {
        result = MHD_queue_response(connection, 101, response);
    }
    if (response != NULL) {
        MHD_destroy_response(response);
    }
    return result;
}

/* A list of a header whose parts may come in several fields. */
enum { LIST_BYTES = LIMIT_WEB_HEADER_BYTES + 2 * LIMIT_WEB_HEADERS };

struct list_field {
    const char *name;
    size_t length;
    char text[LIST_BYTES];
};

static enum MHD_Result join_field(void *context, enum MHD_ValueKind kind, const char *name,
                                  const char *value) {
    struct list_field *list = context;
    (void)kind;
    const size_t length = value == NULL ? 0 : strlen(value);
    /* There is room for all that a head may have. */
    if (strcasecmp(name, list->name) == 0 && list->length + length + sizeof "," <= LIST_BYTES) {
        list->length += (size_t)snprintf(list->text + list->length, LIST_BYTES - list->length, "%s,",
                                         value == NULL ? "" : value);
    }
    return MHD_YES;
}

static const char *join(struct MHD_Connection *connection, const char *name, struct list_field *list) {
    list->name = name;
    list->length = 0;
    list->text[0] = '\0';
    (void)MHD_get_connection_values(connection, MHD_HEADER_KIND, join_field, list);
    return list->text;
}

static enum MHD_Result answer_socket(const struct web_service *service, struct MHD_Connection *connection,
                                     const struct web_peer *peer, const struct host_headers *headers,
                                     bool is_head, struct web_pending *pending) {
    struct list_field upgrades, connections, protocols;
    const struct web_handshake handshake = {.upgrade = join(connection, "Upgrade", &upgrades),
                                            .connection = join(connection, "Connection", &connections),
                                            .version = header(connection, "Sec-WebSocket-Version"),
                                            .key = header(connection, "Sec-WebSocket-Key"),
                                            .protocols =
                                                join(connection, "Sec-WebSocket-Protocol", &protocols)};
    unsigned status = 0;
    const char *reason = NULL;
    if (!host_rules_allow_origin(&service->rules, headers)) {
        return refuse(connection, 403,
                      "pages of this Origin may not connect; --web-origin allows further ones\n");
    }
    if (is_head) {
        return refuse(connection, 426, "this path is a WebSocket; its handshake is a GET\n");
    }
    if (!web_handshake_check(&handshake, &status, &reason)) {
        return refuse(connection, status, reason);
    }
    if (!service->has_room(service->context, peer)) {
        return refuse(connection, 503,
                      "no session now: there are too many, or the server stops; try again later\n");
    }
    return accept_socket(service, connection, peer, handshake.key, pending);
}

/* ---- pages ---- */

/* Whether a list of entity tags, such as W/"a", "b", has this one. */
static bool has_etag(const char *list, const char *etag) {
    return list != NULL && etag != NULL && (strcmp(list, "*") == 0 || strstr(list, etag) != NULL);
}

/* Accept-Encoding names gzip, and does not say that it has no worth. */
static bool accepts_gzip(const char *list) {
    const char *gzip = list == NULL ? NULL : strstr(list, "gzip");
    return gzip != NULL && strncmp(gzip, "gzip;q=0", 8) != 0;
}

static enum MHD_Result answer_route(const struct web_service *service, struct MHD_Connection *connection,
                                    const struct web_peer *peer, const char *path, struct web_answer *late) {
    struct web_request request = {.path = path,
                                  .accepts_gzip = accepts_gzip(header(connection, "Accept-Encoding")),
                                  .if_none_match = header(connection, "If-None-Match"),
                                  .accept = header(connection, "Accept"),
                                  .authorization = header(connection, "Authorization"),
                                  .address = peer->address};
    const struct web_route *route =
        web_route_find(routes, sizeof routes / sizeof *routes, path, &request.rest);
    struct web_answer answer = {.status = 200};
    if (route == NULL) {
        return refuse(connection, 404, "there is nothing at this path\n");
    }
    route->answer(&service->site, &request, &answer);
    if (answer.status == 200 && has_etag(request.if_none_match, answer.etag)) {
        free(answer.owned);
        answer.owned = NULL;
        answer.status = 304;
        answer.type = answer.encoding = NULL;
        web_answer_static(&answer, NULL, "", 0);
    }
    if (answer.not_before_ms > 0) {
        assert(answer.owned == NULL); /* its connection may end before */
        *late = answer;
        return MHD_YES;
    }
    return web_exchange_send(connection, &answer);
}

enum MHD_Result web_exchange_answer(const struct web_service *service, struct MHD_Connection *connection,
                                    const char *method, const char *path, struct web_pending *pending) {
    const bool is_head = strcmp(method, "HEAD") == 0;
    char local[64];
    struct web_peer peer = {.is_loopback = false};
    const int socket = socket_of(connection);
    if (!web_peer_of(socket, &peer)) {
        return MHD_NO;
    }
    local_address(socket, local, sizeof local);
    const struct host_headers headers = {.host = header(connection, "Host"),
                                         .origin = header(connection, "Origin"),
                                         .proto = last_header(connection, "X-Forwarded-Proto"),
                                         .local = local};
    if (service->rules.is_unix) {
        believe_proxy(last_header(connection, "X-Forwarded-For"), &peer);
    }
    pending->peer = peer;
    if (service->rules.is_unix && !service->has_place(service->context, &peer)) {
        return refuse(connection, 503, "too many connections from your address; try again later\n");
    }
    if (!host_rules_allow_host(&service->rules, &headers)) {
        return refuse(connection, 421,
                      "this server is not the Host of the request; --web-host NAME allows further ones\n");
    }
    return strcmp(path, "/ws") == 0 ? answer_socket(service, connection, &peer, &headers, is_head, pending)
                                    : answer_route(service, connection, &peer, path, &pending->late);
}
