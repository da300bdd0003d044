/* Columns of agents in a file of HDF5, as h5py and ParaView read it (docs/recording.md). Written as it comes: what waits in memory is a chunk of each
 * column. Without the library (libhdf5) a file cannot be made, and the command says so. */
#ifndef DROVER_CLIENTS_DROVER_HDF5_FILE_H
#define DROVER_CLIENTS_DROVER_HDF5_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"

struct hdf5_file;

/** A value of an agent: 4 bytes. */
struct hdf5_column {
    const char *name, *units; /* "px/s"; NULL: none */
    bool is_whole;            /* a uint32_t, otherwise a float */
};

/** What goes before the agents of a tick. */
struct hdf5_frame {
    uint64_t tick, hash; /* of the state */
    double time_s;
};

/** Makes the file, or begins it anew. NULL with *failure (unsupported, io). columns: as long as the file. */
NODISCARD struct hdf5_file *hdf5_file_create(const char *path, const struct hdf5_column *columns, int count,
                                             struct failure *failure);
/** An attribute of the file, or of a column when that is not NULL: a text; whole numbers; numbers; names, with a NUL after
 * each and after the last one. What cannot be written is said by hdf5_file_close. */
void hdf5_file_note_text(struct hdf5_file *file, const char *name, const char *text);
void hdf5_file_note_whole(struct hdf5_file *file, const char *name, uint64_t value);
void hdf5_file_note_numbers(struct hdf5_file *file, const char *name, const double *values, int count);
void hdf5_file_note_names(struct hdf5_file *file, const char *column, const char *name, const char *names);
/** The agents that follow are of this frame. Whether there is sense in going on. */
bool hdf5_file_begin_frame(struct hdf5_file *file, const struct hdf5_frame *frame);
/** An agent. values: 4 bytes for each column, in their order. */
void hdf5_file_add(struct hdf5_file *file, const void *values);
/** Writes the rest and frees it; NULL is fine. xdmf: NULL, or receives a text by which ParaView finds the frames: path is the file's, as seen from
 * that of the text; x and y are columns. 0, or -1 with *failure (io), when something could not be written. */
NODISCARD int hdf5_file_close(struct hdf5_file *file, struct buffer *xdmf, const char *path,
                              struct failure *failure);

#endif
