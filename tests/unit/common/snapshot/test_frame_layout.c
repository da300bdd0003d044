/* The layouts of frames, and packed snapshots. */

#include "tests/unit/common/test_support.h"

#include "common/snapshot/frame_layout.h"
#include "common/snapshot/snapshot_packed.h"
#include "common/text/base64.h"

/* ==== The rows of the layouts: each is whole, and a line belongs to one of them at most ==== */

static void every_row_is_whole(void **state) {
    for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
        const struct frame_layout *row = frame_layout_row(layout);
        const bool has_frames = frame_layout_has_frames(row);
        assert_int_equal(has_frames, row->decode != NULL);
        assert_int_equal(has_frames, (row->key != NULL) != (row->encode != NULL));
        assert_int_equal(row->fields != 0, row->agent_bytes != NULL);
        assert_int_equal(row->takes_grid, row->entry_bytes != 0);
        assert_true(row->key == NULL || row->key->agent_bytes != NULL);
        for (int i = 0; i < FRAME_OPS && row->ops[i] != NULL; i++) {
            char line[64] = "{\"op\":\"";
            strncat(line, row->ops[i], sizeof line - 16);
            strncat(line, "\",", 3);
            assert_ptr_equal(frame_layout_of_line(line, strlen(line)), row);
        }
    }
}

static void names_are_those_of_the_wire(void **state) {
    assert_string_equal(frame_layout_names[LAYOUT_OBJECTS], "objects");
    assert_string_equal(frame_layout_names[LAYOUT_PACKED], "packed");
    assert_string_equal(frame_layout_names[LAYOUT_DENSITY], "density");
    assert_string_equal(frame_layout_names[LAYOUT_EVENTS], "events");
    assert_null(frame_layout_names[LAYOUT_COUNT]);
}

static void other_lines_are_no_frames(void **state) {
    static const char *const lines[] = {
        "",
        "{}",
        "{\"op\":\"",
        "{\"op\":\"hello\",",
        "{\"op\":\"keys\",",
        "{\"op\":\"ke",
        "{\"op\":\"key",
        " {\"op\":\"key\"",
        "{\"op\": \"key\"",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_null(frame_layout_of_line(lines[i], strlen(lines[i])));
    }
    assert_ptr_equal(frame_layout_of_line("{\"op\":\"key\"", 11), frame_layout_row(LAYOUT_PACKED));
    assert_null(frame_layout_of_line("{\"op\":\"key\"", 10)); /* no further than its length */
}

/* ==== snapshot packed ====
 * common/snapshot/snapshot_packed and its decoder: packed frames decode to the values of the objects layout,
 * whichever deltas arrive; new keys when they are due; hostile lines are refused. */

enum { ALL = SNAPSHOT_USUAL | SNAPSHOT_STAMINA };

static void name(struct name_table *names, const char *text) {
    assert_true(name_table_intern(names, text, strlen(text)) >= 0);
}

static struct snapshot *create(int32_t count, bool has_forces) {
    struct snapshot *snapshot = snapshot_create();
    assert_non_null(snapshot);
    assert_int_equal(snapshot_reserve(snapshot, count, 0, has_forces), 0);
    snapshot->count = count;
    snapshot->has_forces = has_forces;
    for (const char *const *n = (const char *const[]){"a", "bee", "prey-2", NULL}; *n != NULL; n++) {
        name(&snapshot->kind_names, *n);
        name(&snapshot->state_names, *n);
    }
    name(&snapshot->state_names, "rest");
    name(&snapshot->target_names, "mouse");
    snapshot->target_count = 1;
    snapshot->target_x[0] = -1;
    return snapshot;
}

static int32_t within(uint64_t *random, int32_t most) {
    return (int32_t)test_below(random, (uint32_t)most * 2u + 1u) - most;
}

