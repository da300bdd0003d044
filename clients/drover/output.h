/* Where a command writes: standard output, or a file that is there entirely or not at all.
 *
 * A file whose name ends in .zst is compressed: a zstd frame for each piece that is written at once. A file is written under another name beside its place and put there by output_finish; otherwise nothing is left
 * of it. Errors are kept: the first one is output_finish's. */
#ifndef DROVER_CLIENTS_DROVER_OUTPUT_H
#define DROVER_CLIENTS_DROVER_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "clients/drover/interrupt.h"
#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"

enum { OUTPUT_PATH = 4096 };

struct output {
    struct interrupt *interrupt;
    const char *path; /* not owned; NULL: standard output */
    char unfinished[OUTPUT_PATH];
    int descriptor;
    bool replaces;
    int error;            /* errno of the first write that failed */
    struct buffer buffer; /* what is written at once; append here, then output_flush */
    bool is_packed;
    struct buffer packed; /* of the buffer, a frame */
};

/** path: "" or "-" is standard output. replaces: a file that is there already is replaced, and otherwise refused. 0,
 * or -1 with *failure (exists, io). */
NODISCARD int output_begin(struct output *output, struct interrupt *interrupt, const char *path,
                           bool replaces, struct failure *failure);
/** Writes the buffer when it is large. Returns false when there is no sense in going on: a write failed, or an
 * interrupt came. */
bool output_flush(struct output *output);
/** Writes the buffer now, however small it is. Returns as output_flush. */
bool output_write(struct output *output);
/** Writes all the rest and puts the file in its place. 0, or -1 with *failure; output_abandon is not needed then. */
NODISCARD int output_finish(struct output *output, struct failure *failure);
/** Leaves nothing of the file. Does nothing after output_finish, or when output_begin failed. */
void output_abandon(struct output *output);

#endif
