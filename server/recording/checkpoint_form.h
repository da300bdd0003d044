/* What the writer and the reader of a checkpoint have in common. For checkpoint*.c alone. */
#ifndef DROVER_SERVER_RECORDING_CHECKPOINT_FORM_H
#define DROVER_SERVER_RECORDING_CHECKPOINT_FORM_H

/* Entries that are encoded or decoded at once: a multiple of 3, so that base64 needs padding at the end alone. */
enum { CHECKPOINT_CHUNK = 768 };

/** By enum obstacle_shape, NULL-ended. */
extern const char *const checkpoint_shapes[];

#endif
