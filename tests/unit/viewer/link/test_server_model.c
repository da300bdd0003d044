/* How messages change the server model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/viewer/make_snapshot.h"
#include "viewer/link/server_model.h"

static struct message_scenario scenario_of(const char *name, const char *edge, bool has_mouse) {
    static struct message_scenario scenario;
    memset(&scenario, 0, sizeof scenario);
    (void)snprintf(scenario.name, sizeof scenario.name, "%s", name);
    (void)snprintf(scenario.title, sizeof scenario.title, "Title of %s", name);
    (void)snprintf(scenario.edge, sizeof scenario.edge, "%s", edge);
    scenario.size = vec2_make(800, 600);
    scenario.target_count = 2;
    (void)snprintf(scenario.targets[0], sizeof scenario.targets[0], "center");
    (void)snprintf(scenario.targets[1], sizeof scenario.targets[1], has_mouse ? "mouse" : "mousetrap");
    scenario.kind_count = 1;
    (void)snprintf(scenario.kinds[0].name, sizeof scenario.kinds[0].name, "ship");
    return scenario;
}

static int setup(void **state) {
    struct server_model *model = calloc(1, sizeof *model);
    struct message *message = calloc(1, sizeof *message);
    assert_non_null(model);
    assert_non_null(message);
    server_model_init(model);
    message->op = MESSAGE_HELLO;
    message->body.hello.has_world = true;
    message->body.hello.is_paused = true;
    (void)snprintf(message->body.hello.role, sizeof message->body.hello.role, "admin");
    message->body.hello.scenario = scenario_of("seek", "wrap", true);
    server_model_apply(model, message, 1);
    free(message);
    *state = model;
    return 0;
}

static int teardown(void **state) {
    free(*state);
    return 0;
}

static void apply_event(struct server_model *model, const char *name) {
    struct message *message = calloc(1, sizeof *message);
    assert_non_null(message);
    message->op = MESSAGE_EVENT;
    (void)snprintf(message->body.event.event, sizeof message->body.event.event, "%s", name);
    server_model_apply(model, message, 1);
    free(message);
}

static void hello_and_events_say_whether_it_is_paused(void **state) {
    struct server_model *model = *state;
    assert_true(model->has_scenario && model->is_paused && model->has_mouse_target);
    apply_event(model, "resumed");
    assert_false(model->is_paused);
    apply_event(model, "tea"); /* of a later version */
    assert_false(model->is_paused);
    apply_event(model, "paused");
    assert_true(model->is_paused);
}

/* A server with roles first says nothing about its world; the reply to hello and a scenario line do. */
static void a_world_may_come_after_the_token(void **state) {
    struct server_model *model = *state;
    struct message *message = calloc(1, sizeof *message);
    assert_non_null(message);
    message->op = MESSAGE_HELLO;
    message->body.hello.session = 7;
    (void)snprintf(message->body.hello.role, sizeof message->body.hello.role, "none");
    server_model_apply(model, message, 1);
    assert_false(model->has_scenario);
    assert_int_equal(model->session, 7);
    assert_int_equal(model->role, ROLE_NONE);
    memset(message, 0, sizeof *message);
    message->op = MESSAGE_REPLY;
    message->body.reply =
        (struct message_reply){.to = "hello", .role = "operator", .has_paused = true, .is_paused = false};
    server_model_apply(model, message, 1);
    assert_int_equal(model->role, ROLE_OPERATOR);
    assert_false(model->is_paused);
    memset(message, 0, sizeof *message);
    message->op = MESSAGE_SCENARIO;
    message->body.scenario = scenario_of("arrive", "open", false);
    server_model_apply(model, message, 2);
    assert_true(model->has_scenario);
    assert_string_equal(model->scenario.name, "arrive");
    assert_int_equal(model->role, ROLE_OPERATOR);
    free(message);
}

static void apply_reply(struct server_model *model, const char *to, const char *id) {
    struct message *message = calloc(1, sizeof *message);
    assert_non_null(message);
    message->op = MESSAGE_REPLY;
    (void)snprintf(message->body.reply.to, sizeof message->body.reply.to, "%s", to);
    (void)snprintf(message->body.reply.id, sizeof message->body.reply.id, "%s", id);
    server_model_apply(model, message, 1);
    free(message);
}

static struct server_model_wish apply_error(struct server_model *model, const char *id) {
    struct message *message = calloc(1, sizeof *message);
    assert_non_null(message);
    message->op = MESSAGE_ERROR;
    (void)snprintf(message->body.error.id, sizeof message->body.error.id, "%s", id);
    (void)failure_set(&message->body.error.failure, FAILURE_DENIED, "op", "no");
    const struct server_model_wish wish = server_model_apply(model, message, 1);
    free(message);
    return wish;
}

static void a_pause_is_shown_when_the_server_says_so(void **state) {
    struct server_model *model = *state;
    apply_event(model, "resumed");
    server_model_ask_paused(model, true);
    assert_false(model->is_paused); /* requested, not yet done */
    assert_true(server_model_will_be_paused(model));
    (void)apply_error(model, SERVER_MODEL_PAUSE_ID);
    assert_false(model->is_paused || server_model_will_be_paused(model)); /* refused: never */
    server_model_ask_paused(model, true);
    server_model_ask_paused(model, false); /* two quick presses */
    assert_false(server_model_will_be_paused(model));
    apply_reply(model, "pause", SERVER_MODEL_PAUSE_ID);
    assert_true(model->is_paused && !server_model_will_be_paused(model));
    apply_reply(model, "resume", SERVER_MODEL_PAUSE_ID);
    assert_false(model->is_paused || server_model_will_be_paused(model));
    (void)apply_error(model, ""); /* of another request */
    assert_int_equal(model->pauses_asked, 0);
}

