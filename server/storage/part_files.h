/* The files of a checkpoint in parts (recording/checkpoint_part.h). Beside checkpoint-000007.drover, the head, lie
 * checkpoint-000007.part-0000, checkpoint-000007.part-0001 and so on, one of each rank that wrote it.
 *
 * The parts are written and synced first. The head's name makes them count (file_write_whole): parts without a head are
 * what a crash has left, and state_directory_open removes them. All functions wait for the disk.
 */
#ifndef DROVER_SERVER_STORAGE_PART_FILES_H
#define DROVER_SERVER_STORAGE_PART_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/recording/checkpoint.h"

enum { PART_FILES_PATH = 4096 };

/** The path of a part of the checkpoint that has this path. */
void part_file_path(const char *checkpoint, uint32_t number, char path[PART_FILES_PATH]);
/** Whether a name is that of a part; then *number is the part's, and head receives the name of its checkpoint. */
bool part_file_read_name(const char *name, uint32_t *number, char head[64]);

/** Reads the parts of one checkpoint, one after the other. */
struct part_files {
    char checkpoint[PART_FILES_PATH];
    char *bytes;   /* of the part that was read last; owned */
    bool was_read; /* some part was: the checkpoint is in parts */
};
/** Where checkpoint_read_parts finds the parts of this checkpoint; valid as long as *files. part_files_fini frees. */
struct checkpoint_parts part_files_of(struct part_files *files, const char *checkpoint);
void part_files_fini(struct part_files *files);

#endif
