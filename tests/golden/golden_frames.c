/* Prints "SCENARIO FORM DIGEST" for scenario files: the frames of three ticks on the wire, in each
 * layout.
 *
 *     golden_frames scenarios/seek.json ...
 *
 * The bytes are the same on every machine, whatever its order of bytes. Each line is read back, and must equal
 * the world: exit code 1 when one does not.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/snapshot/snapshot_density.h"
#include "common/snapshot/snapshot_packed.h"
#include "server/frames/world_snapshot.h"
#include "server/library/scenario_library.h"
#include "server/scenario/scenario.h"
#include "server/sim/world/world.h"
#include "tests/support/snapshots.h"

enum { FIRST_TICK = 58, LAST_TICK = 60, LINE_MOST = 1 << 28 };
enum { PACKED = SNAPSHOT_USUAL | SNAPSHOT_STAMINA | SNAPSHOT_FORCE | SNAPSHOT_DESIRED };

struct forms {
    const char *scenario;
    struct snapshot *now, *back;
    struct packed_decoder *stream;
    struct packed_encoder packed;
    struct buffer line, again;
    uint64_t objects_digest, packed_digest, density_digest;
    bool is_wrong;
};

static void *need(void *memory) {
    if (memory == NULL) {
        abort();
    }
    return memory;
}

/* FNV-1a, continued from the earlier bytes. */
static void digest(uint64_t *sum, const struct buffer *line) {
    for (size_t i = 0; i < line->length; i++) {
        *sum = (*sum ^ (uint8_t)line->data[i]) * UINT64_C(0x100000001b3);
    }
}

static void expect(struct forms *forms, bool is_right, const char *what) {
    if (!is_right) {
        fprintf(stderr, "%s: %s\n", forms->scenario, what);
        forms->is_wrong = true;
    }
}

/* The decoded snapshot equals, in the objects layout, the snapshot of the world. */
static void expect_same(struct forms *forms, unsigned fields, const char *what) {
    buffer_clear(&forms->line);
    buffer_clear(&forms->again);
    snapshot_encode_fields(forms->now, fields, &forms->line);
    snapshot_encode_fields(forms->back, fields, &forms->again);
    expect(forms, strcmp(forms->line.data, forms->again.data) == 0, what);
}

static void try_objects(struct forms *forms) {
    struct failure failure = {0};
    buffer_clear(&forms->line);
    snapshot_encode_fields(forms->now, PACKED | SNAPSHOT_SHARES, &forms->line);
    digest(&forms->objects_digest, &forms->line);
    expect(forms, snapshot_decode(forms->line.data, forms->line.length, forms->back, &failure) == 0,
           failure.message);
    /* readers of this layout leave stamina alone */
    expect_same(forms, (PACKED | SNAPSHOT_SHARES) & ~(unsigned)SNAPSHOT_STAMINA,
                "the objects layout reads back differently");
}

/* Encodes into forms->line and reads that. */
static void try_packed(struct forms *forms, bool is_key) {
    struct failure failure = {0};
    buffer_clear(&forms->line);
    if (is_key) {
        packed_encode_key(&forms->packed, forms->now, 1, &forms->line);
    } else {
        expect(forms, packed_encode_delta(&forms->packed, forms->now, &forms->line) == PACKED_OK,
               "a delta of the packed layout is too far");
    }
    digest(&forms->packed_digest, &forms->line);
    expect(forms,
           packed_decode(forms->stream, forms->line.data, forms->line.length, forms->back, &failure) ==
               (is_key ? FRAME_KEY : FRAME_READY),
           failure.message);
    if (!is_key) {
        expect_same(forms, PACKED, "the packed layout reads back differently");
    }
}

static void try_density(struct forms *forms) {
    const struct snapshot_view view = {.grid = {16.0f, 9.0f}};
    struct density now, back;
    struct failure failure = {0};
    density_init(&now);
    density_init(&back);
    if (density_count(&view, forms->now, &now) != 0) {
        abort();
    }
    buffer_clear(&forms->line);
    density_encode(&now, forms->now, &forms->line);
    digest(&forms->density_digest, &forms->line);
    expect(forms, density_decode(forms->line.data, forms->line.length, &back, NULL, &failure) == 0,
           failure.message);
    const size_t bytes = (size_t)now.columns * (size_t)now.rows * sizeof *now.vx;
    expect(forms,
           now.inside == back.inside && memcmp(now.count, back.count, bytes) == 0 &&
               memcmp(now.vx, back.vx, bytes) == 0 && memcmp(now.vy, back.vy, bytes) == 0,
           "the density layout reads back differently");
    density_fini(&now);
    density_fini(&back);
}

static void try_world(struct forms *forms, struct world *world) {
    while (world_tick(world) < LAST_TICK) {
        world_step(world);
        if (world_tick(world) < FIRST_TICK) {
            continue;
        }
        if (world_snapshot_copy(world, true, forms->now) != 0) {
            abort();
        }
        try_objects(forms);
        if (world_tick(world) == FIRST_TICK || !packed_key_serves(&forms->packed, forms->now)) {
            try_packed(forms, true);
        }
        try_packed(forms, false);
        try_density(forms);
    }
}

static bool run(const char *path) {
    struct scenario scenario;
    struct failure failure;
    struct world *world = NULL;
    if (scenario_file_load(path, &scenario, &failure) != 0) {
        fprintf(stderr, "%s\n", failure.message);
        return false;
    }
    if (world_create(&scenario.def, &world, NULL) != WORLD_OK) {
        abort();
    }
    const uint64_t start = UINT64_C(0xcbf29ce484222325);
    struct forms forms = {
        .scenario = scenario.name, .objects_digest = start, .packed_digest = start, .density_digest = start};
    forms.now = need(snapshot_create());
    forms.back = need(snapshot_create());
    forms.stream = need(packed_decoder_create());
    buffer_init(&forms.line, LINE_MOST);
    buffer_init(&forms.again, LINE_MOST);
    if (packed_encoder_init(&forms.packed, PACKED) != 0) {
        abort();
    }
    try_world(&forms, world);
    printf("%s objects %016" PRIx64 "\n%s packed %016" PRIx64 "\n%s density %016" PRIx64 "\n", scenario.name,
           forms.objects_digest, scenario.name, forms.packed_digest, scenario.name, forms.density_digest);
    packed_encoder_fini(&forms.packed);
    buffer_fini(&forms.line);
    buffer_fini(&forms.again);
    packed_decoder_destroy(forms.stream);
    snapshot_destroy(forms.now);
    snapshot_destroy(forms.back);
    world_destroy(world);
    scenario_fini(&scenario);
    return !forms.is_wrong;
}

int main(int argc, char **argv) {
    bool is_right = argc > 1;
    for (int i = 1; i < argc; i++) {
        is_right &= run(argv[i]);
    }
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