static void stats_say_whether_it_is_paused(void **state) {
    struct server_model *model = *state;
    struct message *message = calloc(1, sizeof *message);
    struct failure failure;
    const char line[] = "{\"op\":\"reply\",\"to\":\"stats\",\"tick\":9,\"uptime\":1.5,\"paused\":false}";
    assert_non_null(message);
    assert_int_equal(message_decode(line, sizeof line - 1, message, &failure), 0);
    server_model_apply(model, message, 1);
    assert_false(model->is_paused);
    apply_reply(model, "ping", ""); /* says nothing of it */
    assert_false(model->is_paused);
    message_fini(message);
    free(message);
}

static void set_role(struct server_model *model, const char *role) {
    struct message *message = calloc(1, sizeof *message);
    assert_non_null(message);
    message->op = MESSAGE_REPLY;
    (void)snprintf(message->body.reply.to, sizeof message->body.reply.to, "hello");
    (void)snprintf(message->body.reply.role, sizeof message->body.reply.role, "%s", role);
    server_model_apply(model, message, 1);
    free(message);
}

static void a_role_may_what_it_may(void **state) {
    struct server_model *model = *state;
    char why[SERVER_MODEL_DENIAL];
    server_model_denial(model, REQUEST_LOAD, why);
    assert_string_equal(why, ""); /* an admin */
    set_role(model, "viewer");
    assert_true(server_model_may(model, REQUEST_STATS) && server_model_may(model, REQUEST_PING));
    assert_false(server_model_may(model, REQUEST_PAUSE) || server_model_may(model, REQUEST_MOUSE));
    server_model_denial(model, REQUEST_PAUSE, why);
    assert_string_equal(why,
                        "Pausing needs the role admin; you are viewer: connect with the token of an admin");
    server_model_denial(model, REQUEST_SET_PARAM, why);
    assert_string_equal(
        why, "Tuning needs the role operator; you are viewer: connect with the token of an operator");
    set_role(model, "operator");
    assert_true(server_model_may(model, REQUEST_SPAWN) && !server_model_may(model, REQUEST_LOAD));
    set_role(model, "none");
    assert_false(server_model_may(model, REQUEST_SUBSCRIBE));
    server_model_denial(model, REQUEST_PAUSE, why);
    assert_string_equal(why, "Pausing needs the role admin: connect with the token of an admin");
    set_role(model, ""); /* an older server */
    assert_true(server_model_may(model, REQUEST_LOAD));
    for (int op = 0; op < REQUEST_OP_COUNT; op++) { /* no reason is cut */
        for (int role = ROLE_NONE; role < ROLE_COUNT; role++) {
            model->role = (enum role)role;
            server_model_denial(model, (enum request_op)op, why);
            assert_true(strlen(why) + 1 < sizeof why);
        }
    }
}

/* ---- saved worlds and recordings ---- */

static struct server_model_wish take_line(struct server_model *model, const char *line) {
    struct message *message = calloc(1, sizeof *message);
    struct failure failure;
    assert_non_null(message);
    assert_int_equal(message_decode(line, strlen(line), message, &failure), 0);
    const struct server_model_wish wish = server_model_apply(model, message, 1);
    message_fini(message);
    free(message);
    return wish;
}

static void a_save_is_said_to_be_kept(void **state) {
    struct server_model *model = *state;
    server_model_ask_save(model, "flock-3600");
    assert_true(take_line(model, "{\"op\":\"reply\",\"to\":\"save\",\"id\":\"save\",\"tick\":3600,\"hash\":"
                                 "\"00\",\"bytes\":12345,\"kept\":\"disk\"}")
                    .saves);
    assert_string_equal(model->notice, "Saved flock-3600 at tick 3600 (12 KB), on disk");
    take_line(model,
              "{\"op\":\"reply\",\"to\":\"save\",\"id\":\"save\",\"tick\":3642,\"hash\":\"00\",\"bytes\":"
              "1234567,\"kept\":\"memory\"}");
    assert_string_equal(model->notice,
                        "Saved flock-3600 at tick 3642 (1.2 MB), in memory: it is gone when the server ends");
    assert_false(model->is_notice_error);
    const uint32_t before = model->notice_count;
    const struct server_model_wish taken = take_line(
        model,
        "{\"op\":\"error\",\"id\":\"save\",\"code\":\"exists\",\"field\":\"name\",\"message\":\"it is\"}");
    assert_true(taken.replaces);
    assert_int_equal(model->notice_count, before); /* a question follows */
    assert_false(
        take_line(model, "{\"op\":\"error\",\"id\":\"save\",\"code\":\"io\",\"message\":\"no space\"}")
            .replaces);
    assert_string_equal(model->notice, "no space");
    assert_true(model->is_notice_error);
}

