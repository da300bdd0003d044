/* See web_handshake.h. */
#include "server/web/web_handshake.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include <nettle/sha1.h>

#include "common/text/base64.h"

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
