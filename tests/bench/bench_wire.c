/* See bench_wire.h. Medians of RUNS, in processor time. As many distinct frames as make 200 000 agents (at
 * least two) are encoded in turn: a frame that is repeated teaches the branch predictor its digits. The
 * worlds wander, so the frames differ as frames of a session do; a key is as old as its frames are many.
 */
#include "tests/bench/bench_wire.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cjson/cJSON.h>

#include "common/protocol/request.h"
#include "common/snapshot/snapshot_density.h"
#include "common/snapshot/snapshot_packed.h"
#include "common/text/base64.h"
#include "server/frames/world_snapshot.h"
#include "server/sim/world/world.h"
#include "tests/bench/bench_median.h"
#include "tests/support/request_decode.h"
#include "tests/support/snapshots.h"

enum { RUNS = 7, ROTATED_AGENTS = 200000, FRAMES_MOST = 200 };

/* Time of this thread: other work on the same core does not count. */
static uint64_t cpu_now_ns(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static double median(double values[RUNS]) {
    return bench_median(values, RUNS);
}

static void *need(void *pointer) {
    if (pointer == NULL) {
        abort();
    }
    return pointer;
}

static void expect(bool is_true) {
    if (!is_true) {
        abort();
    }
}

/* ---- the frames ---- */

struct frames {
    struct snapshot *at[FRAMES_MOST];
    int count;
    int32_t agents;
};

static struct world *make_world(uint32_t count) {
    struct world_def def = world_def_default();
    def.size = (vec2){2000.0f, 2000.0f};
    def.edge = EDGE_WRAP;
    struct kind_def *kind = need(world_def_add_kind(&def, "agent"));
    kind->states[0].behavior_count = 1;
    kind->states[0].behaviors[0] = behavior_def_default(BEHAVIOR_WANDER);
    struct placement_def *placement = need(world_def_add_placement(&def, "agent"));
    placement->count = count;
    placement->shape = PLACE_RECT;
    placement->size = def.size;
    struct world *world = NULL;
    expect(world_create(&def, &world, NULL) == WORLD_OK);
    world_def_fini(&def);
    for (int tick = 0; tick < 60; tick++) {
        world_step(world); /* until all agents move */
    }
    return world;
}

static struct frames make_frames(uint32_t agents) {
    struct frames frames = {.agents = (int32_t)agents};
    const int wanted = (int)(ROTATED_AGENTS / agents);
    frames.count = wanted < 2 ? 2 : wanted > FRAMES_MOST ? FRAMES_MOST : wanted;
    struct world *world = make_world(agents);
    for (int i = 0; i < frames.count; i++) {
        frames.at[i] = need(snapshot_create());
        expect(world_snapshot_copy(world, false, frames.at[i]) == 0);
        world_step(world);
    }
    world_destroy(world);
    return frames;
}

static void free_frames(struct frames *frames) {
    for (int i = 0; i < frames->count; i++) {
        snapshot_destroy(frames->at[i]);
    }
}

/* ---- the rivals ---- */

/* The usual way without a special writer: a cJSON tree, printed. */
static size_t objects_with_cjson(const struct snapshot *snapshot, char *text, int size) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "op", "snapshot");
    cJSON_AddNumberToObject(root, "tick", (double)snapshot->tick);
    cJSON *agents = cJSON_AddArrayToObject(root, "agents");
    for (int32_t i = 0; i < snapshot->count; i++) {
        cJSON *agent = cJSON_CreateObject();
        cJSON_AddNumberToObject(agent, "id", snapshot->id[i]);
        cJSON_AddNumberToObject(agent, "x", snapshot->x[i] / 100.0);
        cJSON_AddNumberToObject(agent, "y", snapshot->y[i] / 100.0);
        cJSON_AddNumberToObject(agent, "vx", snapshot->vx[i] / 100.0);
        cJSON_AddNumberToObject(agent, "vy", snapshot->vy[i] / 100.0);
        cJSON_AddNumberToObject(agent, "heading", snapshot->heading[i] / 100.0);
        cJSON_AddNumberToObject(agent, "stamina", snapshot->stamina[i] / 100.0);
        cJSON_AddItemToArray(agents, agent);
    }
    const cJSON_bool printed = cJSON_PrintPreallocated(root, text, size, 0);
    cJSON_Delete(root);
    return printed ? strlen(text) : 0;
}

