/* The system calls of files that must be on disk when they say so. All of them may wait for the disk. Errors are
 * returned as errno values; 0 is success.
 */
#ifndef DROVER_SERVER_STORAGE_DISK_FILE_H
#define DROVER_SERVER_STORAGE_DISK_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"

enum { DISK_FILE_PATH = 4096 /* bytes of a path, with its NUL */ };

/** Writes everything, in as many calls as it takes. On an error a part may have been written. */
NODISCARD int disk_file_write(int descriptor, const char *bytes, size_t length);
/** The contents, and as much of the rest as it takes to read them again, are on disk. */
NODISCARD int disk_file_sync(int descriptor);
/** Makes a folder, mode 0700, whose name is on disk then. EEXIST: there is something of that name already, a folder or not; the
 * process that made it may have been killed before its name was on disk, which is done now where the system lets it. */
NODISCARD int disk_file_make_folder(const char *path);
/** The names in the folder that the path lies in are on disk. File systems that cannot do that are fine. */
NODISCARD int disk_file_sync_folder(const char *path);

/* Files that are on disk entirely or not at all. */

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
