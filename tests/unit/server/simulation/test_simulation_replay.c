/* Worlds out of recordings on a real simulation thread: continuing one, playing it, seeking, going live. The recordings
 * come from recorded_run.h; the reference is its own state. */
#include "tests/unit/server/recording/recorded_run.h"

#include <time.h>
#include <unistd.h>

#include "server/simulation/simulation.h"
#include "server/storage/recording.h"
#include "tests/support/request_decode.h"

enum { PATIENCE_MS = 60000, ANSWER_ROOM = 4096 };

static int load_nothing(void *context, const char *name, struct scenario *out, struct failure *failure) {
    (void)context;
    (void)out;
    return failure_set(failure, FAILURE_NO_SCENARIO, "scenario", "no scenario \"%s\"", name);
}

static const struct scenario_list *list_nothing(void *context, struct failure *failure) {
    (void)context;
    (void)failure;
    static const struct scenario_list none = {0};
    return &none;
}

/* A simulation out of a recording, and what it said. */
struct stage {
    struct run run;
    char path[64];
    struct recording *recording;
    struct simulation_recording def;
    struct simulation *simulation;
    char answer[ANSWER_ROOM]; /* the last that was waited for */
    int diverged, left_out;   /* events so far */
    uint64_t left_out_ticks, left_out_requests;
};

static void notify(void *context) {
    (void)context;
}

static void write_file(struct stage *stage) {
    (void)snprintf(stage->path, sizeof stage->path, "/tmp/drover-replay-XXXXXX");
    const int file = mkstemp(stage->path);
    assert_true(file >= 0);
    assert_int_equal(write(file, stage->run.text.data, stage->run.text.length), stage->run.text.length);
    assert_int_equal(close(file), 0);
}

static void open_stage(struct stage *stage) {
    struct failure failure = {0};
    const struct world_overrides overrides = {0};
    write_file(stage);
    const char *const paths[] = {stage->path};
    stage->recording = recording_open(paths, 1, &failure);
    if (stage->recording == NULL) {
        fail_msg("%s", failure.message);
    }
    stage->def = simulation_recording_of(stage->recording, &overrides);
}

static void start(struct stage *stage, bool is_played, bool is_paused) {
    struct failure failure = {0};
    const struct simulation_def def = {.source = {.load = load_nothing, .list = list_nothing},
                                       .is_paused = is_paused,
                                       .threads = 1,
                                       .resume = is_played ? NULL : &stage->def,
                                       .replay = is_played ? &stage->def : NULL};
    stage->simulation = simulation_create(&def, &failure);
    if (stage->simulation == NULL) {
        fail_msg("%s", failure.message);
    }
    assert_int_equal(simulation_start(stage->simulation, notify, NULL), 0);
}

static void close_stage(struct stage *stage) {
    simulation_destroy(stage->simulation);
    recording_close(stage->recording);
    (void)unlink(stage->path);
    run_end(&stage->run);
}

/* Takes events; returns whether one was the answer to this session. */
static bool take(struct stage *stage, uint32_t session) {
    bool is_answered = false;
    struct sim_event *event = simulation_take_events(stage->simulation);
    while (event != NULL) {
        struct sim_event *next = event->next;
        if (event->kind == SIM_EVENT_ANSWER && event->session == session) {
            is_answered = true;
            (void)snprintf(stage->answer, sizeof stage->answer, "%.*s", (int)event->length,
                           event->text == NULL ? "" : event->text);
        } else if (event->kind == SIM_EVENT_MESSAGE && strcmp(event->message->event, "diverged") == 0) {
            stage->diverged++;
        } else if (event->kind == SIM_EVENT_MESSAGE && strcmp(event->message->event, "resumed_from") == 0) {
            stage->left_out++;
            stage->left_out_ticks = event->message->ticks;
            stage->left_out_requests = event->message->requests;
        }
        sim_event_free(event);
        event = next;
    }
    return is_answered;
}

static void rest(void) {
    const struct timespec moment = {.tv_nsec = 1000000};
    (void)nanosleep(&moment, NULL);
}

static void submit(struct stage *stage, uint32_t session, const char *text) {
    struct request request;
    struct failure failure = {0};
    const struct command_origin origin = {.session = session, .line = 1};
    assert_int_equal(request_decode(text, strlen(text), &request, &failure), 0);
    assert_int_equal(simulation_submit(stage->simulation, &origin, &request), COMMAND_QUEUED);
}

