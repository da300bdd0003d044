/* A file of text that can be read from any place: plain, or zstd frames, told apart by the first bytes. Only regular
 * files are opened (regular_file.h). What is behind the length that the file had when it was opened is not read; a file
 * that became shorter meanwhile is an error. Several streams may read one file; one thread.
 *
 * A compressed file that is torn or broken gives what can be read: the stream goes on at the next frame, and `breaks`
 * counts the places. Where a frame is not as it was written, TEXT_FILE_BREAK stands in the text, so that a line there is
 * none; a last frame that is torn, as a crash leaves it, has no such mark. Offsets are those of the text, without
 * compression.
 */
#ifndef DROVER_SERVER_STORAGE_RECORDING_INTERNAL_H
#define DROVER_SERVER_STORAGE_RECORDING_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/recording/recording_line.h"
#include "server/storage/recording_facts.h"

/* No line of a file of Drover ends with it. */
#define TEXT_FILE_BREAK "?\n"

struct text_file;
struct text_stream;

/** NULL with *failure: no_save (no such file), io (the system's reason, or not a regular file), busy (memory,
 * descriptors). */
NODISCARD struct text_file *text_file_open(const char *path, struct failure *failure);
/** After its streams. NULL is fine. */
void text_file_close(struct text_file *file);
const char *text_file_path(const struct text_file *file);
/** Bytes on disk. */
uint64_t text_file_bytes(const struct text_file *file);

/* The lines of several files, one after the other. One thread; several walks may go over the same files.
 *
 * A line ends with a newline: what is behind the last one of a file is torn, is skipped and counted. Empty lines are
 * skipped.
 */

/** Where a line begins. */
struct line_place {
    int file; /* index */
    uint64_t offset;
};

struct line_walk {
    struct text_file *const *files; /* not owned */
    int file_count;
    size_t limit; /* bytes of a line, at most */
    const uint64_t
        *ends; /* of each file: where its lines end for this walk; NULL: with the file. Not owned */
    struct text_stream *stream; /* of files[place.file]; owned; NULL: not opened yet */
    struct line_place place;    /* of data[begin] */
    char *data;                 /* owned */
    size_t begin, end, room;
    uint64_t torn; /* places that were skipped so far */
};

/** At the first line; allocates nothing yet. */
void line_walk_init(struct line_walk *walk, struct text_file *const *files, int file_count, size_t limit);
void line_walk_fini(struct line_walk *walk);
/** The next line is the one that begins there. */
void line_walk_go(struct line_walk *walk, struct line_place place);
/** 1 with the next line, without its newline, valid until the next call (place: NULL, or receives where it begins);
 * 0 at the end; -1 with *failure (bad_save: a line is too long; io, busy). */
NODISCARD int line_walk_next(struct line_walk *walk, const char **line, size_t *length,
                             struct line_place *place, struct failure *failure);

/* What stands where in a recording: its worlds, checkpoints and hashes, and marks from which its lines can be read on.
 * Filled line by line; does not read files itself.
 */

/** Of worlds[i] of the facts. */
struct index_world {
    uint64_t seq;
    struct line_place place;
    bool begins_later; /* this recording has the world from a checkpoint on, not from its text */
};

/** world: index into worlds; a number in the facts. */
struct index_checkpoint {
    int world;
    uint32_t core;
    bool has_sum; /* which was right */
    uint64_t tick, seq, hash;
    struct line_place place;
};

struct index_hash {
    int world;
    uint64_t tick, seq, hash;
};

/** What stands before this place is not after (world, tick, seq). */
struct index_mark {
    int world;
    uint64_t tick, seq;
    struct line_place place;
};

struct index_array {
    void *items;
    size_t count, room;
};

struct recording_index {
    struct recording_facts facts;
    struct index_array worlds;       /* struct recording_world */
    struct index_array world_places; /* struct index_world */
    struct index_array checkpoints;  /* struct index_checkpoint, in order after index_finish */
    struct index_array moments;      /* struct recording_moment: facts.checkpoints */
    struct index_array hashes;       /* struct index_hash, in order after index_finish */
    struct index_array marks;        /* struct index_mark, in order */
    struct index_array gaps;         /* struct recording_gap: facts.gaps */
    uint32_t core;                   /* of the file that is being read */
    bool has_sums;                   /* that file; the caller's */
    bool is_after_world;             /* the line before began a world */
    bool is_broken;                  /* lines are lost, and none since has gone on without them */
    bool lacks_lines;                /* the world line before goes on from from_seq, to which no line leads */
    uint64_t from_seq;
};

void index_init(struct recording_index *index);
void index_fini(struct recording_index *index);
/** Adds a line. 0; 1 with *failure: the line is not as it was written, or needs those that are lost, and what follows it
 * in its file cannot be used. -1 with *failure: busy (memory), bad_save (the first line of all is not `drover`), version
 * (a later format). */
NODISCARD int index_add(struct recording_index *index, const char *line, size_t length,
                        struct line_place place, struct failure *failure);
/** Lines are lost: from this one of a file on, for that reason. The first time they are the facts' damage. */
void index_break(struct recording_index *index, const char *line, size_t length, const char *why);
/** A line behind the damage: it says how far the recording went. */
void index_note_lost(struct recording_index *index, const char *line, size_t length);
/** After the last line. 0, or -1 with *failure (busy; bad_save: no world). */
NODISCARD int index_finish(struct recording_index *index, struct failure *failure);

/** The index of the world of this number, or -1. */
int index_find_world(const struct recording_index *index, uint32_t number);
/** The last checkpoint of the world at or before the tick; -1: none. */
int index_find_checkpoint(const struct recording_index *index, int world, uint64_t tick);
bool index_find_hash(const struct recording_index *index, int world, uint64_t tick, uint64_t first_seq,
                     uint64_t last_seq, uint64_t *hash);
/** Whether another line has another hash of the moment of a checkpoint; then *hash is that. */
bool index_find_other_hash(const struct recording_index *index, const struct index_checkpoint *checkpoint,
                           uint64_t *hash);
/** Where the lines after this moment are read from. */
struct line_place index_find_mark(const struct recording_index *index, int world, uint64_t tick,
                                  uint64_t seq);
const struct index_world *index_world(const struct recording_index *index, int world);
const struct index_checkpoint *index_checkpoint(const struct recording_index *index, int checkpoint);

#endif
