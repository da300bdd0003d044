/* Immutable bytes shared by reference: one encoded frame or reply, many sessions.
 *
 * References may be held and released by several threads.
 */
#ifndef DROVER_COMMON_BASE_SHARED_BYTES_H
#define DROVER_COMMON_BASE_SHARED_BYTES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/base/nodiscard.h"

/** How many bytes are held, and were at most. */
struct byte_meter {
    atomic_size_t now, most;
};

struct shared_bytes {
    char *data;
    size_t length;
    atomic_int references;
    struct byte_meter *meter;   /* counts them for as long as they are there; NULL: not counted */
    struct shared_bytes *whole; /* a slice: whose data this is, with one reference; NULL: its own */
    bool is_raw;                /* goes to the wire as it is, whatever the framing */
};

void byte_meter_add(struct byte_meter *meter, size_t bytes);
void byte_meter_remove(struct byte_meter *meter, size_t bytes);

/** Takes ownership of data (malloc'd). One reference. NULL when out of memory (data is freed then). */
NODISCARD struct shared_bytes *shared_bytes_create(char *data, size_t length);
/** The same, counted: the meter must outlive them. */
NODISCARD struct shared_bytes *shared_bytes_create_counted(char *data, size_t length,
                                                           struct byte_meter *meter);
/** A part of other bytes, without a copy: holds them for as long as it is there itself. NULL when out of memory. */
NODISCARD struct shared_bytes *shared_bytes_slice(struct shared_bytes *whole, size_t offset, size_t length);
/** One reference more; returns its argument. */
struct shared_bytes *shared_bytes_keep(struct shared_bytes *bytes);
/** One reference less; the last one frees. NULL is fine. */
void shared_bytes_release(struct shared_bytes *bytes);

#endif