static void wait_for_answer(struct stage *stage, uint32_t session) {
    for (int i = 0; i < PATIENCE_MS; i++) {
        if (take(stage, session)) {
            return;
        }
        rest();
    }
    fail_msg("no answer");
}

static const char *ask(struct stage *stage, const char *text) {
    submit(stage, 1, text);
    wait_for_answer(stage, 1);
    return stage->answer;
}

static struct simulation_statistics statistics_of(struct stage *stage) {
    struct simulation_statistics statistics;
    simulation_read_statistics(stage->simulation, &statistics);
    return statistics;
}

static void wait_until_resumed(struct stage *stage) {
    for (int i = 0; i < PATIENCE_MS && statistics_of(stage).playback.is_resuming; i++) {
        rest();
    }
    assert_false(statistics_of(stage).playback.is_resuming);
}

/* The answer has the hash of the run's world. */
static void assert_hash(const struct stage *stage) {
    char hash[32];
    (void)snprintf(hash, sizeof hash, "\"hash\":\"%016llx\"",
                   (unsigned long long)world_hash(stage->run.state.world));
    if (strstr(stage->answer, hash) == NULL) {
        fail_msg("%s lacks %s", stage->answer, hash);
    }
}

/* One world, 200 ticks, two cursors, a hash each ten ticks. */
static void short_run(struct stage *stage) {
    struct run *run = &stage->run;
    *stage = (struct stage){0};
    run_begin(run, "pond", run_pond, 77);
    for (int i = 0; i < 20; i++) {
        run_ticks(run, 10);
        run_hash(run);
        if (i == 3) {
            assert_true(run_do(run, 3, "{\"op\":\"cursor\",\"x\":100,\"y\":50}"));
            assert_true(run_do(run, 4, "{\"op\":\"cursor\",\"x\":300,\"y\":70}"));
        }
        if (i == 7) {
            assert_true(run_do(run, 3, "{\"op\":\"spawn\",\"kind\":\"bird\",\"count\":4}"));
        }
    }
}

static void a_world_goes_on_as_if_nothing_had_happened(void **state) {
    struct stage stage;
    short_run(&stage);
    assert_true(run_do(&stage.run, 4, "{\"op\":\"pause\"}"));
    open_stage(&stage);
    start(&stage, false, false);
    submit(&stage, 1, "{\"op\":\"step\",\"count\":5}"); /* waits */
    wait_for_answer(&stage, 1);
    assert_false(statistics_of(&stage).playback.is_resuming);
    assert_true(statistics_of(&stage).is_paused);
    assert_int_equal(statistics_of(&stage).tick, 205);
    /* The cursors of sessions that are gone were removed by requests, in order of their numbers. */
    assert_true(run_do(&stage.run, 3, "{\"op\":\"cursor\",\"gone\":true}"));
    assert_true(run_do(&stage.run, 4, "{\"op\":\"cursor\",\"gone\":true}"));
    run_ticks(&stage.run, 5);
    assert_hash(&stage);
    assert_int_equal(stage.left_out, 0);
    close_stage(&stage);
}

static void a_journal_that_differs_goes_on_from_its_checkpoint(void **state) {
    struct stage stage;
    short_run(&stage);
    run_checkpoint(&stage.run);
    struct run *run = &stage.run;
    const uint64_t hash = world_hash(run->state.world);
    assert_true(run_do(run, 4, "{\"op\":\"pause\"}"));
    assert_true(run_do(run, 4, "{\"op\":\"spawn\",\"kind\":\"bird\",\"count\":4}"));
    run_ticks(run, 20);
    run_write(run, (struct recording_line){.op = RECORDING_HASH, .hash = 1});
    run_ticks(run, 10);
    run_at(run);
    open_stage(&stage);
    start(&stage, false, false);
    wait_until_resumed(&stage);
    (void)ask(&stage, "{\"op\":\"list\",\"what\":\"kinds\"}");
    const struct message_playback said = statistics_of(&stage).playback;
    assert_int_equal(statistics_of(&stage).tick, 200);
    assert_true(said.has_left_out && said.left_out_ticks == 30 && said.left_out_requests == 2);
    assert_int_equal(stage.left_out, 1);
    assert_true(stage.left_out_ticks == 30 && stage.left_out_requests == 2);
    assert_true(hash != 1);
    close_stage(&stage);
}