static void saves_are_listed(void **state) {
    struct server_model *model = *state;
    take_line(model,
              "{\"op\":\"reply\",\"to\":\"list\",\"id\":\"saves\",\"saves\":[{\"name\":\"a\",\"scenario\":"
              "\"flock\","
              "\"tick\":7,\"agents\":250,\"bytes\":9,\"hash\":\"00\",\"saved\":\"2026-11-21T19:00:00Z\"}]}");
    assert_int_equal(model->save_count, 1);
    assert_int_equal(server_model_save(model, "a")->agents, 250);
    assert_null(server_model_save(model, "b"));
    take_line(model, "{\"op\":\"reply\",\"to\":\"list\",\"id\":\"saves\",\"saves\":[]}");
    assert_int_equal(model->save_count, 0);
    const uint32_t before = model->notice_count; /* an older server has none */
    take_line(model,
              "{\"op\":\"error\",\"id\":\"saves\",\"code\":\"invalid\",\"message\":\"what: unknown\"}");
    assert_int_equal(model->notice_count, before);
    server_model_fini(model);
}

static const char replay_stats[] =
    "{\"op\":\"reply\",\"to\":\"stats\",\"tick\":9,\"paused\":false,\"replay\":{\"world\":1,\"tick\":9,"
    "\"first\":0,"
    "\"last\":600,\"worlds\":1,\"speed\":1,\"diverged\":false,\"spans\":[[0,600]]}}";
static const char diverged_stats[] = "{\"op\":\"reply\",\"to\":\"stats\",\"tick\":9,\"paused\":false,"
                                     "\"replay\":{\"world\":1,\"tick\":9,\"first\":0,"
                                     "\"last\":600,\"worlds\":1,\"speed\":1,\"diverged\":true,\"diverged_"
                                     "world\":1,\"diverged_tick\":8,\"spans\":"
                                     "[[0,600]]}}";

/* What the server says before its answer is of before the request. */
static void a_speed_that_is_asked_for_stays(void **state) {
    struct server_model *model = *state;
    take_line(model, replay_stats);
    server_model_ask_speed(model, 2.0);
    server_model_ask_speed(model, 4.0);
    take_line(model, replay_stats);
    assert_true(model->playback.replay.speed == 4.0);
    apply_reply(model, "speed", SERVER_MODEL_SPEED_ID);
    take_line(model, replay_stats);
    assert_true(model->playback.replay.speed == 4.0);
    assert_true(apply_error(model, SERVER_MODEL_SPEED_ID).stats);
    take_line(model, replay_stats);
    assert_true(model->playback.replay.speed == 1.0);
}

/* The second request comes before the server has said that a twin runs. */
static void a_twin_that_is_asked_for_counts_at_once(void **state) {
    struct server_model *model = *state;
    assert_true(server_model_will_have_twin(model, true)); /* another session's, from before the connection */
    assert_false(server_model_will_have_twin(model, false));
    server_model_ask_twin(model, true);
    assert_true(server_model_will_have_twin(model, false));
    server_model_ask_twin(model, false);
    assert_false(server_model_will_have_twin(model, true));
    apply_reply(model, "compare", SERVER_MODEL_TWIN_ID);
    apply_event(model, "compare_begun");
    assert_false(server_model_will_have_twin(model, true));
    apply_reply(model, "compare", SERVER_MODEL_TWIN_ID); /* before the event */
    assert_false(server_model_will_have_twin(model, true));
    apply_event(model, "compare_ended");
    server_model_ask_twin(model, true);
    (void)apply_error(model, SERVER_MODEL_TWIN_ID);
    assert_false(server_model_will_have_twin(model, true));
}

static void ranks_are_those_of_the_newest_stats(void **state) {
    struct server_model *model = *state;
    static const char ranks[] =
        "{\"op\":\"reply\",\"to\":\"stats\",\"tick\":9,\"paused\":false,\"cluster\":{\"mode\":\"copy\","
        "\"count\":1,"
        "\"longest\":0,\"balance\":1,\"agents\":1,\"ghosts\":0,\"migrants\":0,\"migrants_per_second\":0,"
        "\"ranks\":["
        "{\"rank\":0,\"host\":\"a\",\"work_ms\":{\"mean\":2,\"p99\":3},\"wait_ms\":{\"mean\":0,\"p99\":0},"
        "\"agents\":1,\"ghosts\":0,\"migrants\":0}]}}";
    take_line(model, ranks);
    assert_int_equal(model->cluster->rank_count, 1);
    assert_int_equal(model->cluster_count, 1);
    take_line(model, ranks);
    assert_int_equal(model->cluster_count, 1); /* the same again is no news */
    take_line(model, "{\"op\":\"reply\",\"to\":\"ping\",\"clock\":1}");
    assert_non_null(model->cluster);
    take_line(model, "{\"op\":\"reply\",\"to\":\"stats\",\"tick\":9,\"paused\":false}");
    assert_null(model->cluster);
    assert_int_equal(model->cluster_count, 2);
}

/* hello, scenario, stats and events say it; a request is believed until its answer. */
static void a_live_world_has_a_speed(void **state) {
    struct server_model *model = *state;
    assert_true(server_model_speed(model) == 1.0 && server_model_pace(model) == 1.0);
    take_line(model,
              "{\"op\":\"event\",\"event\":\"speed\",\"tick\":5,\"by\":9,\"name\":\"Ann\",\"speed\":0.25}");
    assert_true(server_model_speed(model) == 0.25);
    assert_string_equal(model->notice, "Ann sets the speed to 0.25x");
    take_line(model, "{\"op\":\"event\",\"event\":\"speed\",\"tick\":5,\"by\":9,\"speed\":0}");
    assert_true(server_model_speed(model) == 0.0);
    take_line(model, "{\"op\":\"reply\",\"to\":\"stats\",\"tick\":9,\"paused\":false,\"speed\":3}");
    assert_true(server_model_speed(model) == 3.0);
    server_model_ask_speed(model, 2.0);
    server_model_ask_speed(model, 4.0);
    assert_true(server_model_speed(model) == 4.0 && server_model_pace(model) == 4.0);
    apply_reply(model, "speed", SERVER_MODEL_SPEED_ID);
    take_line(model, "{\"op\":\"event\",\"event\":\"speed\",\"tick\":5,\"by\":1,\"speed\":2}");
    assert_true(server_model_speed(model) == 4.0);
    apply_reply(model, "speed", SERVER_MODEL_SPEED_ID);
    assert_true(server_model_speed(model) == 4.0); /* before the event */
    server_model_ask_speed(model, 8.0);
    assert_true(apply_error(model, SERVER_MODEL_SPEED_ID).stats);
    assert_true(server_model_speed(model) == 4.0);
}