static void fill(struct snapshot *snapshot, uint64_t *random) {
    uint32_t id = 0;
    for (int32_t i = 0; i < snapshot->count; i++) {
        id += 1 + test_below(random, 9);
        snapshot->id[i] = id;
        snapshot->kind[i] = (uint16_t)test_below(random, 3);
        snapshot->state[i] = (uint16_t)test_below(random, 4);
        snapshot->x[i] = within(random, 100000000);
        snapshot->y[i] = within(random, 100000000);
        snapshot->vx[i] = within(random, 2000000);
        snapshot->vy[i] = within(random, 2000000);
        snapshot->heading[i] = (int32_t)test_below(random, 36000);
        snapshot->stamina[i] = within(random, 100000000);
        if (snapshot->has_forces) {
            snapshot->desired[i] = (struct snapshot_vector){within(random, INT32_MAX / 2), INT32_MAX};
            snapshot->steering[i] = (struct snapshot_vector){INT32_MIN, within(random, INT32_MAX / 2)};
            snapshot->share_begin[i] = 0;
        }
    }
    if (snapshot->has_forces) {
        snapshot->share_begin[snapshot->count] = 0;
    }
}

/* All agents move a little; a twentieth is elsewhere, as if it had wrapped around the edge. */
static void move(struct snapshot *snapshot, uint64_t *random) {
    snapshot->tick++;
    snapshot->time_s = (double)snapshot->tick / 64.0;
    snapshot->clock_ms += 16.0;
    for (int32_t i = 0; i < snapshot->count; i++) {
        const bool jumps = i % 20 == 7;
        snapshot->x[i] += jumps ? 3276700 * (1 - 2 * (snapshot->x[i] > 0)) : within(random, 30);
        snapshot->y[i] += within(random, 30);
        snapshot->vx[i] += jumps ? (snapshot->vx[i] > 0 ? -32769 : 32768) : within(random, 30);
        snapshot->vy[i] += within(random, 30);
        snapshot->heading[i] = (snapshot->heading[i] + (int32_t)test_below(random, 36000)) % 36000;
        snapshot->stamina[i] += i % 50 == 3 ? -100000 : 0;
        if (i % 30 == 1) {
            snapshot->state[i] = (uint16_t)test_below(random, 4);
        }
    }
}

static struct buffer objects_line(const struct snapshot *snapshot, unsigned fields) {
    struct buffer out;
    buffer_init(&out, 1 << 26);
    snapshot_encode_fields(snapshot, fields, &out);
    assert_false(out.failed);
    return out;
}

static void assert_same(const struct snapshot *a, const struct snapshot *b, unsigned fields) {
    struct buffer one = objects_line(a, fields), other = objects_line(b, fields);
    assert_string_equal(one.data, other.data);
    buffer_fini(&one);
    buffer_fini(&other);
}

/* Hands a line over in exact-size memory. */
static enum frame_result feed(struct packed_decoder *stream, const char *line, size_t length,
                              struct snapshot *out) {
    struct failure failure = {0};
    char *copy = test_exact_copy(line, length);
    const enum frame_result result = packed_decode(stream, copy, length, out, &failure);
    if (result == FRAME_REFUSED) {
        assert_true(failure.message[0] != '\0');
    }
    free(copy);
    return result;
}

struct stream {
    struct packed_encoder encoder;
    struct packed_decoder *reader;
    struct snapshot *back;
    struct buffer key, delta;
    uint64_t keys;
};

static void begin(struct stream *stream, unsigned fields) {
    memset(stream, 0, sizeof *stream);
    assert_int_equal(packed_encoder_init(&stream->encoder, fields), 0);
    stream->reader = packed_decoder_create();
    stream->back = snapshot_create();
    assert_true(stream->reader != NULL && stream->back != NULL);
    buffer_init(&stream->key, 1 << 26);
    buffer_init(&stream->delta, 1 << 26);
}

static void end(struct stream *stream) {
    packed_encoder_fini(&stream->encoder);
    packed_decoder_destroy(stream->reader);
    snapshot_destroy(stream->back);
    buffer_fini(&stream->key);
    buffer_fini(&stream->delta);
}

/* As the server does; true when there is a new key. */
static bool encode(struct stream *stream, const struct snapshot *snapshot) {
    buffer_clear(&stream->delta);
    if (packed_key_serves(&stream->encoder, snapshot) &&
        packed_encode_delta(&stream->encoder, snapshot, &stream->delta) == PACKED_OK) {
        return false;
    }
    buffer_clear(&stream->key);
    packed_encode_key(&stream->encoder, snapshot, ++stream->keys, &stream->key);
    assert_int_equal(packed_encode_delta(&stream->encoder, snapshot, &stream->delta), PACKED_OK);
    assert_false(stream->key.failed || stream->delta.failed);
    return true;
}

