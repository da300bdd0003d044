/* The server that the viewer starts to play a recording: `drover-server --replay FILE` on a free port of this machine.
 *
 * Owns the process. The process ends with the viewer, even with one that was killed: the kernel sends it SIGTERM.
 */
#ifndef DROVER_VIEWER_PLATFORM_OWN_SERVER_H
#define DROVER_VIEWER_PLATFORM_OWN_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/failure.h"
#include "common/text/server_address.h"

enum { OWN_SERVER_PATIENCE_MS = 60000 };

struct own_server;

/** Whether an argument names a recording: it ends in .drover or .drover.zst, or a regular file of this name begins as
 * a recording does. */
bool recording_is_named(const char *argument);
/** Whether an argument that names no recording names a file rather than a server: a file of this name exists, or it has
 * a slash, or an ending like those of recordings. */
bool file_is_meant(const char *argument);
/** Whether a file of this name exists. */
bool file_is_there(const char *name);
/** The folder that relative paths begin in, absolute; "" when the system does not say. Returns out. */
const char *own_folder(char *out, size_t size);
/** The program drover-server: beside this program, else in PATH. -1 with *failure when it is in neither. */
NODISCARD int own_server_find(char *path, size_t size, struct failure *failure);
/** Starts the program and waits until it names its address, at most so long. Called by the program's first thread,
 * with whose end the server ends.
 *
 * program    path of drover-server
 * recording  path of the file
 * returns    NULL with *failure: the server's own words when it refused the file */
NODISCARD struct own_server *own_server_start(const char *program, const char *recording, int patience_ms,
                                              struct address *address, struct failure *failure);
/** Whether the server has ended by itself; then `reason` has the signal that ended it and
 * the last line of its log, or "" when there is neither. */
bool own_server_has_ended(struct own_server *server, char *reason, size_t size);
/** Ends the server and waits for its end. NULL is fine. */
void own_server_stop(struct own_server *server);

#endif
