/* Opens and reads files that others may have put where they lie. Only a regular file is opened: a FIFO, a
 * device, a directory or a socket is refused without waiting for it, and what is read has an upper bound,
 * also of a file that grows meanwhile. Symbolic links are followed.
 */
#ifndef DROVER_COMMON_SYSTEM_REGULAR_FILE_H
#define DROVER_COMMON_SYSTEM_REGULAR_FILE_H

#include <stddef.h>

#include "common/base/nodiscard.h"

enum { REGULAR_FILE_REASON = 96 };

enum regular_file_result {
    REGULAR_FILE_OK,
    REGULAR_FILE_MISSING, /* there is no such file */
    REGULAR_FILE_SHORT,   /* descriptors or memory are used up: another time it may go */
    REGULAR_FILE_REFUSED, /* not a regular file, too long, or not to be read: the reason says which */
};

/** Opens the file for reading. *descriptor is the caller's to close, and meaningful after REGULAR_FILE_OK
 * alone; otherwise reason is half a sentence for people ("Permission denied"). */
NODISCARD enum regular_file_result regular_file_open(const char *path, int *descriptor,
                                                     char reason[REGULAR_FILE_REASON]);
/** Reads the whole file. limit: bytes, at most. *text is malloc'd, NUL-terminated and the caller's to free,
 * NULL unless REGULAR_FILE_OK is returned. */
NODISCARD enum regular_file_result regular_file_read(const char *path, size_t limit, char **text,
                                                     size_t *length, char reason[REGULAR_FILE_REASON]);

#endif
