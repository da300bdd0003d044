/* A simulation through drover_world alone, as an embedding program would run it: the text of a scenario and
 * requests as lines of JSON go in; replies, packed frames and hashes come out. The requests are those of
 * golden_hashes.c, so the hashes are those of hashes.txt, and the packed frames show the same positions as the
 * world has.
 */
#include "tests/unit/server/cmocka_all.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/snapshot/snapshot_packed.h"
#include "server/commands/command_apply.h"
#include "server/frames/frame_form.h"
#include "server/frames/world_snapshot.h"
#include "tests/support/request_decode.h"
#include "tests/support/snapshots.h"

enum { REPLY_BYTES = 1 << 20, FRAME_BYTES = 1 << 24, LAST_TICK = 600 };

struct run {
    struct simulation_state state;
    struct buffer reply;
    struct frame_form *form;
    struct frame_scratch scratch;
    struct snapshot *snapshot, *seen; /* as copied from the world; as read back from the frames */
    struct packed_decoder *stream;
    int key_count, frame_count;
};

/* ---- files, which are the program's business ---- */

static char *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail_msg("%s is missing", path);
    }
    char *text = malloc(REPLY_BYTES);
    assert_non_null(text);
    *length = fread(text, 1, REPLY_BYTES - 1, file);
    text[*length] = '\0';
    assert_int_equal(fclose(file), 0);
    return text;
}

static uint64_t golden_hash(const char *scenario, uint64_t tick) {
    size_t length = 0;
    char *text = read_file("tests/golden/hashes.txt", &length);
    char wanted[64];
    (void)snprintf(wanted, sizeof wanted, "\n%s %" PRIu64 " ", scenario, tick);
    const char *line = strstr(text, wanted);
    if (line == NULL) {
        fail_msg("no hash of %s at tick %" PRIu64, scenario, tick);
        abort();
    }
    const uint64_t hash = strtoull(line + strlen(wanted), NULL, 16);
    free(text);
    return hash;
}

/* ---- text in ---- */

static struct built_world build(const char *name) {
    char path[128];
    (void)snprintf(path, sizeof path, "scenarios/%s.json", name);
    size_t length = 0;
    char *text = read_file(path, &length);
    struct scenario *scenario = malloc(sizeof *scenario);
    assert_non_null(scenario);
    struct failure failure = {0};
    if (scenario_read(text, length, scenario, &failure) != 0) {
        fail_msg("%s: %s: %s", path, failure.field, failure.message);
    }
    free(text);
    const struct world_overrides none = {0};
    struct built_world built;
    if (built_world_make(scenario, &none, NULL, NULL, &built, &failure) != 0) {
        fail_msg("%s: %s", path, failure.message);
    }
    scenario_fini(scenario);
    free(scenario);
    return built;
}

static void set_up(struct run *run, const char *name) {
    *run = (struct run){.key_count = 0};
    simulation_state_init(&run->state);
    struct built_world built = build(name);
    simulation_state_change(&run->state, &built);
    built_world_fini(&built);
    buffer_init(&run->reply, REPLY_BYTES);
    const struct snapshot_view view = {.layout = LAYOUT_PACKED, .fields = SNAPSHOT_USUAL};
    struct message_scenario *description = malloc(sizeof *description);
    assert_non_null(description);
    simulation_state_describe(&run->state, description);
    const struct frame_estimate estimate = frame_form_estimate(&view, description);
    free(description);
    run->form = frame_form_create(&view, &estimate);
    frame_scratch_init(&run->scratch, FRAME_BYTES);
    run->snapshot = snapshot_create();
    run->seen = snapshot_create();
    run->stream = packed_decoder_create();
    assert_true(run->form != NULL && run->snapshot != NULL && run->seen != NULL && run->stream != NULL);
}

static void tear_down(struct run *run) {
    frame_form_destroy(run->form, &run->scratch);
    frame_scratch_fini(&run->scratch);
    packed_decoder_destroy(run->stream);
    snapshot_destroy(run->seen);
    snapshot_destroy(run->snapshot);
    buffer_fini(&run->reply);
    simulation_state_fini(&run->state);
}

/* ---- requests ---- */

static struct command_effects ask(struct run *run, const char *line) {
    struct request *request = malloc(sizeof *request);
    struct failure failure = {0};
    assert_non_null(request);
    if (request_decode(line, strlen(line), request, &failure) != 0) {
        fail_msg("%s: %s", line, failure.message);
    }
    buffer_clear(&run->reply);
    const struct command_effects effects = command_apply(&run->state, request, 1, &run->reply);
    request_fini(request);
    free(request);
    return effects;
}

/* The request has an id, and its reply begins with this. */
static void expect(struct run *run, const char *line, const char *begins) {
    (void)ask(run, line);
    if (run->reply.length == 0 || strncmp(run->reply.data, begins, strlen(begins)) != 0) {
        fail_msg("%s: %s", line, run->reply.length == 0 ? "no reply" : run->reply.data);
    }
}

