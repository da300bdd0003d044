/* The scenarios a server knows by name: NAME.json in one directory.
 *
 * 1. A name is 1 to 31 characters of A-Z a-z 0-9 _ -, so no name leaves the directory.
 * 2. The list is sorted by name; files with mistakes are left out of it and logged. It is read again when it
 * is older than SCENARIO_LIBRARY_FRESH_MS, so that asking again and again costs nothing.
 * 3. A file that was given by its path is known by its name, too, and goes before a file of the same name in
 * the directory. It is read again from its path whenever it is asked for.
 * 4. A failure names a file without its directory, since clients get it; the log has the whole path.
 * 5. Used by one thread at a time.
 */
#ifndef DROVER_SERVER_LIBRARY_SCENARIO_LIBRARY_H
#define DROVER_SERVER_LIBRARY_SCENARIO_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/protocol/message.h"
#include "server/scenario/scenario.h"

/* Scenarios from files: reads the text of a file for scenario.h. */

/** Whether a file has no mistake; adds to *mistakes those it has (and what keeps it from being read). */
NODISCARD bool scenario_file_check(const char *path, struct scenario_mistakes *mistakes);
/** Reads a file. As scenario_read; code is no_scenario when there is no such file, busy when descriptors or
 * memory are used up, and bad_scenario when it is not a regular file, too long, not to be read, or has a
 * mistake; the message is then "JSON PATH: what is wrong", without the file's name; line and column say where. scenario->name comes from the
 * file's name. */
NODISCARD int scenario_file_read(const char *path, struct scenario *scenario, struct failure *failure);
/** The same of a text without a file: its name stays "". */
NODISCARD int scenario_text_read(const char *text, size_t length, struct scenario *scenario,
                                 struct failure *failure);
/** Puts before the message of such a refusal the file's name and the place: "NAME:LINE:COLUMN: ...". Returns -1. */
int scenario_file_fail(const char *name, const struct failure *reason, struct failure *failure);
/** scenario_file_read with the file's path, as given, and the place before the message. */
NODISCARD int scenario_file_load(const char *path, struct scenario *scenario, struct failure *failure);

enum { SCENARIO_LIBRARY_FRESH_MS = 1000, SCENARIO_LIBRARY_PATH = 4096 };

struct scenario_list {
    int count;
    struct message_scenario_row *rows; /* owned */
};

struct scenario_library {
    char directory[SCENARIO_LIBRARY_PATH];
    char given_name[LIMIT_NAME_CHARS + 1]; /* "" when no path was given */
    char given_path[SCENARIO_LIBRARY_PATH + 64];
    struct scenario_list list;
    bool has_list;
    uint64_t listed_ns;
};

/** directory: where to look; NULL or "" for the first of these that is there: $XDG_DATA_HOME/drover/scenarios
 * (~/.local/share without it), ../share/drover/scenarios beside the program,
 * /usr/local/share/drover/scenarios, /usr/share/drover/scenarios. A build folder has a link beside its
 * programs. -1 with *failure, which names the places, when there is no such directory. */
NODISCARD int scenario_library_init(struct scenario_library *library, const char *directory,
                                    struct failure *failure);
void scenario_library_fini(struct scenario_library *library);
/** Reads the scenario of this name. 0, or -1 with *failure (no_scenario, bad_scenario, busy); *out as
 * scenario_read. */
NODISCARD int scenario_library_load(struct scenario_library *library, const char *name, struct scenario *out,
                                    struct failure *failure);
/** A name, or a path to a file (it has a '/' or ends in ".json"): what the command line takes. A path that
 * was read well is remembered (3). */
NODISCARD int scenario_library_load_argument(struct scenario_library *library, const char *argument,
                                             struct scenario *out, struct failure *failure);
/** The list, the library's, valid until the next call. NULL with *failure when the directory cannot be read.
 */
const struct scenario_list *scenario_library_list(struct scenario_library *library, struct failure *failure);
/** The names of the files in the directory, in order, with commas between them; no file is read. Returns how many; 0 when
 * the directory cannot be read. */
int scenario_library_names(const struct scenario_library *library, char *out, size_t size);

#endif
