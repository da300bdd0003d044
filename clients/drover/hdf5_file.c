/* See hdf5_file.h. */
#include "clients/drover/hdf5_file.h"

#include <hdf5.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Rows of a chunk, and what the compression does at most of its nine levels: more is slow and hardly smaller. */
enum { AGENT_CHUNK = 65536, FRAME_CHUNK = 1024, LEVEL = 4, VALUE_BYTES = 4, FRAME_COLUMNS = 5 };

/* A data set of one dimension that grows. */
struct series {
    hid_t set, type;
    size_t size, chunk, used; /* bytes of an element; elements: of a chunk, of those that wait */
    uint64_t length;          /* elements in all */
    unsigned char *waiting;   /* owned */
};

struct frame_span {
    uint64_t first, count;
    double time_s;
};

struct hdf5_file {
    hid_t file, agents, frames;
    int count;
    struct series *columns;                /* owned */
    struct series of_frame[FRAME_COLUMNS]; /* tick, time, hash, first, count */
    struct hdf5_frame frame;               /* under way */
    bool has_frame, has_failed;
    uint64_t first;           /* its first row */
    struct frame_span *spans; /* owned; of the frames that are done */
    size_t span_count, span_room;
};

static void check(struct hdf5_file *file, bool is_good) {
    file->has_failed = file->has_failed || !is_good;
}

/* ---- data sets ---- */

static void write_waiting(struct hdf5_file *file, struct series *series) {
    const hsize_t all = series->length, from = all - series->used, count = series->used;
    if (count == 0 || file->has_failed) {
        return;
    }
    check(file, H5Dset_extent(series->set, &all) >= 0);
    const hid_t space = H5Dget_space(series->set), memory = H5Screate_simple(1, &count, NULL);
    check(file, H5Sselect_hyperslab(space, H5S_SELECT_SET, &from, NULL, &count, NULL) >= 0 &&
                    H5Dwrite(series->set, series->type, memory, space, H5P_DEFAULT, series->waiting) >= 0);
    (void)H5Sclose(space);
    (void)H5Sclose(memory);
    series->used = 0;
}

static void append(struct hdf5_file *file, struct series *series, const void *value) {
    memcpy(series->waiting + series->used * series->size, value, series->size);
    series->length++;
    if (++series->used == series->chunk) {
        write_waiting(file, series);
    }
}

static void note(struct hdf5_file *file, hid_t at, const char *name, hid_t type, hid_t space,
                 const void *value) {
    const hid_t attribute = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    check(file, attribute >= 0 && H5Awrite(attribute, type, value) >= 0 && H5Aclose(attribute) >= 0);
}

static hid_t text_type(size_t bytes) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    (void)H5Tset_size(type, bytes > 0 ? bytes : 1);
    (void)H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

static void note_text(struct hdf5_file *file, hid_t at, const char *name, const char *text) {
    const hid_t type = text_type(strlen(text)), space = H5Screate(H5S_SCALAR);
    note(file, at, name, type, space, text);
    (void)H5Sclose(space);
    (void)H5Tclose(type);
}

static void create_series(struct hdf5_file *file, struct series *series, hid_t group, const char *name,
                          const char *units, hid_t type, size_t chunk) {
    const hsize_t none = 0, unlimited = H5S_UNLIMITED, rows = chunk;
    const hid_t space = H5Screate_simple(1, &none, &unlimited), how = H5Pcreate(H5P_DATASET_CREATE);
    *series = (struct series){.type = type, .size = H5Tget_size(type), .chunk = chunk};
    series->waiting = malloc(series->size * chunk);
    check(file, series->waiting != NULL && H5Pset_chunk(how, 1, &rows) >= 0 && H5Pset_shuffle(how) >= 0 &&
                    H5Pset_deflate(how, LEVEL) >= 0);
    series->set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    check(file, series->set >= 0);
    if (units != NULL && !file->has_failed) {
        note_text(file, series->set, "units", units);
    }
    (void)H5Sclose(space);
    (void)H5Pclose(how);
}

static void close_series(struct hdf5_file *file, struct series *series) {
    if (series->waiting != NULL) {
        write_waiting(file, series);
        check(file, H5Dclose(series->set) >= 0);
        free(series->waiting);
    }
}