/* What golden_hashes does at these ticks, as requests. */
static void command_at(struct run *run, uint64_t tick) {
    const struct world *world = run->state.world;
    if (world_target_count(world) == 0) { /* golden_hashes gives no commands to such a world */
        return;
    }
    const char *kind = world_kind(world, 0)->name, *target = world_target_name(world, 0);
    char line[256] = "";
    if (tick == 30 || tick == 120) {
        (void)snprintf(line, sizeof line,
                       "{\"op\":\"set_target\",\"id\":1,\"name\":\"%s\",\"x\":%s,\"y\":%s}", target,
                       tick == 30 ? "123" : "700", tick == 30 ? "234.5" : "20");
    } else if (tick == 40) {
        (void)snprintf(
            line, sizeof line,
            "{\"op\":\"spawn\",\"id\":1,\"kind\":\"%s\",\"count\":3,\"x\":200,\"y\":150,\"radius\":40}",
            kind);
    } else if (tick == 50) {
        (void)snprintf(line, sizeof line, "{\"op\":\"remove\",\"id\":1,\"agent\":2}");
    } else if (tick == 90) {
        (void)snprintf(
            line, sizeof line,
            "{\"op\":\"set_param\",\"id\":1,\"kind\":\"%s\",\"param\":\"max_speed\",\"value\":133}", kind);
    }
    if (line[0] != '\0') {
        expect(run, line, "{\"op\":\"reply\",");
    }
}

/* ---- frames out ---- */

static void read_line(struct run *run, const struct shared_bytes *line, enum frame_result wanted) {
    struct failure failure = {0};
    const enum frame_result result =
        packed_decode(run->stream, line->data, line->length, run->seen, &failure);
    if (result != wanted) {
        fail_msg("a frame cannot be read: %s", failure.message);
    }
}

static void check_frame(struct run *run) {
    assert_int_equal(world_snapshot_copy(run->state.world, false, run->snapshot), 0);
    /* held, so that a new key cannot lie where the former was */
    struct shared_bytes *former = run->form->key != NULL ? shared_bytes_keep(run->form->key) : NULL;
    frame_form_clear(run->form);
    assert_true(frame_form_make(run->form, run->snapshot, &run->scratch));
    if (run->form->key != former) {
        read_line(run, run->form->key, FRAME_KEY);
        run->key_count++;
    }
    shared_bytes_release(former);
    read_line(run, run->form->frame, FRAME_READY);
    run->frame_count++;
    assert_int_equal(run->seen->tick, world_tick(run->state.world));
    assert_int_equal(run->seen->count, world_agent_count(run->state.world));
    for (int32_t i = 0; i < run->seen->count; i++) {
        assert_int_equal(run->seen->id[i], run->snapshot->id[i]);
        assert_int_equal(run->seen->x[i], run->snapshot->x[i]);
        assert_int_equal(run->seen->y[i], run->snapshot->y[i]);
        assert_int_equal(run->seen->vx[i], run->snapshot->vx[i]);
        assert_int_equal(run->seen->vy[i], run->snapshot->vy[i]);
    }
}

/* ---- the tests ---- */

static void test_golden(const char *name) {
    struct run *run = malloc(sizeof *run);
    assert_non_null(run);
    set_up(run, name);
    while (world_tick(run->state.world) < LAST_TICK) {
        command_at(run, world_tick(run->state.world));
        simulation_state_step(&run->state);
        const uint64_t tick = world_tick(run->state.world);
        if (tick == 1 || tick == 60 || tick == LAST_TICK) {
            assert_true(world_hash(run->state.world) == golden_hash(name, tick));
        }
        if (tick % 20 == 0) {
            check_frame(run);
        }
    }
    assert_int_equal(run->frame_count, LAST_TICK / 20);
    assert_in_range(run->key_count, 1, run->frame_count);
    tear_down(run);
    free(run);
}

static void test_seek(void **state) {
    test_golden("seek");
}

static void test_hunters_and_prey(void **state) {
    test_golden("hunters_and_prey");
}

static void test_boids(void **state) {
    test_golden("boids");
}

static void test_replies(void **state) {
    struct run *run = malloc(sizeof *run);
    assert_non_null(run);
    set_up(run, "seek");
    expect(run, "{\"op\":\"list\",\"id\":1,\"what\":\"targets\"}",
           "{\"op\":\"reply\",\"to\":\"list\",\"id\":1,\"tick\":0,\"targets\":[{\"name\":\"mouse\",");
    expect(run, "{\"op\":\"spawn\",\"id\":2,\"kind\":\"unknown\"}",
           "{\"op\":\"error\",\"id\":2,\"line\":1,\"code\":\"no_kind\",\"field\":\"kind\",");
    expect(run, "{\"op\":\"step\",\"id\":3}",
           "{\"op\":\"error\",\"id\":3,\"line\":1,\"code\":\"not_paused\",");
    expect(run, "{\"op\":\"load\",\"id\":4,\"scenario\":\"boids\"}",
           "{\"op\":\"error\",\"id\":4,\"line\":1,\"code\":\"internal\",");
    struct built_world built = build("boids");
    run->state.arrival = &built;
    assert_true(ask(run, "{\"op\":\"load\",\"id\":5,\"scenario\":\"boids\"}").loaded);
    run->state.arrival = NULL;
    built_world_fini(&built);
    assert_int_equal(run->state.epoch, 2);
    (void)ask(run, "{\"op\":\"pause\"}");
    assert_int_equal(run->reply.length, 0);
    assert_int_equal(ask(run, "{\"op\":\"step\",\"id\":6,\"count\":7}").step_ticks, 7);
    tear_down(run);
    free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seek),
        cmocka_unit_test(test_hunters_and_prey),
        cmocka_unit_test(test_boids),
        cmocka_unit_test(test_replies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
