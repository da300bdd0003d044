/* See web_framing.h. */
#include "server/net/web_framing.h"

#include <stdbool.h>
#include <string.h>

enum { FINAL = 0x80, LENGTH_16 = 126, LENGTH_64 = 127, CODE_BYTES = 2 };

size_t web_frame_head(enum web_opcode opcode, size_t payload_bytes, char head[WEB_FRAME_HEAD_BYTES]) {
    const uint64_t length = payload_bytes;
    const size_t more = length < LENGTH_16 ? 0 : length <= UINT16_MAX ? 2 : 8;
    head[0] = (char)(FINAL | (unsigned)opcode);
    head[1] = (char)(more == 0 ? (unsigned)length : more == 2 ? LENGTH_16 : LENGTH_64);
    for (size_t i = 0; i < more; i++) {
        head[2 + i] = (char)(length >> 8 * (more - 1 - i) & 0xff);
    }
    return 2 + more;
}

void web_frame_append(struct buffer *out, enum web_opcode opcode, const char *payload, size_t length) {
    char head[WEB_FRAME_HEAD_BYTES];
    const bool is_control = opcode >= WEB_CLOSE;
    const size_t sent = is_control && length > WEB_FRAME_CONTROL_BYTES ? WEB_FRAME_CONTROL_BYTES : length;
    buffer_append(out, head, web_frame_head(opcode, sent, head));
    buffer_append(out, payload, sent);
}

void web_frame_append_close(struct buffer *out, enum web_close code, const char *reason) {
    char payload[WEB_FRAME_CONTROL_BYTES] = {(char)((unsigned)code >> 8), (char)((unsigned)code & 0xff)};
    size_t length = strlen(reason);
    if (length > sizeof payload - CODE_BYTES) {
        length = sizeof payload - CODE_BYTES;
        while (length > 0 && ((unsigned char)reason[length] & 0xc0) == 0x80) {
            length--; /* in the middle of a character */
        }
    }
    memcpy(payload + CODE_BYTES, reason, length);
    web_frame_append(out, WEB_CLOSE, payload, CODE_BYTES + length);
}

const char *web_close_text(enum web_close code) {
    switch (code) {
    case WEB_CLOSE_NOT_TEXT:
        return "a binary message; each message is one line of JSON, as text";
    case WEB_CLOSE_NOT_UTF8:
        return "a message that is not UTF-8";
    case WEB_CLOSE_TOO_LONG:
        return "a message of more than 65536 bytes";
    case WEB_CLOSE_NO_MEMORY:
        return "the server is out of memory";
    case WEB_CLOSE_NORMAL:
    case WEB_CLOSE_GOING_AWAY:
    case WEB_CLOSE_PROTOCOL:
    case WEB_CLOSE_POLICY:
    case WEB_CLOSE_TRY_LATER:
        break;
    }
    return "a frame that breaks the rules of WebSocket (RFC 6455)";
}
