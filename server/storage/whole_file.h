/* Files that are on disk entirely or not at all. */
#ifndef DROVER_SERVER_STORAGE_WHOLE_FILE_H
#define DROVER_SERVER_STORAGE_WHOLE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"

/** What follows the name of a file while it is written; a crash leaves such a file behind, and the next one to be
 * written under that name replaces it. */
#define WHOLE_FILE_PART ".part"

/** Writes a file of its own, synced, mode 0600; one that a crash has left there is removed first. For threads that may
 * wait. 0, or an errno value: then a part of it may be there. */
NODISCARD int file_write_part(const char *path, const char *bytes, size_t length);

/** Writes a whole file so that it is there entirely or not at all: a temporary file beside it, synced, renamed, the
 * folder synced; mode 0600. For threads that may wait; one at a time for a path.
 * 0, or -1 with *failure: exists (there is such a file and !replace), io (path and the system's reason). */
NODISCARD int file_write_whole(const char *path, const char *bytes, size_t length, bool replace,
                               struct failure *failure);

#endif
