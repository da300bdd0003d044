/* Built where there is no libhdf5. See hdf5_file.h. */
#include "clients/drover/hdf5_file.h"

#include <stddef.h>

struct hdf5_file *hdf5_file_create(const char *path, const struct hdf5_column *columns, int count,
                                   struct failure *failure) {
    (void)path;
    (void)columns;
    (void)count;
    (void)failure_set(
        failure, FAILURE_UNSUPPORTED, "--hdf5",
        "--hdf5: this program was built without libhdf5; allowed: --csv, --ndjson or --trajectory");
    return NULL;
}

void hdf5_file_note_text(struct hdf5_file *file, const char *name, const char *text) {
    (void)file;
    (void)name;
    (void)text;
}

void hdf5_file_note_whole(struct hdf5_file *file, const char *name, uint64_t value) {
    (void)file;
    (void)name;
    (void)value;
}

void hdf5_file_note_numbers(struct hdf5_file *file, const char *name, const double *values, int count) {
    (void)file;
    (void)name;
    (void)values;
    (void)count;
}

void hdf5_file_note_names(struct hdf5_file *file, const char *column, const char *name, const char *names) {
    (void)file;
    (void)column;
    (void)name;
    (void)names;
}

bool hdf5_file_begin_frame(struct hdf5_file *file, const struct hdf5_frame *frame) {
    (void)file;
    (void)frame;
    return false;
}

void hdf5_file_add(struct hdf5_file *file, const void *values) {
    (void)file;
    (void)values;
}

int hdf5_file_close(struct hdf5_file *file, struct buffer *xdmf, const char *path, struct failure *failure) {
    (void)file;
    (void)xdmf;
    (void)path;
    (void)failure;
    return 0;
}
