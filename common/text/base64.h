/* Base64 (RFC 4648, with padding) of whole columns of little-endian integers: the packed layouts of the wire.
 *
 * Encoding and decoding take 32 characters at a time where the machine has AVX2; the bytes are the same
 * without. Decoding is strict: one text stands for one sequence of bytes, everything else is refused.
 */
#ifndef DROVER_COMMON_TEXT_BASE64_H
#define DROVER_COMMON_TEXT_BASE64_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/nodiscard.h"

/** Characters of the text for so many bytes: 4 for every 3 begun. */
static inline size_t base64_length(size_t bytes) {
    return (bytes + 2) / 3 * 4;
}

/** Writes exactly base64_length(length) characters at out; returns one past the last. */
char *base64_encode(const void *bytes, size_t length, char *out);

/** How many bytes a text of this length and padding stands for; false when there is no such text. */
NODISCARD bool base64_decoded_length(const char *text, size_t length, size_t *bytes);

/** Reads a text that must stand for exactly `bytes` bytes. false when it does not: other length, foreign
 * characters, padding in the wrong place, left-over bits that are not zero; the contents of out are undefined then. */
NODISCARD bool base64_decode(const char *text, size_t length, void *out, size_t bytes);

/** Columns of whole numbers of `width` bytes (1, 2, 4 or 8), little-endian in the text whatever this
 * machine's order is. Encoding writes base64_length(count * width) characters and returns one past the last;
 * decoding is as strict as above. */
char *base64_encode_integers(const void *integers, size_t count, size_t width, char *out);
NODISCARD bool base64_decode_integers(const char *text, size_t length, void *integers, size_t count,
                                      size_t width);

/** The same without AVX2, for tests that compare. */
char *base64_encode_plain(const void *bytes, size_t length, char *out);
NODISCARD bool base64_decode_plain(const char *text, size_t length, void *out, size_t bytes);

#endif