static void add_column(cJSON *root, const char *name, const int32_t *now, const int32_t *base, int32_t count,
                       int16_t *differences, char *text) {
    for (int32_t i = 0; i < count; i++) {
        differences[i] = (int16_t)(now[i] - base[i]);
    }
    *base64_encode_plain(differences, (size_t)count * 2, text) = '\0';
    cJSON_AddStringToObject(root, name, text);
}

/* The packed layout's columns with the plain base64 and cJSON. */
static size_t packed_with_cjson(const struct snapshot *now, const struct snapshot *base, int16_t *differences,
                                char *column, char *text, int size) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "op", "delta");
    cJSON_AddNumberToObject(root, "tick", (double)now->tick);
    add_column(root, "x", now->x, base->x, now->count, differences, column);
    add_column(root, "y", now->y, base->y, now->count, differences, column);
    add_column(root, "vx", now->vx, base->vx, now->count, differences, column);
    add_column(root, "vy", now->vy, base->vy, now->count, differences, column);
    add_column(root, "heading", now->heading, base->heading, now->count, differences, column);
    const cJSON_bool printed = cJSON_PrintPreallocated(root, text, size, 0);
    cJSON_Delete(root);
    return printed ? strlen(text) : 0;
}

/* Memory that a rival's tree left in free lists is consolidated now, not in a later malloc of another row. */
static void tidy_up(void) {
    enum { LARGE = 1 << 17 };
    free(need(malloc(LARGE)));
}

/* ---- the tables ---- */

static double per_agent(uint64_t start, int repeats, int32_t agents) {
    return (double)(cpu_now_ns() - start) / repeats / agents;
}

static int repeats_for(const struct frames *frames, int32_t agents) {
    const int repeats = agents / frames->agents;
    return repeats < frames->count ? frames->count : repeats;
}

/* Seven numbers an agent: id, x, y, vx, vy, heading, stamina; and the usual eight members, names among them.
 */
static void bench_objects(const struct frames *frames, char *text, int size) {
    const unsigned seven = SNAPSHOT_POS | SNAPSHOT_VEL | SNAPSHOT_HEADING | SNAPSHOT_STAMINA;
    const int repeats = repeats_for(frames, 2 * ROTATED_AGENTS);
    double numbers[RUNS], usual[RUNS], theirs[RUNS];
    struct buffer out;
    buffer_init(&out, (size_t)1 << 30);
    for (int run = 0; run < RUNS; run++) {
        uint64_t start = cpu_now_ns();
        for (int i = 0; i < repeats; i++) {
            buffer_clear(&out);
            snapshot_encode_fields(frames->at[i % frames->count], seven, &out);
        }
        numbers[run] = per_agent(start, repeats, frames->agents);
        start = cpu_now_ns();
        for (int i = 0; i < repeats; i++) {
            buffer_clear(&out);
            snapshot_encode_objects(frames->at[i % frames->count], false, &out);
        }
        usual[run] = per_agent(start, repeats, frames->agents);
        const int few = frames->agents >= 100000 ? 1 : 100000 / frames->agents;
        start = cpu_now_ns();
        for (int i = 0; i < few; i++) {
            expect(objects_with_cjson(frames->at[(run + i) % frames->count], text, size) > 0);
        }
        theirs[run] = per_agent(start, few, frames->agents);
        tidy_up();
    }
    const double a = median(numbers), b = median(usual), c = median(theirs);
    printf("%9d %14.1f %14.1f %14.0f %8.0f %9.1f\n", frames->agents, a, b, c, c / a,
           (double)out.length / frames->agents);
    buffer_fini(&out);
}

static void make_lines(const struct frames *frames, struct packed_encoder *encoder, struct buffer *key,
                       struct buffer *lines) {
    packed_encode_key(encoder, frames->at[0], 1, key);
    for (int i = 0; i < frames->count; i++) {
        buffer_init(&lines[i], (size_t)1 << 30);
        if (packed_encode_delta(encoder, frames->at[i], &lines[i]) != PACKED_OK) {
            expect(i > 0); /* from here on a server would make a new key */
            buffer_append(&lines[i], lines[i - 1].data, lines[i - 1].length);
        }
    }
}

struct packed_times {
    double encode[RUNS], key[RUNS], theirs[RUNS], decode[RUNS], objects[RUNS];
};