static void a_warm_up_ends_with_its_event_or_a_speed(void **state) {
    struct server_model *model = *state;
    static const char warming[] =
        "{\"op\":\"reply\",\"to\":\"stats\",\"tick\":9,\"paused\":false,\"speed\":2,\"warming\":0.5}";
    take_line(model, warming);
    model->has_scenario = true;
    assert_true(server_model_is_warming(model) && model->scenario.pace.warmed == 0.5);
    assert_true(server_model_speed(model) == 2.0 && server_model_pace(model) == 0.0);
    take_line(model, "{\"op\":\"event\",\"event\":\"warmed_up\",\"tick\":5,\"by\":0}");
    assert_false(server_model_is_warming(model));
    assert_true(server_model_pace(model) == 2.0);
    take_line(model, warming);
    server_model_ask_speed(model, 0.5);
    apply_reply(model, "speed", SERVER_MODEL_SPEED_ID);
    assert_true(!server_model_is_warming(model) && server_model_pace(model) == 0.5);
}

static void a_recording_can_be_watched_only(void **state) {
    struct server_model *model = *state;
    char why[SERVER_MODEL_DENIAL];
    take_line(model, replay_stats);
    assert_true(server_model_is_replay(model));
    assert_true(server_model_may(model, REQUEST_PAUSE) && server_model_may(model, REQUEST_STEP) &&
                server_model_may(model, REQUEST_SEEK) && server_model_may(model, REQUEST_INSPECT));
    assert_false(server_model_may(model, REQUEST_SPAWN) || server_model_may(model, REQUEST_MOUSE) ||
                 server_model_may(model, REQUEST_LOAD) || server_model_may(model, REQUEST_CURSOR));
    server_model_denial(model, REQUEST_SPAWN, why);
    assert_non_null(strstr(why, "plays a recording"));
    server_model_denial(model, REQUEST_RECORD, why);
    assert_non_null(strstr(why, "which is a file already; take it over first"));
    const uint32_t before = model->notice_count;
    take_line(model, diverged_stats);
    take_line(model, diverged_stats);
    assert_int_equal(model->notice_count, before + 1); /* once */
    assert_true(model->is_notice_warning && !model->is_notice_error);
    assert_non_null(strstr(model->notice, "From tick 8 on"));
    take_line(model, "{\"op\":\"reply\",\"to\":\"stats\",\"tick\":9,\"paused\":false}"); /* taken over */
    assert_true(!server_model_is_replay(model) && server_model_may(model, REQUEST_SPAWN));
}

static void a_seek_that_is_given_up_for_a_further_one_is_no_error(void **state) {
    static const char busy[] = "{\"op\":\"error\",\"id\":\"seek\",\"code\":\"busy\",\"message\":"
                               "\"the seek was given up for a further one; the world is at tick 9\"}";
    struct server_model *model = *state;
    take_line(model, replay_stats);
    server_model_ask_seek(model);
    server_model_ask_seek(model);
    const uint32_t before = model->notice_count;
    assert_true(take_line(model, busy).sought);
    assert_int_equal(model->notice_count, before);
    assert_int_equal(model->seeks_asked, 1);
    assert_true(take_line(model, busy).sought); /* another client's is further */
    assert_int_equal(model->notice_count, before + 1);
    assert_false(model->is_notice_error);
    server_model_ask_seek(model);
    take_line(model, "{\"op\":\"error\",\"id\":\"seek\",\"code\":\"io\",\"message\":\"no such line\"}");
    assert_true(model->is_notice_error);
    assert_int_equal(model->seeks_asked, 0);
}

static void a_saved_world_is_named_when_it_is_loaded(void **state) {
    struct server_model *model = *state;
    struct message *message = calloc(1, sizeof *message);
    assert_non_null(message);
    message->op = MESSAGE_SCENARIO;
    message->body.scenario = scenario_of("seek", "wrap", true);
    server_model_ask_load(model, "seek-9");
    server_model_apply(model, message, 2);
    assert_string_equal(model->notice, "Title of seek, the saved world seek-9");
    server_model_apply(model, message, 3); /* a scenario again */
    assert_string_equal(model->notice, "Title of seek");
    server_model_ask_load(model, "seek-9");
    take_line(model, "{\"op\":\"error\",\"id\":\"load\",\"code\":\"io\",\"message\":\"damaged\"}");
    server_model_apply(model, message, 4);
    assert_string_equal(model->notice, "Title of seek");
    free(message);
}

