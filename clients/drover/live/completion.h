/* What may follow on a command line of drover, from the tables that the commands read it with. */
#ifndef DROVER_CLIENTS_DROVER_LIVE_COMPLETION_H
#define DROVER_CLIENTS_DROVER_LIVE_COMPLETION_H

#include "clients/drover/command.h"
#include "common/base/buffer.h"

/** What only a live server knows. */
enum completion_source {
    COMPLETION_NOTHING, /* all is said */
    COMPLETION_FILES,   /* names of files, which the shell knows */
    COMPLETION_SCENARIOS,
    COMPLETION_KINDS,
    COMPLETION_TARGETS,
    COMPLETION_SAVES,
    COMPLETION_PARAMS
};

/** Appends the words that may stand in place of the last one, a line each: the word, a tab, and what it is. words: what
 * follows `drover`, the last one unfinished or empty; count >= 1. Returns what else there is. Pure. */
enum completion_source completion_find(int count, char *const *words, struct buffer *out);

/** drover completion SHELL prints the script of a shell; drover complete -- WORDS is what the scripts call. */
command_run command_completion, command_complete;
extern const struct options_def command_completion_options, command_complete_options;

#endif
