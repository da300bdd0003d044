/* Static seconds (--seconds DIR): a thread that writes what a viewer gets as files that any web server can hand out.
 *
 *     1764370000.ndjson         the lines of one second: key, deltas (or densities), events; never written again
 *     scenario-1764370000.json  a hello line for those who begin with this second, or a later one
 *     index.json                which seconds there are; replaced each second
 *
 * 1. The thread is a client of its own server: it takes the lines that a session with the role viewer gets through a
 * socket pair, so frames are those of other viewers, and a slow disk costs this session frames and nobody else anything.
 * 2. A file is complete and synced before the index names it: a temporary file, renamed. Numbers rise by one, over all
 * starts; an empty folder begins with the seconds since 1970. A second that cannot be written is left out, and its number
 * is the next one's.
 * 3. Each second can be read alone: the key that its deltas need is in it. Where a world begins, its `scenario` line is.
 * 4. Files may be read by everybody, whatever the umask is: they are there to be served.
 */
#ifndef DROVER_SERVER_STORAGE_SECONDS_WRITER_H
#define DROVER_SERVER_STORAGE_SECONDS_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"

enum {
    SECONDS_MOST_AGENTS = 200000, /* one by one; */
    SECONDS_BRISK_AGENTS = 20000, /* 30 frames a second, with more 10 */
    SECONDS_KEEP_USUAL = 600
};

/** What frames are written; auto: packed up to SECONDS_MOST_AGENTS agents, else density. */
enum seconds_layout { SECONDS_AUTO, SECONDS_PACKED, SECONDS_DENSITY };

struct seconds_writer;

/** Makes the folder if it is not there, locks it and begins the thread. keep: seconds that the index names. NULL with *failure: in_use,
 * io (path and reason), busy. */
NODISCARD struct seconds_writer *seconds_writer_create(const char *folder, uint32_t keep,
                                                       enum seconds_layout layout, struct failure *failure);
/** The server's end of a new connection, the caller's to close; -1: none is wanted now. Call it a few times a second. */
int seconds_writer_take_socket(struct seconds_writer *writer);

struct seconds_status {
    uint64_t latest;            /* the number of the last second that the index names; 0 before the first */
    uint64_t written, left_out; /* seconds since the start; left out because they could not be written */
    bool has_failed;            /* the last one could not */
};

/** Any thread; waits for nothing. */
struct seconds_status seconds_writer_status(const struct seconds_writer *writer);
/** After the server's end was closed: writes what there is, says in the index that this was the end, and ends the thread. NULL is
 * fine. */
void seconds_writer_destroy(struct seconds_writer *writer);

#endif