static void a_recording_ends_with_its_server(void **state) {
    static const char none[] = "{\"op\":\"reply\",\"to\":\"stats\",\"tick\":9,\"paused\":false}";
    static const char writes[] = "{\"op\":\"reply\",\"to\":\"stats\",\"tick\":9,\"paused\":false,"
                                 "\"recording\":{\"file\":\"a.drover\",\"bytes\":12}}";
    struct server_model *model = *state;
    struct message *hello = calloc(1, sizeof *hello);
    assert_non_null(hello);
    hello->op = MESSAGE_HELLO;
    take_line(model, writes);
    server_model_apply(model, hello, 2);
    assert_string_equal(model->recording, "");
    take_line(model, writes); /* the connection alone had broken off */
    assert_string_equal(model->recording, "a.drover");
    const uint32_t before = model->notice_count;
    server_model_apply(model, hello, 3);
    take_line(model, none);
    assert_string_equal(model->notice, "The recording a.drover has ended: the server was started again");
    assert_true(model->is_notice_warning);
    take_line(model, none);
    assert_int_equal(model->notice_count, before + 1);
    free(hello);
}

static void a_restart_is_said_to_those_who_were_there(void **state) {
    static const char line[] =
        "{\"op\":\"hello\",\"protocol\":1,\"server\":\"s\",\"session\":%d,\"role\":\"admin\",\"tick\":50,"
        "\"time\":1,"
        "\"paused\":false,\"restarted\":{\"tick\":%d,\"reason\":\"rank 1 on node2 is "
        "lost\"},\"scenario\":{\"name\":\"a\","
        "\"title\":\"A\",\"description\":\"\",\"size\":[100,100],\"edge\":\"wrap\",\"seed\":1,\"tick_hz\":60,"
        "\"kinds\":[],\"targets\":[],\"obstacles\":[]}}";
    struct server_model *model = *state;
    char text[sizeof line + 32];
    model->session = 0; /* the first connection */
    const uint32_t before = model->notice_count;
    (void)snprintf(text, sizeof text, line, 3, 40);
    take_line(model, text);
    assert_int_equal(model->session, 3);
    assert_int_equal(model->notice_count, before);
    for (int i = 0; i < 2; i++) { /* a further one to the same server says nothing new */
        (void)snprintf(text, sizeof text, line, 4, 45);
        take_line(model, text);
        assert_string_equal(model->notice,
                            "The world went on from tick 45 after a restart: rank 1 on node2 is lost");
        assert_int_equal(model->notice_count, before + 1);
    }
}

static void the_file_that_is_written_is_known(void **state) {
    struct server_model *model = *state;
    take_line(model, "{\"op\":\"reply\",\"to\":\"stats\",\"tick\":9,\"paused\":false,\"recording\":{\"file\":"
                     "\"a.drover\",\"bytes\":12},\"left_out\":{\"ticks\":60,\"requests\":2}}");
    assert_string_equal(model->recording, "a.drover");
    assert_non_null(strstr(model->notice, "60 ticks and 2 requests"));
    assert_true(model->is_notice_warning);
    server_model_ask_record(model, SERVER_MODEL_KEEPS);
    assert_true(take_line(model, "{\"op\":\"reply\",\"to\":\"record\",\"name\":\"b\",\"from\":40}").stats);
    assert_string_equal(model->notice, "Kept as b.drover, from tick 40 on");
    take_line(model, "{\"op\":\"reply\",\"to\":\"stats\",\"tick\":9,\"paused\":false}");
    assert_string_equal(model->recording, "");
    assert_true(take_line(model,
                          "{\"op\":\"event\",\"event\":\"recording_ended\",\"tick\":9,\"by\":0,\"file\":"
                          "\"a.drover\",\"reason\":\"No space left on device\"}")
                    .stats);
    assert_string_equal(model->notice,
                        "a.drover is not written any more: No space left on device. The world runs on.");
    assert_true(model->is_notice_warning);
    take_line(
        model,
        "{\"op\":\"event\",\"event\":\"recording_started\",\"tick\":9,\"by\":4,\"name\":\"Ann\",\"file\":"
        "\"c.drover\"}");
    assert_string_equal(model->notice, "Ann records to c.drover");
    assert_true(
        take_line(model,
                  "{\"op\":\"event\",\"event\":\"saved\",\"tick\":9,\"by\":4,\"name\":\"Ann\",\"save\":"
                  "\"before\"}")
            .saves);
    assert_string_equal(model->notice, "Ann saves the world as before");
}

static struct message_param *one_param(double value) {
    struct message_param *params = calloc(1, sizeof *params);
    assert_non_null(params);
    (void)snprintf(params->kind, sizeof params->kind, "ship");
    (void)snprintf(params->param, sizeof params->param, "max_speed");
    params->value = value;
    return params;
}

static void a_refused_value_is_taken_back(void **state) {
    struct server_model *model = *state;
    struct message *message = calloc(1, sizeof *message);
    assert_non_null(message);
    message->op = MESSAGE_REPLY;
    (void)snprintf(message->body.reply.to, sizeof message->body.reply.to, "get_params");
    message->body.reply.params = one_param(100.0);
    message->body.reply.param_count = 1;
    server_model_apply(model, message, 1);
    server_model_set_param(model, "ship", "max_speed", 26.7); /* as the slider shows it */
    assert_false(apply_error(model, "7").params);
    assert_true(apply_error(model, SERVER_MODEL_TUNE_ID).params); /* it is asked for again: */
    message->body.reply.params = one_param(120.0);
    message->body.reply.param_count = 1;
    server_model_apply(model, message, 1);
    assert_true(model->params[0].value == 120.0);
    assert_true(model->first_values[0] == 100.0); /* "as it was" is what came first in this world */
    server_model_fini(model);
    free(message);
}