static void run_decode(const struct frames *frames, const struct buffer *key, const struct buffer *lines,
                       int repeats, int run, struct packed_times *times) {
    struct packed_decoder *stream = need(packed_decoder_create());
    struct snapshot *back = need(snapshot_create());
    struct failure failure;
    expect(packed_decode(stream, key->data, key->length, back, &failure) == FRAME_KEY);
    expect(packed_decode(stream, lines[0].data, lines[0].length, back, &failure) ==
           FRAME_READY); /* its arrays are there now */
    uint64_t start = cpu_now_ns();
    for (int i = 0; i < repeats; i++) {
        const struct buffer *line = &lines[i % frames->count];
        expect(packed_decode(stream, line->data, line->length, back, &failure) == FRAME_READY);
    }
    times->decode[run] = per_agent(start, repeats, frames->agents);
    struct buffer objects;
    buffer_init(&objects, (size_t)1 << 30);
    snapshot_encode_objects(frames->at[run % frames->count], false, &objects);
    start = cpu_now_ns();
    expect(snapshot_decode(objects.data, objects.length, back, &failure) == 0);
    times->objects[run] = per_agent(start, 1, frames->agents);
    tidy_up();
    buffer_fini(&objects);
    snapshot_destroy(back);
    packed_decoder_destroy(stream);
}

static void run_encode(const struct frames *frames, struct packed_encoder *encoder, int repeats, int run,
                       char *text, int size, struct packed_times *times) {
    int16_t *differences = need(malloc((size_t)frames->agents * sizeof *differences));
    char *column = need(malloc((size_t)frames->agents * 3 + 64));
    struct buffer out;
    buffer_init(&out, (size_t)1 << 30);
    uint64_t start = cpu_now_ns();
    for (int i = 0; i < repeats; i++) {
        buffer_clear(&out);
        if (packed_encode_delta(encoder, frames->at[i % frames->count], &out) == PACKED_TOO_FAR) {
            buffer_clear(&out); /* counted as it is: a part of a frame */
        }
    }
    times->encode[run] = per_agent(start, repeats, frames->agents);
    start = cpu_now_ns();
    for (int i = 0; i < repeats; i++) {
        expect(packed_with_cjson(frames->at[i % frames->count], encoder->base, differences, column, text,
                                 size) > 0);
    }
    times->theirs[run] = per_agent(start, repeats, frames->agents);
    tidy_up();
    start = cpu_now_ns();
    buffer_clear(&out);
    packed_encode_key(encoder, frames->at[0], 1, &out);
    times->key[run] = per_agent(start, 1, frames->agents);
    buffer_fini(&out);
    free(column);
    free(differences);
}

static void bench_packed(const struct frames *frames, char *text, int size) {
    struct packed_encoder encoder;
    struct buffer key, lines[FRAMES_MOST] = {{.data = NULL}};
    struct packed_times times;
    const int repeats = repeats_for(frames, 5 * ROTATED_AGENTS);
    expect(packed_encoder_init(&encoder, SNAPSHOT_USUAL) == 0);
    buffer_init(&key, (size_t)1 << 30);
    make_lines(frames, &encoder, &key, lines);
    for (int run = 0; run < RUNS; run++) {
        run_encode(frames, &encoder, repeats, run, text, size, &times);
        run_decode(frames, &key, lines, repeats, run, &times);
    }
    printf("%9d %10.2f %10.2f %12.2f %10.2f %12.0f %9.1f %9.1f\n", frames->agents, median(times.encode),
           median(times.key), median(times.theirs), median(times.decode), median(times.objects),
           (double)lines[frames->count - 1].length / frames->agents, (double)key.length / frames->agents);
    for (int i = 0; i < frames->count; i++) {
        buffer_fini(&lines[i]);
    }
    buffer_fini(&key);
    packed_encoder_fini(&encoder);
}

static void bench_density(const struct frames *frames, float columns, float rows) {
    const struct snapshot_view view = {.grid = {columns, rows}};
    const int repeats = repeats_for(frames, ROTATED_AGENTS * 5);
    struct density density;
    struct buffer out;
    double encode[RUNS];
    density_init(&density);
    buffer_init(&out, (size_t)1 << 30);
    for (int run = 0; run < RUNS; run++) {
        const uint64_t start = cpu_now_ns();
        for (int i = 0; i < repeats; i++) {
            const struct snapshot *snapshot = frames->at[i % frames->count];
            buffer_clear(&out);
            expect(density_count(&view, snapshot, &density) == 0);
            density_encode(&density, snapshot, &out);
        }
        encode[run] = per_agent(start, repeats, frames->agents);
    }
    const double ns = median(encode);
    printf("%9d %6.0f x %-4.0f %10.2f %12.3f %10zu\n", frames->agents, (double)columns, (double)rows, ns,
           ns * frames->agents * 1e-6, out.length);
    buffer_fini(&out);
    density_fini(&density);
}

