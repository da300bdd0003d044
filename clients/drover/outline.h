/* What two recordings are compared by before anything is simulated: inputs, hashes and checkpoints, in short form. */
#ifndef DROVER_CLIENTS_DROVER_OUTLINE_H
#define DROVER_CLIENTS_DROVER_OUTLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/storage/recording.h"

/** A request that took effect, or a world that was put in. */
struct outline_input {
    struct recording_moment moment; /* of a world: that of its first tick */
    uint32_t by;                    /* the session */
    uint32_t actor;                 /* the same in order of appearance, from 1; 0: the server */
    bool is_world;
    uint64_t digest; /* of what was asked, or of the world */
};

/** A hash that is recorded, of a hash line or of a checkpoint. */
struct outline_hash {
    struct recording_moment moment;
    size_t inputs; /* how many inputs came before */
    uint64_t hash;
    bool is_checkpoint;
};

struct outline {
    size_t input_count, hash_count;
    struct outline_input *inputs; /* owned */
    struct outline_hash *hashes;  /* owned, in order of moments */
};

/** 0, or -1 with *failure; then it is empty. */
NODISCARD int outline_take(struct recording *recording, struct outline *out, struct failure *failure);
/** How many of the inputs are worlds that were put in. */
size_t outline_world_count(const struct outline *outline);
void outline_fini(struct outline *outline);
/** The first input that differs: its index, or the smaller of the counts. */
size_t outline_first_input(const struct outline *a, const struct outline *b);
/** Prints an input, found again in the recording: "tick 75, request 4, session 3 (Ann): {...}". */
NODISCARD int outline_print_input(struct recording *recording, size_t index, struct failure *failure);

/** Where two recordings part by what is recorded. */
struct outline_parting {
    bool has_equal, has_different, has_checkpoint;
    struct recording_moment equal,
        different;    /* the last equal hash before the first different one; moments of a */
    uint64_t hash[2]; /* of `different` */
    struct recording_moment
        checkpoint; /* the last one that is the same in both, before they part by input or hash */
};
void outline_part(const struct outline *a, const struct outline *b, struct outline_parting *out);

#endif