static void take_one_param(struct server_model *model, double value) {
    struct message *message = calloc(1, sizeof *message);
    assert_non_null(message);
    message->op = MESSAGE_REPLY;
    (void)snprintf(message->body.reply.to, sizeof message->body.reply.to, "get_params");
    message->body.reply.params = one_param(value);
    message->body.reply.param_count = 1;
    server_model_apply(model, message, 1);
    free(message);
}

static void take_world(struct server_model *model, const char *name) {
    struct message *message = calloc(1, sizeof *message);
    assert_non_null(message);
    message->op = MESSAGE_SCENARIO;
    message->body.scenario = scenario_of(name, "wrap", true);
    server_model_apply(model, message, 2);
    free(message);
}

static void check_first_value(struct server_model *model, double comes, double first) {
    take_one_param(model, comes);
    assert_int_equal(model->param_count, 1);
    assert_true(model->params[0].value == comes && model->first_values[0] == first);
}

/* The event comes behind the scenario line, which is like that of a load. */
static void what_parameters_were_at_first_holds_across_a_rewind(void **state) {
    struct server_model *model = *state;
    take_one_param(model, 72.0);
    server_model_set_param(model, "ship", "max_speed", 136.0);
    take_world(model, "seek");
    assert_int_equal(model->param_count, 0);
    apply_event(model, "rewound");
    check_first_value(model, 136.0, 72.0); /* to after the change, */
    take_world(model, "seek");
    apply_event(model, "rewound");
    take_world(model, "seek"); /* twice, before the parameters came, */
    apply_event(model, "rewound");
    check_first_value(model, 72.0, 72.0); /* and to before it */
    take_world(model, "seek");
    apply_event(model, "loaded");
    check_first_value(model, 80.0, 80.0);
    take_world(model, "seek"); /* loaded, and rewound before its parameters came */
    apply_event(model, "loaded");
    take_world(model, "seek");
    apply_event(model, "rewound");
    check_first_value(model, 90.0, 90.0);
    take_world(model, "arrive");
    apply_event(model, "rewound");
    check_first_value(model, 95.0, 95.0);
    server_model_fini(model);
}

/* A message_event as its members are given. */
static void apply(struct server_model *model, struct message_event event) {
    struct message *message = calloc(1, sizeof *message);
    assert_non_null(message);
    message->op = MESSAGE_EVENT;
    message->body.event = event;
    server_model_apply(model, message, 1);
    free(message);
}

static void what_others_do_is_told(void **state) {
    struct server_model *model = *state;
    model->session = 3;
    apply(model, (struct message_event){.event = "param",
                                        .by = 4,
                                        .has = EVENT_HAS_NAME | EVENT_HAS_KIND | EVENT_HAS_PARAM,
                                        .name = "Ann",
                                        .kind = "ship",
                                        .param = "max_speed",
                                        .value = 120.25});
    assert_string_equal(model->notice, "Ann set max_speed of ship to 120.25");
    apply(model, (struct message_event){.event = "paused", .by = 4});
    assert_string_equal(model->notice, "session 4 paused the world");
    const double before = model->agent_total;
    apply(model, (struct message_event){.event = "spawned",
                                        .by = 4,
                                        .has = EVENT_HAS_KIND | EVENT_HAS_COUNT,
                                        .kind = "ship",
                                        .count = 5});
    assert_string_equal(model->notice, "session 4 spawned 5 ship");
    assert_true(model->agent_total == before + 5.0);
    apply(model, (struct message_event){.event = "obstacle_moved",
                                        .by = 4,
                                        .has = EVENT_HAS_NAME | EVENT_HAS_OBSTACLE,
                                        .name = "Ann",
                                        .obstacle = {.id = 7}});
    assert_string_equal(model->notice, "Ann moves obstacle 7");
    apply(model, (struct message_event){
                     .event = "target_removed", .by = 4, .has = EVENT_HAS_TARGET, .target = "home"});
    assert_string_equal(model->notice, "session 4 removes the target home");
    const uint32_t count = model->notice_count;
    apply(model, (struct message_event){.event = "resumed", .by = 3}); /* this client itself */
    apply(model, (struct message_event){.event = "lag", .has = EVENT_HAS_SKIPPED, .skipped = 4});
    assert_int_equal(model->notice_count, count);
}

/* Events that have no name of a thing of the world are told in words too, or not at all: never by the op. */
static void every_event_has_words(void **state) {
    static const struct {
        const char *line, *words; /* after "Ann "; NULL: nothing is said */
    } rows[] = {
        {"\"aim\",\"kind\":\"ship\",\"x\":1,\"y\":2", "sets the target of ship"},
        {"\"aim\",\"agent\":7,\"follow\":\"mouse\"", "sets the target of agent 7"},
        {"\"aim\",\"agent\":7,\"clear\":true", "takes the target of agent 7 away"},
        {"\"loaded\",\"scenario\":\"flock\"", "loads flock"},
        {"\"loaded\",\"scenario\":\"flock\",\"save\":\"before\"", "loads the saved world before"},
        {"\"saved\",\"save\":\"a\"", "saves the world as a"},
        {"\"save_removed\",\"save\":\"a\"", "removes the saved world a"},
        {"\"recording_started\",\"file\":\"a.drover\"", "records to a.drover"},
        {"\"recording_ended\",\"file\":\"a.drover\"", "ends the recording a.drover"},
        {"\"stepped\",\"count\":1", "steps the world by 1 tick"},
        {"\"stepped\",\"count\":5", "steps the world by 5 ticks"},
        {"\"paused\"", "paused the world"},
        {"\"resumed\"", "resumed the world"},
        {"\"cursor\",\"cursor\":\"cursor-1\",\"x\":1,\"y\":2", NULL},
        {"\"cursor_gone\",\"cursor\":\"cursor-1\"", NULL},
        {"\"of_later\",\"save\":\"a\"", NULL},
    };
    struct server_model *model = *state;
    model->session = 3;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char line[256], words[64];
        const uint32_t before = model->notice_count;
        (void)snprintf(line, sizeof line,
                       "{\"op\":\"event\",\"tick\":9,\"by\":4,\"name\":\"Ann\",\"event\":%s}", rows[i].line);
        (void)take_line(model, line);
        assert_int_equal(model->notice_count, before + (rows[i].words != NULL ? 1 : 0));
        if (rows[i].words != NULL) {
            (void)snprintf(words, sizeof words, "Ann %s", rows[i].words);
            assert_string_equal(model->notice, words);
        }
    }
}

