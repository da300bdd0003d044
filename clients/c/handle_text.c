/* Texts for requests: strings and columns. */
#include <string.h>

#include "clients/c/include/drover/drover.h"
#include "common/base/utf8.h"
#include "common/text/base64.h"

/* Appends as much as fits; *length counts all of it. */
static void put(char *out, size_t size, size_t *length, const char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++, (*length)++) {
        if (size > 0 && *length < size - 1) {
            out[*length] = bytes[i];
        }
    }
}

/* One character of the text as it stands in a JSON string. Returns its bytes in the text. */
static size_t put_character(const char *text, size_t left, char *out, size_t size, size_t *length) {
    static const char digits[] = "0123456789abcdef";
    const unsigned char byte = (unsigned char)text[0];
    const size_t bytes = utf8_character(text, left);
    if (bytes == 0) {
        put(out, size, length, "\xEF\xBF\xBD", 3);
        return 1;
    }
    if (byte == '"' || byte == '\\') {
        put(out, size, length, "\\", 1);
    } else if (byte < 0x20) {
        const char escape[] = {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15]};
        put(out, size, length, escape, sizeof escape);
        return 1;
    }
    put(out, size, length, text, bytes);
    return bytes;
}

size_t drover_quote(const char *text, char *out, size_t size) {
    const size_t end = strlen(text);
    size_t length = 0;
    put(out, size, &length, "\"", 1);
    for (size_t at = 0; at < end;) {
        at += put_character(text + at, end - at, out, size, &length);
    }
    put(out, size, &length, "\"", 1);
    if (size > 0) {
        out[length < size ? length : size - 1] = '\0';
    }
    return length;
}

size_t drover_base64(const void *bytes, size_t length, char *out, size_t size) {
    const size_t needed = base64_length(length);
    if (needed < size) {
        *base64_encode(bytes, length, out) = '\0';
    }
    return needed;
}