static void receive(struct stream *stream, const struct snapshot *snapshot, bool with_key, unsigned fields) {
    if (with_key) {
        assert_int_equal(feed(stream->reader, stream->key.data, stream->key.length, stream->back), FRAME_KEY);
    }
    assert_int_equal(feed(stream->reader, stream->delta.data, stream->delta.length, stream->back),
                     FRAME_READY);
    assert_same(snapshot, stream->back, fields);
}

/* A reader misses two thirds of the frames, keys among them; as in a send queue, the key comes before the
 * first delta that needs it. */
static void any_subset_of_deltas_is_the_objects(void **state) {
    uint64_t random = 7;
    static const int32_t counts[] = {0, 1, 2, 3, 50, 1000, 4000};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        struct snapshot *world = create(counts[c], false);
        struct stream stream;
        begin(&stream, ALL);
        fill(world, &random);
        uint64_t has_key = 0;
        for (int frame = 0; frame < 60; frame++) {
            move(world, &random);
            (void)encode(&stream, world);
            if (test_below(&random, 3) == 0) {
                receive(&stream, world, has_key != stream.keys, ALL);
                has_key = stream.keys;
            }
        }
        assert_true(stream.keys >= 1);
        assert_true(counts[c] < 50 || stream.keys < 30); /* deltas did serve */
        end(&stream);
        snapshot_destroy(world);
    }
}

/* Where twins are: in both layouts, for those who ask, while there are some. */
static void twins_come_with_frames(void **state) {
    static const unsigned all = ALL | SNAPSHOT_TWIN, usual = SNAPSHOT_USUAL | SNAPSHOT_TWIN;
    uint64_t random = 5;
    struct snapshot *world = create(30, false), *read = snapshot_create();
    struct failure failure;
    struct stream asks, others;
    begin(&asks, all);
    begin(&others, ALL);
    fill(world, &random);
    for (int frame = 0; frame < 9; frame++) {
        move(world, &random);
        world->fields = frame / 3 == 1 ? all : ALL;
        assert_int_equal(snapshot_reserve_twins(world), 0);
        for (int32_t i = 1; i < world->count; i++) {
            world->twins[i] = (struct snapshot_vector){within(&random, 1000000), -frame};
        }
        receive(&asks, world, encode(&asks, world), all);
        assert_int_equal(snapshot_has_twins(asks.back), frame / 3 == 1);
        receive(&others, world, encode(&others, world), ALL);
        assert_false(snapshot_has_twins(others.back));
        struct buffer line = objects_line(world, usual);
        assert_int_equal(snapshot_decode(line.data, line.length, read, &failure), 0);
        assert_same(world, read, usual);
        assert_int_equal(strstr(line.data, "twin") != NULL, frame / 3 == 1);
        buffer_fini(&line);
    }
    end(&asks);
    end(&others);
    snapshot_destroy(world);
    snapshot_destroy(read);
}

/* Some agents go, others come, with higher ids or between those there are. */
static void come_and_go(struct snapshot *world, uint64_t *random, int32_t *room) {
    const int32_t at = (int32_t)test_below(random, (uint32_t)world->count);
    const bool goes = test_below(random, 2) == 0 && world->count > 20;
#define GO(type, column)                                                                                     \
    memmove(&world->column[at], &world->column[at + 1], sizeof(type) * (size_t)(world->count - at - 1));
    if (goes) {
        SNAPSHOT_COLUMNS(GO)
        world->count--;
        return;
    }
#undef GO
    const int32_t last = world->count - 1;
    const bool is_between = at < last && world->id[at + 1] > world->id[at] + 1;
    const int32_t to = is_between ? at + 1 : last + 1;
    if (world->count == *room) {
        *room += 50;
        assert_int_equal(snapshot_reserve(world, *room, 0, false), 0);
    }
#define COME(type, column)                                                                                   \
    memmove(&world->column[to + 1], &world->column[to], sizeof(type) * (size_t)(world->count - to));         \
    world->column[to] = world->column[to - 1];
    SNAPSHOT_COLUMNS(COME)
#undef COME
    world->id[to]++;
    world->count++;
}

