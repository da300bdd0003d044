/* What the list of saved worlds says of one, from the beginning of its text. */
#ifndef DROVER_SERVER_STORAGE_SAVE_HEAD_H
#define DROVER_SERVER_STORAGE_SAVE_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"

enum {
    SAVE_HEAD_CHECKPOINT = 1024, /* bytes of the checkpoint line that are looked at */
    /* The most that the lines before it have: the text of a scenario with an escape for each byte. */
    SAVE_HEAD_LINES = 6 * LIMIT_SCENARIO_BYTES + 65536
};

struct save_head {
    char scenario[LIMIT_NAME_CHARS + 1];
    uint64_t tick, agents, hash;
};

/** Whether text[0..length), a beginning of a saved world, has all that save_head_read needs. */
bool save_head_is_whole(const char *text, size_t length);
/** 0, or -1 with *failure (bad_save, busy): these are not the lines drover, world, checkpoint. */
NODISCARD int save_head_read(const char *text, size_t length, struct save_head *head,
                             struct failure *failure);
/** The same of a regular file, of which only the beginning is read. */
NODISCARD int save_head_read_file(const char *path, struct save_head *head, struct failure *failure);
/** Reads the beginning of a regular file until is_enough says so, it ends, or it has SAVE_HEAD_LINES bytes. Append to
 * *text, which the caller inits and ends. 0, or -1 with *failure (bad_save, busy). */
NODISCARD int save_head_read_beginning(const char *path, bool (*is_enough)(const char *text, size_t length),
                                       struct buffer *text, struct failure *failure);

#endif
