/* The system calls of files that must be on disk when they say so. All of them may wait for the disk. Errors are
 * returned as errno values; 0 is success.
 */
#ifndef DROVER_SERVER_STORAGE_DISK_FILE_H
#define DROVER_SERVER_STORAGE_DISK_FILE_H

#include <stddef.h>

#include "common/base/nodiscard.h"

enum { DISK_FILE_PATH = 4096 /* bytes of a path, with its NUL */ };

/** Makes a file that was not there (O_EXCL), for appending, mode 0600, locked with flock; its folder is synced.
 * *descriptor is the caller's to close, -1 on an error. Then no file was made. */
NODISCARD int disk_file_create(const char *path, int *descriptor);
/** Writes everything, in as many calls as it takes. On an error a part may have been written. */
NODISCARD int disk_file_write(int descriptor, const char *bytes, size_t length);
/** The contents, and as much of the rest as it takes to read them again, are on disk. */
NODISCARD int disk_file_sync(int descriptor);
/** Makes a folder, mode 0700, whose name is on disk then. EEXIST: there is something of that name already, a folder or not; the
 * process that made it may have been killed before its name was on disk, which is done now where the system lets it. */
NODISCARD int disk_file_make_folder(const char *path);
/** The names in the folder that the path lies in are on disk. File systems that cannot do that are fine. */
NODISCARD int disk_file_sync_folder(const char *path);

#endif