/* One reader gets every change, another only whole keys: both see what the world is, and changes are small. */
static void keys_change_as_agents_come_and_go(void **state) {
    uint64_t random = 21;
    int32_t room = 200;
    struct snapshot *world = create(room, false);
    struct stream stream;
    struct packed_decoder *late = packed_decoder_create();
    begin(&stream, ALL);
    fill(world, &random);
    (void)encode(&stream, world);
    receive(&stream, world, true, ALL);
    const size_t whole = stream.key.length;
    int changes = 0;
    for (int frame = 0; frame < 280; frame++) {
        move(world, &random);
        for (uint32_t n = test_below(&random, 4); n > 0; n--) {
            come_and_go(world, &random, &room);
        }
        bool is_new = false;
        buffer_clear(&stream.key);
        if (!packed_key_serves(&stream.encoder, world) &&
            packed_encode_change(&stream.encoder, world, stream.keys + 1, &stream.key)) {
            assert_true(stream.key.length < whole / 4);
            stream.keys++;
            changes++;
            is_new = true;
        }
        buffer_clear(&stream.delta);
        if (!packed_key_serves(&stream.encoder, world) ||
            packed_encode_delta(&stream.encoder, world, &stream.delta) != PACKED_OK) {
            is_new = encode(&stream, world);
        }
        receive(&stream, world, is_new, ALL);
        buffer_clear(&stream.key);
        packed_encode_key_again(&stream.encoder, &stream.key);
        assert_int_equal(feed(late, stream.key.data, stream.key.length, stream.back), FRAME_KEY);
        assert_int_equal(feed(late, stream.delta.data, stream.delta.length, stream.back), FRAME_READY);
        assert_same(world, stream.back, ALL);
    }
    assert_true(changes > 100);
    world->count = 20;
    assert_false(packed_encode_change(&stream.encoder, world, stream.keys + 1, &stream.key)); /* too many */
    packed_decoder_destroy(late);
    end(&stream);
    snapshot_destroy(world);
}

static void chosen_fields_and_forces(void **state) {
    uint64_t random = 9;
    for (unsigned fields = 0; fields < 256; fields++) {
        struct snapshot *world = create(40, true);
        struct stream stream;
        begin(&stream, fields);
        fill(world, &random);
        (void)encode(&stream, world);
        receive(&stream, world, true, fields);
        assert_int_equal(stream.back->fields, fields);
        move(world, &random);
        const bool is_new = encode(&stream, world);
        receive(&stream, world, is_new, fields);
        end(&stream);
        snapshot_destroy(world);
    }
}

static void a_key_is_due(void **state) {
    uint64_t random = 11;
    struct snapshot *world = create(100, false);
    struct stream stream;
    begin(&stream, SNAPSHOT_USUAL);
    fill(world, &random);
    assert_false(packed_key_serves(&stream.encoder, world));
    assert_true(encode(&stream, world));
    assert_false(encode(&stream, world));
    world->clock_ms += PACKED_KEY_MS - 1;
    assert_false(encode(&stream, world));
    world->clock_ms += 1;
    assert_true(encode(&stream, world)); /* old */
    world->epoch++;
    assert_true(encode(&stream, world)); /* another world */
    world->id[99]++;
    assert_true(encode(&stream, world)); /* another agent */
    world->count--;
    assert_true(encode(&stream, world)); /* one less */
    for (int32_t i = 0; i < 9; i++) {
        world->x[i * 7] += 32768;
        assert_false(encode(&stream, world)); /* far, but few */
        receive(&stream, world, i == 0, SNAPSHOT_USUAL);
    }
    world->x[98] -= 32769;
    assert_true(encode(&stream, world)); /* 10 of 99 */
    receive(&stream, world, true, SNAPSHOT_USUAL);
    for (int32_t i = 0; i < 9; i++) {
        world->state[i] ^= 1;
    }
    assert_false(encode(&stream, world));
    receive(&stream, world, false, SNAPSHOT_USUAL);
    world->state[50] ^= 1;
    assert_true(encode(&stream, world));
    end(&stream);
    snapshot_destroy(world);
}

