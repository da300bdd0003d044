/* Well-formed UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef DROVER_COMMON_BASE_UTF8_H
#define DROVER_COMMON_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/** The bytes (1 to 4) of the well-formed character at text[0..length), or 0 when there is none. */
size_t utf8_character(const char *text, size_t length);
/** The code point of the well-formed character of `size` bytes (1 to 4) at text. */
uint32_t utf8_code_point(const char *text, size_t size);
/** The most bytes, at most `limit`, of text[0..length) that end between two characters. */
size_t utf8_cut(const char *text, size_t length, size_t limit);
/** Writes a code point (at most 0x10FFFF) at out; returns the bytes written, 1 to 4. */
size_t utf8_encode(char out[4], uint32_t code_point);
/** Characters of well-formed text[0..length). */
size_t utf8_count(const char *text, size_t length);

#endif