/* ---- the file ---- */

static int fail_write(const char *path, struct failure *failure) {
    return failure_set(failure, FAILURE_IO, "--output", "%.900s: HDF5 cannot write it: the disk may be full",
                       path);
}

static void create_all(struct hdf5_file *file, const struct hdf5_column *columns) {
    file->agents = H5Gcreate2(file->file, "agents", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    file->frames = H5Gcreate2(file->file, "frames", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    check(file, file->agents >= 0 && file->frames >= 0);
    for (int i = 0; i < file->count && !file->has_failed; i++) {
        create_series(file, &file->columns[i], file->agents, columns[i].name, columns[i].units,
                      columns[i].is_whole ? H5T_NATIVE_UINT32 : H5T_NATIVE_FLOAT, AGENT_CHUNK);
    }
    const struct {
        const char *name, *units;
        hid_t type;
    } rows[FRAME_COLUMNS] = {{"tick", NULL, H5T_NATIVE_UINT64},
                             {"time", "s", H5T_NATIVE_DOUBLE},
                             {"hash", NULL, H5T_NATIVE_UINT64},
                             {"first", NULL, H5T_NATIVE_UINT64},
                             {"count", NULL, H5T_NATIVE_UINT64}};
    for (int i = 0; i < FRAME_COLUMNS && !file->has_failed; i++) {
        create_series(file, &file->of_frame[i], file->frames, rows[i].name, rows[i].units, rows[i].type,
                      FRAME_CHUNK);
    }
}

struct hdf5_file *hdf5_file_create(const char *path, const struct hdf5_column *columns, int count,
                                   struct failure *failure) {
    struct hdf5_file *file = calloc(1, sizeof *file);
    if (file == NULL || (file->columns = calloc((size_t)count, sizeof *file->columns)) == NULL) {
        free(file);
        (void)failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
        return NULL;
    }
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    file->count = count;
    file->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    file->has_failed = file->file < 0;
    if (!file->has_failed) {
        create_all(file, columns);
    }
    if (file->has_failed) {
        return hdf5_file_close(file, NULL, path, failure) == 0 ? file : NULL;
    }
    return file;
}

void hdf5_file_note_text(struct hdf5_file *file, const char *name, const char *text) {
    note_text(file, file->file, name, text);
}

void hdf5_file_note_whole(struct hdf5_file *file, const char *name, uint64_t value) {
    const hid_t space = H5Screate(H5S_SCALAR);
    note(file, file->file, name, H5T_NATIVE_UINT64, space, &value);
    (void)H5Sclose(space);
}

void hdf5_file_note_numbers(struct hdf5_file *file, const char *name, const double *values, int count) {
    const hsize_t size = (hsize_t)count;
    const hid_t space = count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL);
    note(file, file->file, name, H5T_NATIVE_DOUBLE, space, values);
    (void)H5Sclose(space);
}

/* Texts of one size each, which all readers know. */
void hdf5_file_note_names(struct hdf5_file *file, const char *column, const char *name, const char *names) {
    size_t longest = 1, count = 0;
    for (const char *at = names; *at != '\0'; at += strlen(at) + 1, count++) {
        longest = strlen(at) > longest ? strlen(at) : longest;
    }
    char *table = calloc(count > 0 ? count : 1, longest);
    const hid_t set = H5Dopen2(file->agents, column, H5P_DEFAULT), type = text_type(longest);
    const hsize_t size = count;
    const hid_t space = H5Screate_simple(1, &size, NULL);
    size_t row = 0;
    for (const char *at = names; table != NULL && *at != '\0'; at += strlen(at) + 1) {
        memcpy(table + row++ * longest, at, strlen(at));
    }
    check(file, table != NULL);
    if (table != NULL && set >= 0) { /* a column that is not written has no names */
        note(file, set, name, type, space, table);
        (void)H5Dclose(set);
    }
    (void)H5Sclose(space);
    (void)H5Tclose(type);
    free(table);
}

/* ---- frames ---- */

static uint64_t rows_of(const struct hdf5_file *file) {
    return file->columns[0].length;
}

static void end_frame(struct hdf5_file *file) {
    const uint64_t count = rows_of(file) - file->first;
    const void *const values[FRAME_COLUMNS] = {&file->frame.tick, &file->frame.time_s, &file->frame.hash,
                                               &file->first, &count};
    if (!file->has_frame) {
        return;
    }
    if (file->span_count == file->span_room) {
        const size_t room = 2 * file->span_room + FRAME_CHUNK;
        struct frame_span *spans = realloc(file->spans, room * sizeof *spans);
        check(file, spans != NULL);
        if (spans == NULL) {
            return;
        }
        file->spans = spans;
        file->span_room = room;
    }
    file->spans[file->span_count++] = (struct frame_span){file->first, count, file->frame.time_s};
    for (int i = 0; i < FRAME_COLUMNS; i++) {
        append(file, &file->of_frame[i], values[i]);
    }
    file->has_frame = false;
}

bool hdf5_file_begin_frame(struct hdf5_file *file, const struct hdf5_frame *frame) {
    end_frame(file);
    file->frame = *frame;
    file->first = rows_of(file);
    file->has_frame = true;
    return !file->has_failed;
}

void hdf5_file_add(struct hdf5_file *file, const void *values) {
    for (int i = 0; i < file->count; i++) {
        append(file, &file->columns[i], (const unsigned char *)values + (size_t)i * VALUE_BYTES);
    }
}

/* A column of a frame: so many rows from the first one on, of all rows. */
static void write_slab(struct buffer *xdmf, const struct frame_span *span, uint64_t all, const char *path,
                       const char *column) {
    buffer_printf(
        xdmf,
        "<DataItem ItemType=\"HyperSlab\" Dimensions=\"%" PRIu64
        "\"><DataItem Dimensions=\"3 1\" Format=\"XML\">%" PRIu64 " 1 %" PRIu64
        "</DataItem><DataItem Dimensions=\"%" PRIu64
        "\" NumberType=\"Float\" Precision=\"4\" Format=\"HDF\">%s:/agents/%s</DataItem></DataItem>\n",
        span->count, span->first, span->count, all, path, column);
}

static void write_xdmf(const struct hdf5_file *file, struct buffer *xdmf, const char *path) {
    buffer_append_text(xdmf, "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\"><Domain><Grid Name=\"agents\" "
                             "GridType=\"Collection\" "
                             "CollectionType=\"Temporal\">\n");
    for (size_t i = 0; i < file->span_count; i++) {
        const struct frame_span *span = &file->spans[i];
        buffer_printf(xdmf,
                      "<Grid Name=\"frame\" GridType=\"Uniform\"><Time Value=\"%.9g\"/><Topology "
                      "TopologyType=\"Polyvertex\" "
                      "NumberOfElements=\"%" PRIu64
                      "\" NodesPerElement=\"1\"/><Geometry GeometryType=\"X_Y\">\n",
                      span->time_s, span->count);
        write_slab(xdmf, span, rows_of(file), path, "x");
        write_slab(xdmf, span, rows_of(file), path, "y");
        buffer_append_text(xdmf, "</Geometry></Grid>\n");
    }
    buffer_append_text(xdmf, "</Grid></Domain></Xdmf>\n");
}

int hdf5_file_close(struct hdf5_file *file, struct buffer *xdmf, const char *path, struct failure *failure) {
    if (file == NULL) {
        return 0;
    }
    if (file->file >= 0) {
        end_frame(file);
        for (int i = 0; i < file->count; i++) {
            close_series(file, &file->columns[i]);
        }
        for (int i = 0; i < FRAME_COLUMNS; i++) {
            close_series(file, &file->of_frame[i]);
        }
        (void)H5Gclose(file->agents);
        (void)H5Gclose(file->frames);
        check(file, H5Fclose(file->file) >= 0);
    }
    if (xdmf != NULL && !file->has_failed) {
        write_xdmf(file, xdmf, path);
    }
    const bool has_failed = file->has_failed;
    free(file->spans);
    free(file->columns);
    free(file);
    return has_failed ? fail_write(path, failure) : 0;
}
