/* See outline.h. */
#include "clients/drover/outline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/recording/recording_line.h"

/* ---- taking ---- */

struct taking {
    struct outline *out;
    size_t input_room, hash_room;
    uint32_t world;
    size_t actor_count, actor_room;
    uint32_t *actors; /* sessions in order of appearance */
    bool is_short;    /* of memory */
};

/* Room for one more entry. */
static void *grow(void *entries, size_t count, size_t *room, size_t size) {
    if (count < *room) {
        return entries;
    }
    const size_t wanted = *room == 0 ? 64 : 2 * *room;
    void *grown = realloc(entries, wanted * size);
    if (grown != NULL) {
        *room = wanted;
    }
    return grown;
}

/* FNV-1a */
static uint64_t digest_of(uint64_t digest, const void *bytes, size_t length) {
    const unsigned char *next = bytes;
    for (size_t i = 0; i < length; i++) {
        digest = (digest ^ next[i]) * 1099511628211u;
    }
    return digest;
}
static const uint64_t NO_DIGEST = 14695981039346656037u;

static uint32_t actor_of(struct taking *taking, uint32_t by) {
    if (by == 0) {
        return 0;
    }
    for (size_t i = taking->actor_count; i > 0; i--) {
        if (taking->actors[i - 1] == by) {
            return (uint32_t)i;
        }
    }
    uint32_t *actors = grow(taking->actors, taking->actor_count, &taking->actor_room, sizeof *actors);
    if (actors == NULL) {
        taking->is_short = true;
        return 0;
    }
    taking->actors = actors;
    actors[taking->actor_count++] = by;
    return (uint32_t)taking->actor_count;
}

static void take_input(struct taking *taking, const struct recording_line *line) {
    struct outline *out = taking->out;
    struct outline_input *inputs = grow(out->inputs, out->input_count, &taking->input_room, sizeof *inputs);
    if (inputs == NULL) {
        taking->is_short = true;
        return;
    }
    out->inputs = inputs;
    struct outline_input *input = &inputs[out->input_count++];
    *input = (struct outline_input){.moment = {taking->world, line->tick, line->seq},
                                    .by = line->by,
                                    .is_world = line->op == RECORDING_WORLD};
    input->actor = actor_of(taking, line->by);
    if (line->op == RECORDING_DO) {
        input->digest = digest_of(NO_DIGEST, line->request, line->request_length);
    } else {
        input->digest = digest_of(NO_DIGEST, line->text, line->text_length);
        input->digest = digest_of(input->digest, &line->seed, sizeof line->seed);
        input->digest = digest_of(input->digest, &line->tick_hz, sizeof line->tick_hz);
    }
}

static void take_hash(struct taking *taking, const struct recording_line *line) {
    struct outline *out = taking->out;
    struct outline_hash *hashes = grow(out->hashes, out->hash_count, &taking->hash_room, sizeof *hashes);
    if (hashes == NULL) {
        taking->is_short = true;
        return;
    }
    out->hashes = hashes;
    hashes[out->hash_count++] = (struct outline_hash){.moment = {taking->world, line->tick, line->seq},
                                                      .hash = line->hash,
                                                      .is_checkpoint = line->op == RECORDING_CHECKPOINT};
}

static bool take_line(void *context, const char *text, size_t length) {
    struct taking *taking = context;
    struct recording_line line;
    struct failure failure;
    if (recording_line_read(text, length, &line, &failure) != 0) {
        return true;
    }
    if (line.op == RECORDING_WORLD) {
        taking->world = line.world;
    }
    if (line.op == RECORDING_WORLD || line.op == RECORDING_DO) {
        take_input(taking, &line);
    } else if (line.op == RECORDING_HASH || line.op == RECORDING_CHECKPOINT) {
        take_hash(taking, &line);
    }
    return !taking->is_short;
}

static int compare_moments(const struct recording_moment *a, const struct recording_moment *b) {
    if (a->world != b->world) {
        return a->world < b->world ? -1 : 1;
    }
    if (a->tick != b->tick) {
        return a->tick < b->tick ? -1 : 1;
    }
    return (a->seq > b->seq) - (a->seq < b->seq);
}

static int compare_hashes(const void *a, const void *b) {
    return compare_moments(&((const struct outline_hash *)a)->moment,
                           &((const struct outline_hash *)b)->moment);
}

/* How many inputs stand before each hash. */
static void count_inputs(struct outline *out) {
    size_t inputs = 0;
    for (size_t i = 0; i < out->hash_count; i++) {
        while (inputs < out->input_count &&
               compare_moments(&out->inputs[inputs].moment, &out->hashes[i].moment) <= 0) {
            inputs++;
        }
        out->hashes[i].inputs = inputs;
    }
}

