/* See web_route.h. */
#include "server/web/web_route.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- host rules ---- */

enum { NAME_CHARS = 253, PORT_DIGITS = 5 };

/* The parts of name[:port]; an IPv6 address is in brackets, which are not part of the name. */
struct authority {
    char name[NAME_CHARS + 1];
    uint32_t port; /* 0: not written */
};

static bool is_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
}

static bool read_port(const char *text, size_t length, uint32_t *port) {
    *port = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return false;
        }
        *port = *port * 10 + (uint32_t)(text[i] - '0');
    }
    return length > 0 && length <= PORT_DIGITS && *port > 0 && *port <= UINT16_MAX;
}

static bool read_name(const char *text, size_t length, bool is_ipv6, char name[NAME_CHARS + 1]) {
    if (length == 0 || length > NAME_CHARS) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (!is_name_char(text[i]) && !(is_ipv6 && text[i] == ':')) {
            return false;
        }
    }
    memcpy(name, text, length);
    name[length] = '\0';
    return true;
}

static bool read_authority(const char *text, size_t length, struct authority *out) {
    const bool is_ipv6 = length > 0 && text[0] == '[';
    const char *end = text + length;
    const char *name = is_ipv6 ? text + 1 : text;
    const char *name_end = memchr(text, is_ipv6 ? ']' : ':', length);
    if (name_end == NULL) {
        if (is_ipv6) {
            return false;
        }
        name_end = end;
    }
    const char *after = is_ipv6 ? name_end + 1 : name_end;
    out->port = 0;
    if (after != end && (*after != ':' || !read_port(after + 1, (size_t)(end - after - 1), &out->port))) {
        return false;
    }
    return read_name(name, (size_t)(name_end - name), is_ipv6, out->name);
}

/* Whether both are the same host; addresses are compared as addresses. */
static bool is_same_name(const char *a, const char *b) {
    unsigned char first[16], second[16];
    if (inet_pton(AF_INET6, a, first) == 1 && inet_pton(AF_INET6, b, second) == 1) {
        return memcmp(first, second, sizeof first) == 0;
    }
    return strcasecmp(a, b) == 0;
}

/* The next word of a list; NULL after the last one. */
static const char *next_word(const char **list, size_t *length) {
    const char *word = *list + strspn(*list, " ");
    *length = strcspn(word, " ");
    *list = word + *length;
    return *length == 0 ? NULL : word;
}

/* An IPv4 peer of an IPv6 socket. */
static const char *without_mapping(const char *address) {
    return strncasecmp(address, "::ffff:", 7) == 0 ? address + 7 : address;
}

bool host_rules_allow_host(const struct host_rules *rules, const struct host_headers *headers) {
    struct authority host, named;
    if (headers->host == NULL || !read_authority(headers->host, strlen(headers->host), &host)) {
        return false;
    }
    if (strcasecmp(host.name, "localhost") == 0 ||
        (headers->local[0] != '\0' && is_same_name(host.name, without_mapping(headers->local)))) {
        return true;
    }
    const char *list = rules->hosts;
    size_t length = 0;
    for (const char *word = next_word(&list, &length); word != NULL; word = next_word(&list, &length)) {
        if (read_authority(word, length, &named) && is_same_name(host.name, named.name) &&
            (named.port == 0 || named.port == host.port)) {
            return true;
        }
    }
    return false;
}

/* scheme://name[:port] as its parts, the port always set. */
struct origin_parts {
    bool is_https;
    struct authority at;
};

static bool read_origin(const char *text, size_t length, struct origin_parts *out) {
    static const char http[] = "http://", https[] = "https://";
    size_t skipped = 0;
    out->is_https = length >= sizeof https - 1 && strncasecmp(text, https, sizeof https - 1) == 0;
    if (out->is_https) {
        skipped = sizeof https - 1;
    } else if (length >= sizeof http - 1 && strncasecmp(text, http, sizeof http - 1) == 0) {
        skipped = sizeof http - 1;
    } else {
        return false;
    }
    if (!read_authority(text + skipped, length - skipped, &out->at)) {
        return false;
    }
    if (out->at.port == 0) {
        out->at.port = out->is_https ? 443 : 80;
    }
    return true;
}