/* Two worlds with names in different order, one reader's snapshot: indices stay those of its own tables. */
static void names_keep_their_indices(void **state) {
    struct stream stream;
    begin(&stream, SNAPSHOT_USUAL);
    name(&stream.back->kind_names, "prey-2");
    name(&stream.back->state_names, "rest");
    uint64_t random = 3;
    struct snapshot *world = create(30, false);
    fill(world, &random);
    (void)encode(&stream, world);
    receive(&stream, world, true, SNAPSHOT_USUAL);
    assert_string_equal(stream.back->kind_names.names[0], "prey-2");
    world->state[5] = 3;
    (void)encode(&stream, world);
    receive(&stream, world, true, SNAPSHOT_USUAL);
    end(&stream);
    snapshot_destroy(world);
}

static void still_columns_are_left_out(void **state) {
    uint64_t random = 5;
    struct snapshot *world = create(1000, false);
    struct stream stream;
    begin(&stream, SNAPSHOT_USUAL);
    fill(world, &random);
    (void)encode(&stream, world);
    (void)encode(&stream, world);
    assert_true(stream.delta.length < 200);
    world->y[999]++;
    (void)encode(&stream, world);
    assert_non_null(strstr(stream.delta.data, "\"y\":"));
    assert_null(strstr(stream.delta.data, "\"x\":\""));
    receive(&stream, world, true, SNAPSHOT_USUAL);
    end(&stream);
    snapshot_destroy(world);
}

/* ---- hostile lines ---- */

struct hostile {
    const char *key, *delta; /* the delta must be refused after the key; or the key itself when it is NULL */
};

#define HEAD(key, n) "{\"op\":\"key\",\"tick\":1,\"key\":" #key ",\"n\":" #n ","
#define TWO          HEAD(4, 2) "\"id\":\"AQAAAAIAAAA=\",\"x\":\"AAAAAAAAAAA=\",\"y\":\"AAAAAAAAAAA=\"}"
#define DELTA(key, n)                                                                                        \
    "{\"op\":\"delta\",\"tick\":2,\"time\":1,\"clock\":1,\"targets\":[],\"key\":" #key ",\"n\":" #n