static void a_new_scenario_replaces_the_old(void **state) {
    struct server_model *model = *state;
    const struct test_agent agent = {.id = 1, .state = "seek"};
    struct snapshot *snapshot = make_snapshot(0, &agent, 1);
    server_model_note_names(model, snapshot);
    snapshot_destroy(snapshot);
    assert_int_equal(model->legend_count, 1);
    struct message *message = calloc(1, sizeof *message);
    assert_non_null(message);
    message->op = MESSAGE_SCENARIO;
    message->body.scenario = scenario_of("arrive", "open", false);
    server_model_apply(model, message, 2);
    free(message);
    assert_string_equal(model->scenario.name, "arrive");
    assert_int_equal(model->epoch, 2);
    assert_int_equal(model->legend_count, 0);
    assert_false(model->has_mouse_target);
    assert_true(model->is_paused); /* a paused server stays paused */
    assert_string_equal(model->notice, "Title of arrive");
}

static void apply_scenario(struct server_model *model, const char *name, uint32_t epoch) {
    struct message *message = calloc(1, sizeof *message);
    assert_non_null(message);
    message->op = MESSAGE_SCENARIO;
    message->body.scenario = scenario_of(name, "open", false);
    message->body.scenario.pace = message_pace_make(1.0);
    server_model_apply(model, message, epoch);
    free(message);
}

static void apply_look(struct server_model *model, uint64_t tick) {
    struct message *message = calloc(1, sizeof *message);
    assert_non_null(message);
    message->op = MESSAGE_REPLY;
    (void)snprintf(message->body.reply.to, sizeof message->body.reply.to, "look");
    (void)snprintf(message->body.reply.branch, sizeof message->body.reply.branch, "b1");
    message->body.reply.tick = tick;
    server_model_apply(model, message, 1);
    free(message);
}

static bool shows(const struct server_model *model, uint32_t epoch, uint64_t tick) {
    const struct snapshot snapshot = {.epoch = epoch, .tick = tick};
    return server_model_shows(model, &snapshot);
}

/* Its snapshots are those of its tick; the world is the same one, and what is known of the present stays. */
static void a_look_shows_another_moment(void **state) {
    struct server_model *model = *state;
    char name[LIMIT_NAME_CHARS + 1];
    (void)snprintf(name, sizeof name, "%s", model->scenario.name);
    model->scenario.pace = message_pace_make(4.0);
    const uint32_t notices = model->notice_count;
    assert_true(shows(model, 1, 500));
    apply_look(model, 30);
    assert_false(shows(model, 1, 500)); /* on its way */
    apply_scenario(model, name, 2);
    assert_true(shows(model, 2, 30));
    assert_false(shows(model, 1, 30) || shows(model, 2, 29));
    assert_true(server_model_speed(model) == 4.0);
    apply_look(model, 40);
    assert_true(shows(model, 2, 40));
    assert_false(shows(model, 2, 30));
    struct message_event event = {.event = "look_ended", .reason = "live", .has = EVENT_HAS_REASON};
    apply(model, event);
    assert_false(shows(model, 2, 40));
    apply_scenario(model, name, 3);
    assert_true(shows(model, 3, 500) && model->look == SERVER_MODEL_LIVE);
    assert_true(server_model_speed(model) == 1.0);  /* as that line says */
    assert_int_equal(model->notice_count, notices); /* it is no other world */
    apply_look(model, 40);
    (void)snprintf(event.reason, sizeof event.reason, "gone");
    apply(model, event);
    assert_non_null(strstr(model->notice, "tick 40"));
    apply_scenario(model, "arrive", 4);
    assert_string_equal(model->notice, "Title of arrive");
}

static void errors_and_goodbyes_are_noticed(void **state) {
    struct server_model *model = *state;
    struct message *message = calloc(1, sizeof *message);
    assert_non_null(message);
    const uint32_t before = model->notice_count;
    message->op = MESSAGE_ERROR;
    (void)failure_set(&message->body.error.failure, FAILURE_NO_TARGET, "name", "no target \"mous\"");
    server_model_apply(model, message, 1);
    assert_int_equal(model->notice_count, before + 1);
    assert_true(model->is_notice_error);
    assert_string_equal(model->notice, "no target \"mous\"");
    free(message);
}

