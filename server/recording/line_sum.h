/* The sums of lines: what a line of a recording ends with, so that damage is seen (docs/recording.md). Pure.
 *
 *     {"op":"at","tick":96,"seq":3,"paused":true,"sum":"5c1a60f2"}
 *
 * 1. A sum is the CRC-32 (that of zlib, gzip and PNG) of what stands before its comma, and begins with the sum of the
 * line before in the same file; that of the first line begins with 0. So it covers all lines up to its own.
 * 2. The first line decides: where it has a sum, every line of the file must have the right one. A first line with a
 * sum that is not at its end is wrong.
 */
#ifndef DROVER_SERVER_RECORDING_LINE_SUM_H
#define DROVER_SERVER_RECORDING_LINE_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"

enum { LINE_SUM_BYTES = 17 /* ,"sum":"5c1a60f2" */ };

/** The sum of the bytes that follow those with the sum `before`. */
uint32_t line_sum(uint32_t before, const char *bytes, size_t length);
void line_sum_text(uint32_t sum, char out[LINE_SUM_BYTES]);
/** The length of a line (without its newline) up to its sum, and *sum; 0: it has none. */
size_t line_sum_find(const char *line, size_t length, uint32_t *sum);
/** Gives the last line of a buffer, which begins at `begin` and has its newline and no sum, its own. *sum: that of the
 * line before; then its own. */
void line_sum_seal(struct buffer *out, size_t begin, uint32_t *sum);
/** Appends whole lines with their sums, in place of those that they have. */
void line_sum_append(struct buffer *out, const char *lines, size_t length, uint32_t *sum);

/** What is known of a file whose lines are read in order; zero is its beginning. */
struct line_sum_check {
    uint64_t lines;
    bool has_sums;
    uint32_t sum; /* that the line before states */
};

/** Takes the next line (without its newline). NULL: it is as it was written, as far as sums say; otherwise what is
 * wrong. */
const char *line_sum_wrong(struct line_sum_check *check, const char *line, size_t length);

#endif