static void bench_copy(uint32_t agents) {
    struct world *world = make_world(agents);
    struct snapshot *snapshot = need(snapshot_create());
    double copy[RUNS], less[RUNS];
    for (int run = 0; run < RUNS; run++) {
        uint64_t start = cpu_now_ns();
        expect(world_snapshot_copy(world, false, snapshot) == 0);
        copy[run] = per_agent(start, 1, (int32_t)agents);
        start = cpu_now_ns();
        expect(world_snapshot_copy_wanted(world, 0, NULL, snapshot) == 0);
        less[run] = per_agent(start, 1, (int32_t)agents);
        world_step(world);
    }
    printf("%9u %10.1f %10.1f\n", agents, median(copy), median(less));
    snapshot_destroy(snapshot);
    world_destroy(world);
}

/* The cost of reading a line: a few requests as clients send them. */
static void bench_requests(void) {
    enum { REPEATS = 20000 };
    static const char *const lines[] = {
        "{\"op\":\"mouse\",\"x\":512,\"y\":300}",
        "{\"op\":\"set_target\",\"id\":17,\"name\":\"mouse\",\"x\":100,\"y\":50.25}",
        "{\"op\":\"spawn\",\"id\":\"a\",\"kind\":\"seeker\",\"count\":3,\"x\":100,\"y\":100,\"heading\":90}",
        "{\"op\":\"subscribe\",\"hz\":25,\"fields\":[\"pos\",\"heading\"],\"region\":[0,0,300,300]}",
    };
    struct request *request = need(malloc(sizeof *request));
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        double decode[RUNS];
        for (int run = 0; run < RUNS; run++) {
            struct failure failure;
            const uint64_t start = cpu_now_ns();
            for (int repeat = 0; repeat < REPEATS; repeat++) {
                expect(request_decode(lines[i], strlen(lines[i]), request, &failure) == 0);
                request_fini(request);
            }
            decode[run] = (double)(cpu_now_ns() - start) / REPEATS;
        }
        printf("%-14s %8.0f\n", request_op_name(request->op), median(decode));
    }
    free(request);
}

int bench_wire(void) {
    enum { MOST = 100000, SIZE = MOST * 300 };
    char *text = need(malloc(SIZE));
    struct frames frames[3];
    for (int i = 0; i < 3; i++) {
        frames[i] = make_frames(i == 0 ? 1000 : i == 1 ? 10000 : MOST);
    }
    printf("objects, encoding, ns an agent; cJSON: a tree of the seven numbers, PrintPreallocated\n");
    printf("%9s %14s %14s %14s %8s %9s\n", "agents", "seven numbers", "usual members", "cJSON", "ratio",
           "B/agent");
    for (int i = 0; i < 3; i++) {
        bench_objects(&frames[i], text, SIZE);
    }
    printf("packed, ns an agent (x, y, vx, vy, heading); cJSON: the same columns, plain base64, "
           "AddString, PrintPreallocated\n");
    printf("%9s %10s %10s %12s %10s %12s %9s %9s\n", "agents", "delta", "key", "by cJSON", "decode",
           "objects dec.", "B/delta", "B/key");
    for (int i = 0; i < 3; i++) {
        bench_packed(&frames[i], text, SIZE);
    }
    free(text);
    for (int i = 0; i < 3; i++) {
        free_frames(&frames[i]);
    }
    struct frames million = make_frames(1000000);
    printf("density, counting and encoding\n%9s %13s %10s %12s %10s\n", "agents", "grid", "ns/agent",
           "ms/frame", "bytes");
    bench_density(&million, 16, 9);
    bench_density(&million, 32, 18);
    bench_density(&million, 128, 128);
    free_frames(&million);
    printf("copying a world out, ns an agent\n%9s %10s %10s\n", "agents", "all", "no heading");
    bench_copy(10000);
    bench_copy(1000000);
    printf("requests, decoding, ns a line\n");
    bench_requests();
    return 0;
}