int outline_take(struct recording *recording, struct outline *out, struct failure *failure) {
    *out = (struct outline){0};
    struct taking taking = {.out = out};
    int result = recording_visit(recording, take_line, &taking, failure);
    free(taking.actors);
    if (result == 0 && taking.is_short) {
        result = failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    if (result != 0) {
        outline_fini(out);
        return -1;
    }
    if (out->hash_count > 0) {
        qsort(out->hashes, out->hash_count, sizeof *out->hashes, compare_hashes);
    }
    count_inputs(out);
    return 0;
}

size_t outline_world_count(const struct outline *outline) {
    size_t count = 0;
    for (size_t i = 0; i < outline->input_count; i++) {
        count += outline->inputs[i].is_world;
    }
    return count;
}

void outline_fini(struct outline *outline) {
    free(outline->inputs);
    free(outline->hashes);
    *outline = (struct outline){0};
}

/* ---- comparing ---- */

size_t outline_first_input(const struct outline *a, const struct outline *b) {
    size_t index = 0;
    for (; index < a->input_count && index < b->input_count; index++) {
        const struct outline_input *one = &a->inputs[index];
        const struct outline_input *other = &b->inputs[index];
        if (one->moment.world != other->moment.world || one->moment.tick != other->moment.tick ||
            one->actor != other->actor || one->digest != other->digest) {
            break;
        }
    }
    return index;
}

/* In the same world at the same tick after as many inputs. seq counts pauses, too, so it is not looked at. */
static int compare_places(const struct outline_hash *a, const struct outline_hash *b) {
    if (a->moment.world != b->moment.world) {
        return a->moment.world < b->moment.world ? -1 : 1;
    }
    if (a->moment.tick != b->moment.tick) {
        return a->moment.tick < b->moment.tick ? -1 : 1;
    }
    return (a->inputs > b->inputs) - (a->inputs < b->inputs);
}

void outline_part(const struct outline *a, const struct outline *b, struct outline_parting *out) {
    const size_t common = outline_first_input(a, b);
    size_t i = 0;
    size_t j = 0;
    *out = (struct outline_parting){0};
    while (i < a->hash_count && j < b->hash_count) {
        const struct outline_hash *one = &a->hashes[i];
        const struct outline_hash *other = &b->hashes[j];
        const int order = compare_places(one, other);
        if (order != 0) {
            i += order < 0;
            j += order > 0;
            continue;
        }
        if (one->hash != other->hash) {
            out->has_different = true;
            out->different = one->moment;
            out->hash[0] = one->hash;
            out->hash[1] = other->hash;
            return;
        }
        out->has_equal = true;
        out->equal = one->moment;
        if (one->is_checkpoint && other->is_checkpoint && one->inputs <= common) {
            out->has_checkpoint = true;
            out->checkpoint = one->moment;
        }
        i++;
        j++;
    }
}

/* ---- printing ---- */

struct finding {
    size_t index, next;
};

static void print_input(const struct recording_line *line) {
    enum { SHOWN = 300 };
    (void)printf("tick %" PRIu64 ", request %" PRIu64 ", ", line->tick, line->seq);
    if (line->by == 0) {
        (void)printf("the server");
    } else {
        (void)printf("session %" PRIu32 "%s%s%s", line->by, line->name[0] == '\0' ? "" : " (", line->name,
                     line->name[0] == '\0' ? "" : ")");
    }
    if (line->op == RECORDING_DO) {
        const bool is_long = line->request_length > SHOWN;
        (void)printf(": %.*s%s\n", is_long ? SHOWN : (int)line->request_length, line->request,
                     is_long ? "..." : "");
    } else {
        (void)printf(": world %" PRIu32 ", scenario %s, seed %" PRIu64 ", %g ticks a second\n", line->world,
                     line->scenario, line->seed, line->tick_hz);
    }
}

static bool find_input(void *context, const char *text, size_t length) {
    struct finding *finding = context;
    struct recording_line line;
    struct failure failure;
    if (recording_line_read(text, length, &line, &failure) != 0 ||
        (line.op != RECORDING_WORLD && line.op != RECORDING_DO)) {
        return true;
    }
    if (finding->next++ < finding->index) {
        return true;
    }
    print_input(&line);
    return false;
}

int outline_print_input(struct recording *recording, size_t index, struct failure *failure) {
    struct finding finding = {.index = index};
    return recording_visit(recording, find_input, &finding, failure);
}