static bool is_same_origin(const struct origin_parts *a, const struct origin_parts *b) {
    return a->is_https == b->is_https && a->at.port == b->at.port && is_same_name(a->at.name, b->at.name);
}

/* Whether the origin is the door's own: that of the request's Host, by the scheme that the browser used. */
static bool is_own(const struct host_rules *rules, const struct host_headers *headers,
                   const struct origin_parts *origin) {
    struct origin_parts own = {.is_https = false};
    if (headers->host == NULL || !read_authority(headers->host, strlen(headers->host), &own.at)) {
        return false;
    }
    if (rules->is_unix) {
        /* A proxy that says nothing of the scheme may have spoken either. */
        own.is_https = headers->proto == NULL ? origin->is_https : strcasecmp(headers->proto, "https") == 0;
    }
    if (own.at.port == 0) {
        own.at.port = own.is_https ? 443 : 80;
    }
    return is_same_origin(&own, origin);
}

bool host_rules_allow_origin(const struct host_rules *rules, const struct host_headers *headers) {
    struct origin_parts origin, named;
    if (headers->origin == NULL) {
        return true;
    }
    if (!read_origin(headers->origin, strlen(headers->origin), &origin)) {
        return false; /* "null" is one of these */
    }
    if (is_own(rules, headers, &origin)) {
        return true;
    }
    const char *list = rules->origins;
    size_t length = 0;
    for (const char *word = next_word(&list, &length); word != NULL; word = next_word(&list, &length)) {
        if (read_origin(word, length, &named) && is_same_origin(&origin, &named)) {
            return true;
        }
    }
    return false;
}

int host_rules_check(const struct host_rules *rules, struct failure *failure) {
    struct authority host;
    struct origin_parts origin;
    const char *list = rules->hosts;
    size_t length = 0;
    for (const char *word = next_word(&list, &length); word != NULL; word = next_word(&list, &length)) {
        if (!read_authority(word, length, &host)) {
            return failure_set(failure, FAILURE_BAD_PARAM, "--web-host",
                               "--web-host: expected a name, such as sim.example.org, found \"%.*s\"",
                               (int)(length < 100 ? length : 100), word);
        }
    }
    list = rules->origins;
    for (const char *word = next_word(&list, &length); word != NULL; word = next_word(&list, &length)) {
        if (!read_origin(word, length, &origin)) {
            return failure_set(
                failure, FAILURE_BAD_PARAM, "--web-origin",
                "--web-origin: expected an origin, such as https://sim.example.org, found \"%.*s\"",
                (int)(length < 100 ? length : 100), word);
        }
    }
    return 0;
}

static const char plain_text[] = "text/plain; charset=utf-8";

const struct web_route *web_route_find(const struct web_route *table, size_t count, const char *path,
                                       const char **rest) {
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(table[i].path);
        const bool is_folder = length > 1 && table[i].path[length - 1] == '/';
        const bool matches = is_folder ? strncmp(path, table[i].path, length) == 0 && path[length] != '\0'
                                       : strcmp(path, table[i].path) == 0;
        if (matches) {
            *rest = path + length;
            return &table[i];
        }
    }
    return NULL;
}

void web_answer_static(struct web_answer *answer, const char *type, const void *bytes, size_t length) {
    answer->type = type;
    answer->bytes = bytes;
    answer->length = length;
}

void web_answer_buffer(struct web_answer *answer, const char *type, struct buffer *body) {
    const bool failed = body->failed;
    size_t length = 0;
    char *bytes = buffer_take(body, &length);
    if (failed) {
        free(bytes);
        web_answer_refusal(answer, 500, "the server is out of memory\n");
        return;
    }
    web_answer_static(answer, type, bytes == NULL ? "" : bytes, length);
    answer->owned = bytes;
}

void web_answer_refusal(struct web_answer *answer, unsigned status, const char *text) {
    answer->status = status;
    web_answer_static(answer, plain_text, text, strlen(text));
}
