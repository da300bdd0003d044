/* The lines of several files, one after the other. One thread; several walks may go over the same files.
 *
 * A line ends with a newline: what is behind the last one of a file is torn, is skipped and counted. Empty lines are
 * skipped.
 */
#ifndef DROVER_SERVER_STORAGE_LINE_WALK_H
#define DROVER_SERVER_STORAGE_LINE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/storage/text_file.h"

/** Where a line begins. */
struct line_place {
    int file; /* index */
    uint64_t offset;
};

struct line_walk {
    struct text_file *const *files; /* not owned */
    int file_count;
    size_t limit; /* bytes of a line, at most */
    const uint64_t
        *ends; /* of each file: where its lines end for this walk; NULL: with the file. Not owned */
    struct text_stream *stream; /* of files[place.file]; owned; NULL: not opened yet */
    struct line_place place;    /* of data[begin] */
    char *data;                 /* owned */
    size_t begin, end, room;
    uint64_t torn; /* places that were skipped so far */
};

/** At the first line; allocates nothing yet. */
void line_walk_init(struct line_walk *walk, struct text_file *const *files, int file_count, size_t limit);
void line_walk_fini(struct line_walk *walk);
/** The next line is the one that begins there. */
void line_walk_go(struct line_walk *walk, struct line_place place);
/** 1 with the next line, without its newline, valid until the next call (place: NULL, or receives where it begins);
 * 0 at the end; -1 with *failure (bad_save: a line is too long; io, busy). */
NODISCARD int line_walk_next(struct line_walk *walk, const char **line, size_t *length,
                             struct line_place *place, struct failure *failure);

#endif