static void wrong_lines_are_refused(void **state) {
    static const struct hostile lines[] = {
        {HEAD(4, 2) "\"id\":\"AQAAAA==\"}", NULL},                      /* one id of two */
        {HEAD(4, 2) "\"id\":\"AQAAAAEAAAA=\"}", NULL},                  /* the same id twice */
        {HEAD(4, 2) "\"id\":\"AAAAAAEAAAA=\"}", NULL},                  /* id 0 */
        {HEAD(4, 2) "\"id\":\"AQAAAAIAAA==\"}", NULL},                  /* a byte short */
        {HEAD(4, 2) "\"id\":\"AQAAAAIAAA*=\"}", NULL},                  /* no base64 */
        {HEAD(4, 2) "\"id\":[1,2]}", NULL},                             /* no string */
        {HEAD(4, 2) "\"x\":\"AAAAAAAAAAA=\"}", NULL},                   /* no ids */
        {HEAD(0, 0) "\"id\":\"\"}", NULL},                              /* number 0 */
        {HEAD(4, -1) "\"id\":\"\"}", NULL},                             /* n below 0 */
        {HEAD(4, 1.5) "\"id\":\"\"}", NULL},                            /* no integer */
        {HEAD(4, 1048577) "\"id\":\"\"}", NULL},                        /* more than there can be */
        {HEAD(4, 1e300) "\"id\":\"\"}", NULL},                          /* much more */
        {HEAD(4, 1) "\"n\":2,\"id\":\"AQAAAA==\"}", NULL},              /* n twice */
        {HEAD(4, 1) "\"id\":\"AQAAAA==\",\"x\":\"AAAAAA==\"}", NULL},   /* x without y */
        {HEAD(4, 1) "\"id\":\"AQAAAA==\",\"vy\":\"AAAAAA==\"}", NULL},  /* vy without vx */
        {HEAD(4, 1) "\"id\":\"AQAAAA==\",\"heading\":\"oIw=\"}", NULL}, /* 360.00 degrees */
        {HEAD(4, 1) "\"id\":\"AQAAAA==\",\"kind\":\"AQ==\",\"kinds\":[\"a\"]}", NULL},       /* kind 1 of 1 */
        {HEAD(4, 1) "\"id\":\"AQAAAA==\",\"kind\":\"AA==\",\"kinds\":[\"a\",\"a\"]}", NULL}, /* twice */
        {HEAD(4, 1) "\"id\":\"AQAAAA==\",\"kind\":\"AA==\",\"kinds\":[7]}", NULL},
        {HEAD(4, 1) "\"id\":\"AQAAAA==\",\"kind\":\"AA==\",\"kinds\":[\"\"]}", NULL},
        {HEAD(4, 1) "\"id\":\"AQAAAA==\",\"kind\":\"AA==\"}", NULL},
        {HEAD(4, 1) "\"id\":\"AQAAAA==\",\"state\":\"AAE=\",\"states\":[\"a\"]}", NULL}, /* state 256 */
        {HEAD(4, 2) "\"id\":\"AQAAAAIAAAA=\"} x", NULL}, /* something behind */
        {"{\"op\":\"key\"", NULL},
        {TWO, DELTA(5, 2) "}"},                                /* another key */
        {TWO, DELTA(4, 3) "}"},                                /* another count */
        {TWO, DELTA(4, 2) ",\"x\":\"AAA=\"}"},                 /* one difference of two */
        {TWO, DELTA(4, 2) ",\"x\":\"AAAAAAAA\"}"},             /* three */
        {TWO, DELTA(4, 2) ",\"vx\":\"AAAAAA==\"}"},            /* not in the key */
        {TWO, DELTA(4, 2) ",\"vx_far\":\"AAAAAAAAAAA=\"}"},    /* not in the key */
        {TWO, DELTA(4, 2) ",\"x_far\":\"AgAAAAAAAAA=\"}"},     /* index 2 of 2 */
        {TWO, DELTA(4, 2) ",\"x_far\":\"/////wAAAAA=\"}"},     /* index -1 */
        {TWO, DELTA(4, 2) ",\"x_far\":\"AAAAAA==\"}"},         /* half a pair */
        {TWO, DELTA(4, 2) ",\"x_far\":7}"},                    /* no string */
        {TWO, DELTA(4, 2) ",\"x_far\":\"===\"}"},              /* no base64 */
        {TWO, DELTA(4, 2) ",\"state_far\":\"AAAAAAAAAAA=\"}"}, /* no states in the key */
        {TWO, DELTA(4, 2) ",\"steering\":\"AAAAAAAAAAA=\"}"},  /* one vector of two */
        {TWO, DELTA(4, 2) ",\"x\":\"AAAAAA==\",\"x\":\"AAAAAA==\"}"},
        {TWO, "{\"op\":\"delta\",\"tick\":2,\"time\":1,\"targets\":[],\"key\":4,\"n\":2}"},  /* no clock */
        {TWO, "{\"op\":\"delta\",\"tick\":2,\"clock\":1,\"targets\":[],\"key\":4,\"n\":2}"}, /* no time */
        {TWO, "{\"op\":\"delta\",\"tick\":-2,\"time\":1,\"clock\":1,\"targets\":[],\"key\":4,\"n\":2}"},
        {TWO, "{\"op\":\"delta\",\"tick\":2,\"time\":1,\"clock\":1,\"key\":4,\"n\":2}"}, /* no targets */
    };
    struct snapshot *out = snapshot_create();
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct packed_decoder *stream = packed_decoder_create();
        assert_true(stream != NULL && out != NULL);
        const enum frame_result key = feed(stream, lines[i].key, strlen(lines[i].key), out);
        assert_int_equal(key, lines[i].delta == NULL ? FRAME_REFUSED : FRAME_KEY);
        if (lines[i].delta != NULL) {
            assert_int_equal(feed(stream, lines[i].delta, strlen(lines[i].delta), out), FRAME_REFUSED);
            static const char fine[] = DELTA(4, 2) ",\"x\":\"AQAAAA==\"}"; /* the key is still there */
            assert_int_equal(feed(stream, fine, sizeof fine - 1, out), FRAME_READY);
            assert_int_equal(out->x[0], 1);
        } else {
            static const char orphan[] = DELTA(4, 2) "}"; /* a refused key leaves none */
            assert_int_equal(feed(stream, orphan, sizeof orphan - 1, out), FRAME_REFUSED);
        }
        packed_decoder_destroy(stream);
    }
    snapshot_destroy(out);
}

