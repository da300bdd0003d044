/* Names and ages of saved worlds. Pure. */
#ifndef DROVER_VIEWER_MODEL_SAVE_NAME_H
#define DROVER_VIEWER_MODEL_SAVE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/limits.h"

/** A name to save a world under: "flock-3600", the scenario and the tick; with "-2", "-3" ... when it is taken. out has
 * LIMIT_NAME_CHARS + 1 bytes.
 *
 * is_taken: whether a save of this name exists; context is handed to it */
void save_name_propose(const char *scenario, uint64_t tick,
                       bool (*is_taken)(const void *context, const char *name), const void *context,
                       char *out);

/** A letter as a name has it: letters, digits, _ and - stay, a blank becomes -, of others comes '\0'. */
char save_name_letter(char letter);

/** How long ago a world was saved: "just now", "5 min ago", "3 h ago", "12 days ago"; "" when the server's words are no
 * time. saved: "2026-11-21T19:00:00Z"; now_s: seconds since 1970. */
void save_age_format(const char *saved, int64_t now_s, char *out, size_t size);

#endif