static void the_list_leads_to_a_load(void **state) {
    struct server_model *model = *state;
    struct message *message = calloc(1, sizeof *message);
    struct message_scenario_row *rows = calloc(3, sizeof *rows);
    struct message_scenario_row *again = calloc(3, sizeof *again);
    assert_non_null(again);
    assert_non_null(message);
    assert_non_null(rows);
    (void)snprintf(rows[0].name, sizeof rows[0].name, "arrive");
    (void)snprintf(rows[1].name, sizeof rows[1].name, "boids_target");
    (void)snprintf(rows[2].name, sizeof rows[2].name, "seek");
    message->op = MESSAGE_REPLY;
    (void)snprintf(message->body.reply.to, sizeof message->body.reply.to, "list");
    message->body.reply.scenarios = rows;
    message->body.reply.scenario_count = 3;
    assert_null(server_model_apply(model, message, 1).load); /* no switch was asked for */
    assert_null(message->body.reply.scenarios);              /* the list is the model's now */
    assert_int_equal(model->scenario_count, 3);
    memcpy(again, rows, 3 * sizeof *rows);
    message->body.reply.scenarios = rows = again;
    message->body.reply.scenario_count = 3;
    server_model_ask_switch(model, 1);
    assert_string_equal(server_model_apply(model, message, 1).load, "arrive"); /* around the end */
    assert_int_equal(model->pending_switch, 0);
    assert_string_equal(server_model_neighbor(rows, 3, "arrive", -1), "seek");
    assert_string_equal(server_model_neighbor(rows, 3, "arrive", -4), "seek");
    assert_string_equal(server_model_neighbor(rows, 3, "gone", 1), "arrive");
    assert_null(server_model_neighbor(rows, 0, "seek", 1));
    server_model_fini(model);
    free(message);
}

static void the_legend_keeps_states(void **state) {
    struct server_model *model = *state;
    const struct test_agent first[] = {
        {.id = 1, .state = "seek"}, {.id = 2, .state = "seek"}, {.id = 3, .state = "flee"}};
    const struct test_agent second[] = {{.id = 1, .state = "evade"}};
    struct snapshot *a = make_snapshot(0, first, 3), *b = make_snapshot(1, second, 1);
    /* b was read over a snapshot of another world: its table still has a name of that */
    assert_true(name_table_intern(&b->state_names, "stale", 5) >= 0);
    server_model_note_names(model, a);
    server_model_note_names(model, b);
    assert_int_equal(model->legend_count, 3);
    assert_string_equal(model->legend[0].state, "seek");
    assert_string_equal(model->legend[2].state, "evade");
    snapshot_destroy(a);
    snapshot_destroy(b);
}

static void points_are_kept_inside(void **state) {
    struct server_model *model = *state;
    vec2 point = server_model_clamp_point(model, vec2_make(900, -5));
    assert_true(point.x < 800.0f && point.x > 799.9f && point.y == 0.0f); /* 800 would be the other side */
    (void)snprintf(model->scenario.edge, sizeof model->scenario.edge, "open");
    point = server_model_clamp_point(model, vec2_make(900, -5));
    assert_true(point.x == 900.0f && point.y == -5.0f);
    assert_non_null(server_model_kind(model, "ship"));
    assert_null(server_model_kind(model, "boat"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(hello_and_events_say_whether_it_is_paused, setup, teardown),
        cmocka_unit_test_setup_teardown(a_world_may_come_after_the_token, setup, teardown),
        cmocka_unit_test_setup_teardown(a_pause_is_shown_when_the_server_says_so, setup, teardown),
        cmocka_unit_test_setup_teardown(stats_say_whether_it_is_paused, setup, teardown),
        cmocka_unit_test_setup_teardown(ranks_are_those_of_the_newest_stats, setup, teardown),
        cmocka_unit_test_setup_teardown(a_role_may_what_it_may, setup, teardown),
        cmocka_unit_test_setup_teardown(what_parameters_were_at_first_holds_across_a_rewind, setup, teardown),
        cmocka_unit_test_setup_teardown(a_refused_value_is_taken_back, setup, teardown),
        cmocka_unit_test_setup_teardown(what_others_do_is_told, setup, teardown),
        cmocka_unit_test_setup_teardown(a_new_scenario_replaces_the_old, setup, teardown),
        cmocka_unit_test_setup_teardown(a_look_shows_another_moment, setup, teardown),
        cmocka_unit_test_setup_teardown(a_save_is_said_to_be_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(saves_are_listed, setup, teardown),
        cmocka_unit_test_setup_teardown(a_recording_can_be_watched_only, setup, teardown),
        cmocka_unit_test_setup_teardown(a_seek_that_is_given_up_for_a_further_one_is_no_error, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_saved_world_is_named_when_it_is_loaded, setup, teardown),
        cmocka_unit_test_setup_teardown(a_recording_ends_with_its_server, setup, teardown),
        cmocka_unit_test_setup_teardown(a_restart_is_said_to_those_who_were_there, setup, teardown),
        cmocka_unit_test_setup_teardown(the_file_that_is_written_is_known, setup, teardown),
        cmocka_unit_test_setup_teardown(every_event_has_words, setup, teardown),
        cmocka_unit_test_setup_teardown(a_speed_that_is_asked_for_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(a_twin_that_is_asked_for_counts_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(a_live_world_has_a_speed, setup, teardown),
        cmocka_unit_test_setup_teardown(a_warm_up_ends_with_its_event_or_a_speed, setup, teardown),
        cmocka_unit_test_setup_teardown(errors_and_goodbyes_are_noticed, setup, teardown),
        cmocka_unit_test_setup_teardown(the_list_leads_to_a_load, setup, teardown),
        cmocka_unit_test_setup_teardown(the_legend_keeps_states, setup, teardown),
        cmocka_unit_test_setup_teardown(points_are_kept_inside, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