/* A change that breaks a rule is refused, and leaves no key. */
static void wrong_changes_are_refused(void **state) {
#define CHANGE(from) "{\"op\":\"key\",\"tick\":2,\"key\":5,\"from\":" #from ",\"n\":1,"
#define THREE        "\"id\":\"AwAAAA==\",\"x\":\"AAAAAA==\",\"y\":\"AAAAAA==\""
    static const char *const lines[] = {
        CHANGE(3) THREE "}",                                                    /* of another key */
        CHANGE(4) "\"id\":\"AwAAAA==\"}",                                       /* without x and y */
        CHANGE(4) "\"id\":\"AgAAAA==\",\"x\":\"AAAAAA==\",\"y\":\"AAAAAA==\"}", /* id 2 is there */
        CHANGE(4) THREE ",\"gone\":\"AgAAAA==\"}",                              /* index 2 of 2 */
        CHANGE(4) THREE ",\"gone\":\"AQAAAAAAAAA=\"}",                          /* 1, 0 */
        CHANGE(4) THREE ",\"gone\":\"/////w==\"}",                              /* -1 */
        CHANGE(4) THREE ",\"gone\":\"AQA=\"}",                                  /* half an index */
        CHANGE(4) THREE ",\"gone\":7}",                                         /* no string */
        CHANGE(4) THREE ",\"heading\":\"AAA=\"}",                               /* a column more */
    };
    static const char fine[] = CHANGE(4) THREE ",\"gone\":\"AAAAAA==\"}", delta[] = DELTA(5, 2) "}";
    struct snapshot *out = snapshot_create();
    for (size_t i = 0; i <= sizeof lines / sizeof lines[0]; i++) {
        struct packed_decoder *stream = packed_decoder_create();
        const bool is_fine = i == sizeof lines / sizeof lines[0];
        const char *line = is_fine ? fine : lines[i];
        assert_int_equal(feed(stream, line, strlen(line), out), FRAME_REFUSED); /* before any key */
        assert_int_equal(feed(stream, TWO, strlen(TWO), out), FRAME_KEY);
        assert_int_equal(feed(stream, line, strlen(line), out), is_fine ? FRAME_KEY : FRAME_REFUSED);
        assert_int_equal(feed(stream, delta, sizeof delta - 1, out), is_fine ? FRAME_READY : FRAME_REFUSED);
        packed_decoder_destroy(stream);
    }
    assert_true(out->count == 2 && out->id[0] == 2 && out->id[1] == 3);
    snapshot_destroy(out);
}

/* Mutants of real lines, key and delta mixed: every accepted one is a whole snapshot. */
static void mutants_do_no_harm(void **state) {
    uint64_t random = 13;
    struct snapshot *world = create(20, true);
    struct stream stream;
    begin(&stream, ALL | SNAPSHOT_FORCE);
    fill(world, &random);
    (void)encode(&stream, world);
    move(world, &random);
    (void)encode(&stream, world);
    int accepted = 0;
    for (int round = 0; round < 6000; round++) {
        const struct buffer *line = round % 3 == 0 ? &stream.key : &stream.delta;
        size_t length = line->length;
        char *mutant = test_exact_copy(line->data, length);
        for (uint32_t hits = test_below(&random, 4); hits > 0; hits--) {
            mutant[test_below(&random, (uint32_t)length)] = (char)test_random(&random);
        }
        length = test_below(&random, 8) == 0 ? test_below(&random, (uint32_t)length) : length;
        const enum frame_result result = feed(stream.reader, mutant, length, stream.back);
        if (result == FRAME_READY) {
            accepted++;
            struct buffer text = objects_line(stream.back, ALL);
            buffer_fini(&text);
        }
        free(mutant);
    }
    assert_true(accepted > 100);
    end(&stream);
    snapshot_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_whole),
        cmocka_unit_test(names_are_those_of_the_wire),
        cmocka_unit_test(other_lines_are_no_frames),
        cmocka_unit_test(any_subset_of_deltas_is_the_objects),
        cmocka_unit_test(twins_come_with_frames),
        cmocka_unit_test(chosen_fields_and_forces),
        cmocka_unit_test(a_key_is_due),
        cmocka_unit_test(names_keep_their_indices),
        cmocka_unit_test(still_columns_are_left_out),
        cmocka_unit_test(wrong_lines_are_refused),
        cmocka_unit_test(mutants_do_no_harm),
        cmocka_unit_test(wrong_changes_are_refused),
        cmocka_unit_test(keys_change_as_agents_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
