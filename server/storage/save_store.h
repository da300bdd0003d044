/* Saved worlds by name: files NAME.drover in a folder, or, without a folder, in memory until the server ends. A name is
 * that of a scenario (1 to 31 of A-Z a-z 0-9 _ -), never a path. Used by the builder's thread; waits for the disk.
 */
#ifndef DROVER_SERVER_STORAGE_SAVE_STORE_H
#define DROVER_SERVER_STORAGE_SAVE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"

struct save_row {
    char name[LIMIT_NAME_CHARS + 1];
    char scenario[LIMIT_NAME_CHARS + 1];
    uint64_t tick, agents, bytes, hash;
    char saved[32];  /* when: "2026-11-21T19:00:00Z" */
    bool is_damaged; /* the file is no save: name, bytes and saved alone mean something */
};

struct save_store;

/** folder: NULL for memory; made when it is not there. NULL with *failure. */
NODISCARD struct save_store *save_store_create(const char *folder, struct failure *failure);
void save_store_destroy(struct save_store *store);
bool save_store_is_in_memory(const struct save_store *store);
/** Keeps the text of a saved world (saved_world_write); on disk when it returns. 0, or -1 with *failure: bad_param (no
 * name), exists (unless replace), full (LIMIT_SAVES, LIMIT_SAVE_BYTES together), io, busy; then what was kept is as it
 * was. */
NODISCARD int save_store_put(struct save_store *store, const char *name, const char *text, size_t length,
                             bool replace, struct failure *failure);
/** malloc'd, the caller's. NULL with *failure: no_save (with "did you mean"), bad_save (too long), io, busy. */
NODISCARD char *save_store_get(struct save_store *store, const char *name, size_t *length,
                               struct failure *failure);
/** 0, or -1 with *failure: no_save, io. */
NODISCARD int save_store_remove(struct save_store *store, const char *name, struct failure *failure);
/** Newest first, at most LIMIT_SAVES; *rows is malloc'd, the caller's, on success. Files that are no saves are
 * among them, is_damaged: they take a name and count, so they can be removed. Only the beginning of each file is read. Count, or -1 with *failure (io, busy). */
NODISCARD int save_store_list(struct save_store *store, struct save_row **rows, struct failure *failure);

/* What the list of saved worlds says of one, from the beginning of its text. */

enum {
    SAVE_HEAD_CHECKPOINT = 1024, /* bytes of the checkpoint line that are looked at */
    /* The most that the lines before it have: the text of a scenario with an escape for each byte. */
    SAVE_HEAD_LINES = 6 * LIMIT_SCENARIO_BYTES + 65536
};

struct save_head {
    char scenario[LIMIT_NAME_CHARS + 1];
    uint64_t tick, agents, hash;
};

/** The same of a regular file, of which only the beginning is read. */
NODISCARD int save_head_read_file(const char *path, struct save_head *head, struct failure *failure);
/** Reads the beginning of a regular file until is_enough says so, it ends, or it has SAVE_HEAD_LINES bytes. Append to
 * *text, which the caller inits and ends. 0, or -1 with *failure (bad_save, busy). */
NODISCARD int save_head_read_beginning(const char *path, bool (*is_enough)(const char *text, size_t length),
                                       struct buffer *text, struct failure *failure);

#endif
