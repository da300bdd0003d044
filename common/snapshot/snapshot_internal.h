/* What the readers and writers of the layouts share; for common/snapshot_*.c alone. */
#ifndef DROVER_COMMON_SNAPSHOT_SNAPSHOT_INTERNAL_H
#define DROVER_COMMON_SNAPSHOT_SNAPSHOT_INTERNAL_H

#include <cjson/cJSON.h>

#include "common/snapshot/snapshot.h"
#include "common/snapshot/snapshot_density.h"

/** A time with so many decimals, rounded to the nearest; 0 for what is no time. */
void snapshot_append_fixed(struct buffer *out, double value, int decimals);
/** ,"targets":[...] */
void snapshot_append_targets(const struct snapshot *snapshot, struct buffer *out);

/** The tree of a line with nothing behind it, or NULL with *failure. */
cJSON *snapshot_parse(const char *line, size_t length, struct failure *failure);
NODISCARD bool snapshot_read_integer(const cJSON *value, double low, double high, double *out);
NODISCARD bool snapshot_read_time(const cJSON *value, double *out);
NODISCARD int snapshot_read_targets(const cJSON *targets, struct snapshot *snapshot, struct failure *failure);

/** Room for so many cells. -1 when memory is short. */
NODISCARD int density_reserve(struct density *density, int32_t cells);

#endif
