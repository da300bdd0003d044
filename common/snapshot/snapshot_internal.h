/* Functions that the readers and writers of the layouts share; for common/snapshot/snapshot_*.c alone. */
#ifndef DROVER_COMMON_SNAPSHOT_SNAPSHOT_INTERNAL_H
#define DROVER_COMMON_SNAPSHOT_SNAPSHOT_INTERNAL_H

#include <cjson/cJSON.h>

#include "common/snapshot/snapshot.h"

/** A time with so many decimals, rounded to the nearest; 0 when the value is no time. */
void snapshot_append_fixed(struct buffer *out, double value, int decimals);
/** Takes back a comma at the end of the text. */
void snapshot_drop_last_comma(struct buffer *out);
/** ,"targets":[...] */
void snapshot_append_targets(const struct snapshot *snapshot, struct buffer *out);

/** The tree of a line with nothing behind it, or NULL with *failure. */
cJSON *snapshot_parse(const char *line, size_t length, struct failure *failure);
/** A number times 100, rounded, as 32 bits. */
NODISCARD bool snapshot_read_hundredths(const cJSON *value, int32_t *out);
/** The index of a valid name in the table, which grows. */
NODISCARD bool snapshot_read_name(const cJSON *value, struct name_table *names, uint16_t *out);
NODISCARD bool snapshot_read_integer(const cJSON *value, double low, double high, double *out);
NODISCARD bool snapshot_read_time(const cJSON *value, double *out);
/** The speed of a frame; the member may be missing. */
NODISCARD bool snapshot_read_speed(const cJSON *value, bool *has, double *out);
/** What a frame says of its sample; both members may be missing. */
NODISCARD bool snapshot_read_sample(const cJSON *one_in, const cJSON *of, struct snapshot *snapshot);
NODISCARD int snapshot_read_targets(const cJSON *targets, struct snapshot *snapshot, struct failure *failure);

#endif
