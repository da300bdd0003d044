/* Fetches the files of static seconds over http, https or from a folder (file:), one at a time, with libcurl. Used by one thread.
 *
 * A viewer that was built without libcurl has seconds_fetch_absent.c, where every fetch ends with that reason.
 */
#ifndef DROVER_VIEWER_LINK_SECONDS_FETCH_H
#define DROVER_VIEWER_LINK_SECONDS_FETCH_H

#include <stdbool.h>

#include "common/base/buffer.h"
#include "common/base/nodiscard.h"

struct seconds_fetch;

/** ca: a file of certificates (PEM) to trust in place of the system's; "": the system's. NULL when out of memory. */
NODISCARD struct seconds_fetch *seconds_fetch_create(const char *ca);
/** NULL is fine. */
void seconds_fetch_destroy(struct seconds_fetch *fetch);
/** Begins to fetch; the one before has ended. */
void seconds_fetch_begin(struct seconds_fetch *fetch, const char *url);
/** Waits at most timeout_ms for bytes, or until `wake` can be read. */
void seconds_fetch_wait(struct seconds_fetch *fetch, int wake, int timeout_ms);
/** Whether it has ended; then *problem is NULL, or why it failed, in words, until the next begin. */
bool seconds_fetch_has_ended(struct seconds_fetch *fetch, const char **problem);
/** What came, with a NUL behind; until the next begin. */
const struct buffer *seconds_fetch_bytes(const struct seconds_fetch *fetch);

#endif
