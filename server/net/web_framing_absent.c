/* In place of web_framing.c in a build without libwslay: no WebSocket is ever opened. See web_framing.h. */
#include <assert.h>

#include "server/net/web_framing.h"

bool web_framing_is_built(void) {
    return false;
}

struct web_framing *web_framing_create(size_t max_bytes) {
    (void)max_bytes;
    return NULL;
}

void web_framing_set_limit(struct web_framing *framing, size_t max_bytes) {
    (void)framing;
    (void)max_bytes;
}

void web_framing_destroy(struct web_framing *framing) {
    (void)framing;
    assert(framing == NULL);
}

char *web_framing_reserve(struct web_framing *framing, size_t *size) {
    (void)framing;
    *size = 0;
    return NULL;
}

void web_framing_commit(struct web_framing *framing, size_t count) {
    (void)framing;
    (void)count;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): where there are frames it is written to */
bool web_framing_next(struct web_framing *framing, char **message, size_t *length) {
    (void)framing;
    (void)message;
    (void)length;
    return false;
}

bool web_framing_is_empty(const struct web_framing *framing) {
    (void)framing;
    return true;
}

void web_framing_take_replies(struct web_framing *framing, struct buffer *out) {
    (void)framing;
    (void)out;
}

int web_framing_end_code(const struct web_framing *framing, bool *by_peer) {
    (void)framing;
    *by_peer = false;
    return 0;
}