static void a_stop_ends_a_long_start(void **state) {
    struct stage stage;
    short_run(&stage);
    run_write(&stage.run, (struct recording_line){.op = RECORDING_AT});
    buffer_append_text(&stage.run.text, "{\"op\":\"at\",\"tick\":9000000,\"seq\":3,\"paused\":false}\n");
    open_stage(&stage);
    start(&stage, false, false);
    submit(&stage, 1, "{\"op\":\"pause\",\"id\":1}");
    for (int i = 0; i < PATIENCE_MS && statistics_of(&stage).tick < 300; i++) {
        rest();
    }
    assert_true(statistics_of(&stage).playback.is_resuming);
    assert_true(statistics_of(&stage).playback.resumed < 0.5);
    simulation_stop(stage.simulation);
    assert_true(take(&stage, 1));
    assert_non_null(strstr(stage.answer, "\"busy\""));
    close_stage(&stage);
}

static bool refuses(const struct simulation *simulation, enum request_op op) {
    const struct request request = request_default(op);
    return simulation_refuses(simulation, &request);
}

static void playing_has_the_recorded_hashes(void **state) {
    struct stage stage = {0};
    run_everything(&stage.run);
    open_stage(&stage);
    start(&stage, true, true);
    assert_true(refuses(stage.simulation, REQUEST_SPAWN));
    assert_true(refuses(stage.simulation, REQUEST_LOAD));
    assert_false(refuses(stage.simulation, REQUEST_STEP));
    assert_false(refuses(stage.simulation, REQUEST_INSPECT));
    (void)ask(&stage, "{\"op\":\"step\",\"count\":100000}");
    assert_non_null(strstr(stage.answer, "\"stopped\":true"));
    assert_hash(&stage);
    const struct message_playback said = statistics_of(&stage).playback;
    assert_true(said.has_replay && !said.replay.has_diverged);
    assert_int_equal(said.replay.world, 2);
    assert_int_equal(said.replay.tick, said.replay.last);
    assert_int_equal(stage.diverged, 0);
    close_stage(&stage);
}

static void a_seek_gives_up_for_a_further_one_and_for_the_stop(void **state) {
    struct stage stage;
    short_run(&stage);
    buffer_append_text(&stage.run.text, "{\"op\":\"at\",\"tick\":9000000,\"seq\":3,\"paused\":false}\n");
    open_stage(&stage);
    start(&stage, true, true);
    submit(&stage, 1, "{\"op\":\"seek\",\"tick\":8000000}");
    for (int i = 0; i < PATIENCE_MS && !statistics_of(&stage).playback.replay.is_seeking; i++) {
        rest();
    }
    submit(&stage, 2, "{\"op\":\"seek\",\"tick\":7}");
    wait_for_answer(&stage, 1);
    assert_non_null(strstr(stage.answer, "\"busy\""));
    (void)ask(&stage, "{\"op\":\"list\",\"what\":\"kinds\"}");
    assert_int_equal(statistics_of(&stage).tick, 7);
    submit(&stage, 1, "{\"op\":\"seek\",\"tick\":8000000}");
    simulation_stop(stage.simulation);
    assert_true(take(&stage, 1));
    assert_non_null(strstr(stage.answer, "\"busy\""));
    close_stage(&stage);
}

static void a_world_that_goes_live_can_be_changed(void **state) {
    struct stage stage;
    short_run(&stage);
    open_stage(&stage);
    start(&stage, true, true);
    (void)ask(&stage, "{\"op\":\"seek\",\"tick\":200}");
    assert_hash(&stage);
    (void)ask(&stage, "{\"op\":\"resume\",\"live\":true,\"id\":1}");
    assert_non_null(strstr(stage.answer, "\"reply\""));
    assert_false(refuses(stage.simulation, REQUEST_SPAWN));
    assert_false(statistics_of(&stage).playback.has_replay);
    (void)ask(&stage, "{\"op\":\"seek\",\"tick\":1}");
    assert_non_null(strstr(stage.answer, "not_replaying"));
    (void)ask(&stage, "{\"op\":\"spawn\",\"kind\":\"bird\",\"id\":1}");
    assert_non_null(strstr(stage.answer, "\"reply\""));
    close_stage(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_goes_on_as_if_nothing_had_happened),
        cmocka_unit_test(a_journal_that_differs_goes_on_from_its_checkpoint),
        cmocka_unit_test(a_stop_ends_a_long_start),
        cmocka_unit_test(playing_has_the_recorded_hashes),
        cmocka_unit_test(a_seek_gives_up_for_a_further_one_and_for_the_stop),
        cmocka_unit_test(a_world_that_goes_live_can_be_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
