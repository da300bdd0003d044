/* A file of a folder of runs that is there entirely or not at all: written as NAME.part, put in its place at the end. A
 * NAME.part that a crash left is written over. */
#ifndef DROVER_CLIENTS_DROVER_RUN_RUN_FILE_H
#define DROVER_CLIENTS_DROVER_RUN_RUN_FILE_H

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"

enum { RUN_FILE_PATH = 2048 };

/** Zero is none. */
struct run_file {
    char path[RUN_FILE_PATH], part[RUN_FILE_PATH + 8];
    int descriptor; /* meaningful while is_open */
    bool is_open;
    int error;            /* errno of the first write that failed */
    struct buffer buffer; /* append here, then run_file_flush */
};

/** 0, or -1 with *failure (io). */
NODISCARD int run_file_begin(struct run_file *file, const char *folder, const char *name,
                             struct failure *failure);
/** Writes the buffer when it is large. Errors are run_file_finish's. */
void run_file_flush(struct run_file *file);
/** Writes the rest, syncs and puts the file in its place. 0, or -1 with *failure; then nothing of it is left. */
NODISCARD int run_file_finish(struct run_file *file, struct failure *failure);
/** Leaves nothing of a file that is not finished. */
void run_file_abandon(struct run_file *file);

#endif
