/* common/message: the texts of protocol.md, the round trip, hostile servers. */
#include "common/protocol/message.h"

#include <stdio.h>

#include "tests/unit/common/test_support.h"

static struct message_scenario seek_scenario(void) {
    struct message_scenario scenario;
    memset(&scenario, 0, sizeof scenario);
    memcpy(scenario.name, "seek", 5);
    memcpy(scenario.title, "Seek", 5);
    memcpy(scenario.description, "A green arrow seeks the \"mouse\".", 33);
    scenario.size = (vec2){800.0f, 480.0f};
    memcpy(scenario.edge, "open", 5);
    scenario.seed = 1;
    scenario.tick_hz = 60.0;
    scenario.kind_count = 1;
    memcpy(scenario.kinds[0].name, "seeker", 7);
    scenario.kinds[0].radius = 10.0f;
    scenario.kinds[0].max_speed = 240.0f;
    scenario.kinds[0].max_force = 360.5f;
    scenario.kinds[0].count = 1;
    scenario.target_count = 2;
    memcpy(scenario.targets[0], "mouse", 6);
    memcpy(scenario.targets[1], "b", 2);
    return scenario;
}

#define HELLO_TEXT "\"op\":\"hello\",\"protocol\":1,\"server\":\"s\",\"session\":3,\"tick\":60,\"time\":1"
#define SCENARIO_TEXT                                                                                        \
    "\"name\":\"seek\",\"title\":\"Seek\",\"description\":\"A green arrow seeks the \\\"mouse\\\".\","       \
    "\"size\":[800,480],\"edge\":\"open\",\"seed\":1,\"tick_hz\":60,\"kinds\":[{\"name\":\"seeker\","        \
    "\"radius\":10,"                                                                                         \
    "\"max_speed\":240,\"max_force\":360.5,\"count\":1}],\"targets\":[\"mouse\",\"b\"]}"

static void decode(const char *line, size_t length, struct message *message) {
    struct failure failure;
    char *copy = test_exact_copy(line, length);
    if (message_decode(copy, length, message, &failure) != 0) {
        fail_msg("%.*s: %s: %s", (int)length, line, failure.field, failure.message);
    }
    free(copy);
}

static void hello_round_trips(void **state) {
    struct message_hello hello;
    memset(&hello, 0, sizeof hello);
    hello.protocol = PROTOCOL_VERSION;
    memcpy(hello.server, "drover-server 0.1.0", 20);
    hello.session = 3;
    hello.has_world = true;
    hello.tick = 60;
    hello.time_s = 1.0;
    hello.is_paused = true;
    memcpy(hello.role, "admin", 6);
    hello.scenario = seek_scenario();
    struct buffer out;
    buffer_init(&out, 1 << 16);
    message_write_hello(&hello, &out);
    assert_string_equal(
        out.data,
        "{\"op\":\"hello\",\"protocol\":1,\"server\":\"drover-server 0.1.0\",\"session\":3,"
        "\"tick\":60,\"time\":1,\"paused\":true,\"role\":\"admin\",\"scenario\":{" SCENARIO_TEXT "}\n");
    struct message message;
    decode(out.data, out.length, &message);
    assert_int_equal(message.op, MESSAGE_HELLO);
    assert_memory_equal(&message.body.hello.scenario, &hello.scenario, sizeof hello.scenario);
    assert_string_equal(message.body.hello.server, hello.server);
    assert_int_equal(message.body.hello.session, 3);
    assert_int_equal(message.body.hello.tick, 60);
    assert_true(message.body.hello.time_s == 1.0 && message.body.hello.is_paused);
    message_fini(&message);
    buffer_fini(&out);
}

/* A session without a role learns nothing about the world. */
static void hello_without_a_world_round_trips(void **state) {
    struct message_hello hello = {.protocol = PROTOCOL_VERSION,
                                  .server = "drover-server 0.1.0",
                                  .session = 3,
                                  .role = "none",
                                  .tick = 60,
                                  .scenario = seek_scenario()};
    struct buffer out;
    buffer_init(&out, 1 << 16);
    message_write_hello(&hello, &out);
    assert_string_equal(out.data, "{\"op\":\"hello\",\"protocol\":1,\"server\":\"drover-server 0.1.0\","
                                  "\"session\":3,\"role\":\"none\"}\n");
    struct message message;
    decode(out.data, out.length, &message);
    assert_int_equal(message.body.hello.session, 3);
    assert_string_equal(message.body.hello.role, "none");
    assert_false(message.body.hello.has_world);
    message_fini(&message);
    buffer_fini(&out);
    static const char reply[] = "{\"op\":\"reply\",\"to\":\"hello\",\"protocol\":1,\"role\":\"viewer\","
                                "\"name\":\"\",\"tick\":60,\"time\":1,\"paused\":true}";
    decode(reply, sizeof reply - 1, &message);
    assert_true(message.body.reply.has_paused && message.body.reply.is_paused);
    assert_int_equal(message.body.reply.tick, 60);
    message_fini(&message);
}

static void scenario_round_trips(void **state) {
    const struct message_scenario scenario = seek_scenario();
    struct buffer out;
    buffer_init(&out, 1 << 16);
    message_write_scenario(&scenario, &out);
    assert_string_equal(out.data, "{\"op\":\"scenario\"," SCENARIO_TEXT "\n");
    struct message message;
    decode(out.data, out.length - 1, &message);
    assert_int_equal(message.op, MESSAGE_SCENARIO);
    assert_memory_equal(&message.body.scenario, &scenario, sizeof scenario);
    message_fini(&message);
    buffer_fini(&out);
}

#define VIEW_TEXT  "\"view\":{\"trails\":false,\"color\":\"speed\",\"select\":7,\"zoom\":1.5,\"overlays\":[]}"
#define ABOUT_TEXT "\"about\":{\"group\":\"crowds\",\"caption\":\"Words.\",\"try\":\"\\\"Do\\\" it.\"}"

static void view_and_about_round_trip(void **state) {
    struct message_scenario scenario = seek_scenario();
    scenario.view =
        (struct message_view){.has = MESSAGE_VIEW_TRAILS | MESSAGE_VIEW_COLOR | MESSAGE_VIEW_SELECT |
                                     MESSAGE_VIEW_ZOOM | MESSAGE_VIEW_OVERLAYS,
                              .color = "speed",
                              .select = 7,
                              .zoom = 1.5f};
    scenario.about = (struct message_about){.group = "crowds", .caption = "Words.", .to_try = "\"Do\" it."};
    struct buffer out;
    buffer_init(&out, 1 << 16);
    message_write_scenario(&scenario, &out);
    assert_non_null(strstr(out.data, "\"b\"]," VIEW_TEXT "," ABOUT_TEXT "}\n"));
    struct message message;
    decode(out.data, out.length - 1, &message);
    assert_memory_equal(&message.body.scenario, &scenario, sizeof scenario);
    message_fini(&message);
    buffer_fini(&out);
    static const char later[] = "{\"op\":\"scenario\",\"name\":\"a\",\"title\":\"\",\"description\":\"\","
                                "\"size\":[1,1],\"edge\":\"open\","
                                "\"seed\":1,\"tick_hz\":60,\"kinds\":[],\"targets\":[],\"view\":{\"tilt\":3,"
                                "\"overlays\":[\"a\",\"b\"],\"panel\":"
                                "true},\"about\":{\"group\":\"a_later_one\",\"mood\":[]}}";
    decode(later, sizeof later - 1, &message); /* what this version does not know is ignored */
    const struct message_view *view = &message.body.scenario.view;
    assert_true(view->has == (MESSAGE_VIEW_PANEL | MESSAGE_VIEW_OVERLAYS) && view->panel);
    assert_int_equal(view->overlay_count, 2);
    assert_string_equal(view->overlays[1], "b");
    assert_string_equal(message.body.scenario.about.group, "a_later_one");
    message_fini(&message);
}

/* Beside the scenario, in its line as in hello; a speed of 1 and a warm-up that is over are left out. */
static void pace_round_trips(void **state) {
    struct message_hello hello = {.protocol = PROTOCOL_VERSION, .has_world = true, .role = "admin"};
    hello.scenario = seek_scenario();
    hello.scenario.pace = message_pace_make(0.25);
    hello.scenario.pace.is_warming = true;
    hello.scenario.pace.warmed = 0.5;
    struct buffer out;
    buffer_init(&out, 1 << 16);
    message_write_hello(&hello, &out);
    assert_non_null(strstr(out.data, "\"role\":\"admin\",\"speed\":0.25,\"warming\":0.5,\"scenario\":{"));
    struct message message;
    decode(out.data, out.length, &message);
    assert_memory_equal(&message.body.hello.scenario, &hello.scenario, sizeof hello.scenario);
    message_fini(&message);
    buffer_clear(&out);
    hello.scenario.pace = message_pace_make(0.0);
    message_write_scenario(&hello.scenario, &out);
    assert_string_equal(out.data, "{\"op\":\"scenario\",\"speed\":0," SCENARIO_TEXT "\n");
    decode(out.data, out.length, &message);
    assert_true(message.body.scenario.pace.has_speed &&
                message_pace_speed(&message.body.scenario.pace) == 0.0);
    message_fini(&message);
    buffer_fini(&out);
    const struct message_pace own = message_pace_make(1.0);
    assert_true(!own.has_speed && message_pace_speed(&own) == 1.0);
    static const char stats[] = "{\"op\":\"reply\",\"to\":\"stats\",\"paused\":false,\"speed\":1}";
    decode(stats, sizeof stats - 1, &message);
    assert_false(message.body.reply.pace.has_speed || message.body.reply.pace.is_warming);
    message_fini(&message);
    assert_null(message.body.reply.comparison);
    static const char twin[] = "{\"op\":\"reply\",\"to\":\"stats\",\"paused\":false,\"compare\":{\"from\":3,"
                               "\"polarisation\":[0.5,0.25],"
                               "\"states\":[{\"kind\":\"a\",\"state\":\"flee\",\"agents\":[7,0]}]}}";
    decode(twin, sizeof twin - 1, &message);
    const struct message_comparison *comparison = message.body.reply.comparison;
    assert_true(comparison->polarisation[0] == 0.5 && comparison->polarisation[1] == 0.25);
    assert_true(comparison->state_count == 1 && comparison->states[0].agents[0] == 7 &&
                comparison->states[0].agents[1] == 0);
    assert_string_equal(comparison->states[0].state, "flee");
    message_fini(&message);
    struct failure failure;
    static const char odd[] = "{\"op\":\"reply\",\"to\":\"stats\",\"paused\":false,\"compare\":{"
                              "\"polarisation\":[0.5],\"states\":[]}}";
    assert_int_equal(message_decode(odd, sizeof odd - 1, &message, &failure), -1);
    assert_null(message.body.reply.comparison);
    message_fini(&message);
    static const char wrong[] = "{\"op\":\"reply\",\"to\":\"stats\",\"paused\":false,\"speed\":-1}";
    assert_int_equal(message_decode(wrong, sizeof wrong - 1, &message, &failure), -1);
    message_fini(&message);
}

#define GEOMETRY_TEXT                                                                                        \
    "\"obstacles\":[{\"circle\":[1,2,3.5]},{\"box\":[4,5,6,7]},{\"polygon\":[[0,0],[9,0],[0,9]]}],"          \
    "\"walls\":[[1,2,3,4]],\"paths\":[{\"name\":\"a\",\"points\":[[1,2],[3,4]],\"radius\":20,\"loop\":true}" \
    "],"                                                                                                     \
    "\"flow_fields\":[{\"name\":\"w\",\"cells\":[2,1],\"vectors\":[[1,-2],[0,3]]}],\"gates\":[{\"name\":"    \
    "\"d\",\"line\":[1,2,3,4]}],"                                                                            \
    "\"regions\":[{\"kind\":\"m\",\"state\":\"s\",\"circle\":[5,6,7.5]},"                                    \
    "{\"kind\":\"m\",\"state\":\"t\",\"rect\":[1,2,3,4]}],"                                                  \
    "\"areas\":[{\"name\":\"h\",\"speed\":1,\"rect\":[1,2,3,4]},{\"name\":\"d\",\"speed\":0.5,\"circle\":["  \
    "5,6,7]}]"

static void geometry_round_trips(void **state) {
    struct message_scenario scenario = seek_scenario();
    struct message_geometry *geometry = &scenario.geometry;
    geometry->obstacle_count = 3;
    geometry->obstacles[0] = (struct obstacle_def){.shape = OBSTACLE_CIRCLE, .at = {1, 2}, .radius = 3.5f};
    geometry->obstacles[1] = (struct obstacle_def){.shape = OBSTACLE_BOX, .at = {4, 5}, .size = {6, 7}};
    geometry->obstacles[2] = (struct obstacle_def){
        .shape = OBSTACLE_POLYGON, .point_count = 3, .points = {{0, 0}, {9, 0}, {0, 9}}};
    geometry->wall_count = 1;
    geometry->walls[0] = (struct wall_def){{1, 2}, {3, 4}};
    geometry->path_count = 1;
    geometry->paths[0] = (struct path_def){
        .name = "a", .is_loop = true, .radius = 20, .point_count = 2, .points = {{1, 2}, {3, 4}}};
    geometry->flow_count = 1;
    geometry->flows[0] = (struct message_flow){
        .name = "w", .columns = 2, .rows = 1, .vector_count = 2, .vectors = {{1, -2}, {0, 3}}};
    geometry->region_count = 2;
    geometry->regions[0] =
        (struct message_region){.kind = "m", .state = "s", .is_circle = true, .at = {5, 6}, .radius = 7.5f};
    geometry->regions[1] = (struct message_region){.kind = "m", .state = "t", .at = {1, 2}, .size = {3, 4}};
    geometry->gate_count = 1;
    geometry->gates[0] = (struct gate_def){.name = "d", .from = {1, 2}, .to = {3, 4}};
    geometry->area_count = 2;
    geometry->areas[0] = (struct area_def){
        .name = "h", .shape = {.shape = OBSTACLE_BOX, .at = {1, 2}, .size = {3, 4}}, .speed = 1};
    geometry->areas[1] = (struct area_def){
        .name = "d", .shape = {.shape = OBSTACLE_CIRCLE, .at = {5, 6}, .radius = 7}, .speed = 0.5f};
    struct buffer out;
    buffer_init(&out, 1 << 16);
    message_write_scenario(&scenario, &out);
    assert_non_null(strstr(out.data, "\"targets\":[\"mouse\",\"b\"]," GEOMETRY_TEXT "}\n"));
    struct message message;
    decode(out.data, out.length - 1, &message);
    const struct message_geometry *read = &message.body.scenario.geometry;
    assert_memory_equal(read->walls, geometry->walls, sizeof read->walls);
    assert_memory_equal(read->flows, geometry->flows, sizeof read->flows);
    assert_memory_equal(read->regions, geometry->regions, sizeof read->regions);
    assert_memory_equal(read->areas, geometry->areas, sizeof read->areas);
    assert_memory_equal(read->gates, geometry->gates, sizeof read->gates);
    assert_int_equal(read->region_count, 2);
    assert_true(read->obstacle_count == 3 && read->path_count == 1 && read->flow_count == 1);
    assert_true(read->obstacles[0].radius == 3.5f && read->obstacles[1].size.y == 7.0f);
    assert_true(read->obstacles[2].point_count == 3 && read->obstacles[2].points[1].x == 9.0f);
    assert_true(read->paths[0].is_loop && read->paths[0].point_count == 2 && read->paths[0].points[1].y == 4);
    assert_string_equal(read->paths[0].name, "a");
    message_fini(&message);
    buffer_fini(&out);
}

/* A field that was made anew takes the place of the one of its name; what lacks vectors, or has another name, changes nothing. */
static void flow_fields_follow_events(void **state) {
    struct message_scenario scenario = seek_scenario();
    struct message_event event = {.event = "flow_field", .has = EVENT_HAS_FLOW};
    scenario.geometry.flow_count = 1;
    scenario.geometry.flows[0] = (struct message_flow){
        .name = "w", .columns = 2, .rows = 1, .vector_count = 2, .vectors = {{1, -2}, {0, 3}}};
    event.flow =
        (struct message_flow){.name = "w", .columns = 1, .rows = 2, .vector_count = 1, .vectors = {{7, 8}}};
    message_scenario_follow(&scenario, &event);
    assert_true(scenario.geometry.flows[0].columns == 2 && scenario.geometry.flows[0].vectors[0].x == 1.0f);
    event.flow.vector_count = 2;
    message_scenario_follow(&scenario, &event);
    assert_true(scenario.geometry.flows[0].columns == 1 && scenario.geometry.flows[0].vectors[0].x == 7.0f);
    event.flow.name[0] = 'v';
    message_scenario_follow(&scenario, &event);
    assert_true(scenario.geometry.flow_count == 1 && scenario.geometry.flows[0].name[0] == 'w');
}

/* Each event writes just its own members, and reading gives them back. */
static void events_have_their_own_members(void **state) {
    static const struct {
        struct message_event event;
        const char *text;
    } cases[] = {
        {{.event = "spawned",
          .tick = 1,
          .by = 2,
          .has = EVENT_HAS_NAME | EVENT_HAS_KIND | EVENT_HAS_COUNT | EVENT_HAS_IDS,
          .name = "Ann",
          .kind = "prey",
          .count = 3,
          .first_id = 7,
          .last_id = 9},
         "\"name\":\"Ann\",\"kind\":\"prey\",\"count\":3,\"first_id\":7,\"last_id\":9}\n"},
        {{.event = "removed",
          .tick = 1,
          .by = 2,
          .has = EVENT_HAS_AGENT | EVENT_HAS_COUNT,
          .agent = 5,
          .count = 1},
         "\"agent\":5,\"count\":1}\n"},
        {{.event = "flow_field",
          .tick = 1,
          .by = 2,
          .has = EVENT_HAS_FLOW,
          .flow = {.name = "out", .columns = 2, .rows = 1, .vector_count = 2, .vectors = {{40, 0}, {-3, 2}}}},
         "\"flow_field\":{\"name\":\"out\",\"cells\":[2,1],\"vectors\":[[40,0],[-3,2]]}}\n"},
        {{.event = "param",
          .tick = 1,
          .by = 2,
          .has = EVENT_HAS_KIND | EVENT_HAS_PARAM,
          .kind = "prey",
          .param = "seek.weight",
          .value = 0.1},
         "\"kind\":\"prey\",\"param\":\"seek.weight\",\"value\":0.1}\n"},
        {{.event = "target",
          .tick = 1,
          .by = 2,
          .has = EVENT_HAS_TARGET,
          .target = "mouse",
          .x = -1,
          .y = 123456},
         "\"target\":\"mouse\",\"x\":-0.01,\"y\":1234.56}\n"},
        {{.event = "overload",
          .tick = 1,
          .has = EVENT_HAS_KIND | EVENT_HAS_CANDIDATES,
          .kind = "prey",
          .x = 10000,
          .y = -50,
          .candidates = 40000},
         "\"kind\":\"prey\",\"candidates\":40000,\"x\":100.00,\"y\":-0.50}\n"},
        {{.event = "spawned",
          .tick = 1,
          .by = 2,
          .has = EVENT_HAS_KIND | EVENT_HAS_COUNT | EVENT_HAS_IDS | EVENT_HAS_PLACE | EVENT_HAS_RADIUS |
                 EVENT_HAS_VELOCITY | EVENT_HAS_SEQ,
          .kind = "prey",
          .count = 1,
          .first_id = 7,
          .last_id = 7,
          .x = 150,
          .y = -250,
          .radius = 2.5f,
          .vx = 3,
          .vy = -0.5f,
          .seq = 9007199254740991},
         "\"kind\":\"prey\",\"count\":1,\"first_id\":7,\"last_id\":7,\"radius\":2.5,\"vx\":3,\"vy\":-0.5,"
         "\"seq\":9007199254740991,\"x\":1.50,\"y\":-2.50}\n"},
        {{.event = "aim",
          .tick = 1,
          .by = 2,
          .has = EVENT_HAS_AGENT | EVENT_HAS_PLACE,
          .agent = 5,
          .x = 100,
          .y = 200},
         "\"agent\":5,\"x\":1.00,\"y\":2.00}\n"},
        {{.event = "aim",
          .tick = 1,
          .by = 2,
          .has = EVENT_HAS_KIND | EVENT_HAS_FOLLOW,
          .kind = "prey",
          .follow = "mouse"},
         "\"kind\":\"prey\",\"follow\":\"mouse\"}\n"},
        {{.event = "cursor_gone", .tick = 1, .by = 2, .has = EVENT_HAS_CURSOR, .cursor = "cursor-1"},
         "\"cursor\":\"cursor-1\"}\n"},
        {{.event = "loaded",
          .tick = 1,
          .by = 2,
          .has = EVENT_HAS_SCENARIO | EVENT_HAS_SAVE,
          .scenario = "seek",
          .save = "a"},
         "\"scenario\":\"seek\",\"save\":\"a\"}\n"},
        {{.event = "diverged",
          .tick = 1,
          .has = EVENT_HAS_COUNT | EVENT_HAS_AGENTS,
          .count = 300,
          .agent_count = 3,
          .agents = {1, 17, UINT32_MAX}},
         "\"count\":300,\"agents\":[1,17,4294967295]}\n"},
        {{.event = "diverged", .tick = 1, .has = EVENT_HAS_REASON, .reason = "no target"},
         "\"reason\":\"no target\"}\n"},
        {{.event = "lag", .tick = 1, .has = EVENT_HAS_SKIPPED, .skipped = 14}, "\"skipped\":14}\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct buffer out;
        struct message message;
        buffer_init(&out, 1 << 16);
        message_write_event(&cases[i].event, &out);
        const char *members = strstr(out.data, "\"by\":");
        assert_non_null(members);
        assert_string_equal(strchr(members, ',') + 1, cases[i].text);
        decode(out.data, out.length, &message);
        assert_memory_equal(&message.body.event, &cases[i].event, sizeof message.body.event);
        message_fini(&message);
        buffer_fini(&out);
    }
}

static void each_member_has_its_own_bit(void **state) {
    static const unsigned bits[] = {
        EVENT_HAS_NAME,     EVENT_HAS_KIND,     EVENT_HAS_AGENT,      EVENT_HAS_COUNT,    EVENT_HAS_IDS,
        EVENT_HAS_PARAM,    EVENT_HAS_TARGET,   EVENT_HAS_SKIPPED,    EVENT_HAS_OBSTACLE, EVENT_HAS_SHAPE,
        EVENT_HAS_QUARRY,   EVENT_HAS_LEFT_OUT, EVENT_HAS_CANDIDATES, EVENT_HAS_PLACE,    EVENT_HAS_RADIUS,
        EVENT_HAS_VELOCITY, EVENT_HAS_HEADING,  EVENT_HAS_FOLLOW,     EVENT_HAS_CLEAR,    EVENT_HAS_CURSOR,
        EVENT_HAS_SCENARIO, EVENT_HAS_SAVE,     EVENT_HAS_SEQ,        EVENT_HAS_FILE,     EVENT_HAS_REASON,
        EVENT_HAS_LOSS,     EVENT_HAS_AGENTS,
    };
    unsigned all = 0;
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        assert_int_equal(all & bits[i], 0);
        all |= bits[i];
    }
}

static char *with_seq(const char *line, uint64_t seq) {
    size_t length = strlen(line);
    char *copy = malloc(length + 1);
    assert_non_null(copy);
    memcpy(copy, line, length + 1);
    copy = message_add_seq(copy, &length, seq);
    assert_int_equal(strlen(copy), length);
    return copy;
}

static void replies_and_events_get_a_number(void **state) {
    static const char *const cases[][2] = {
        {"{\"op\":\"reply\",\"to\":\"ping\"}\n",
         "{\"op\":\"reply\",\"to\":\"ping\",\"seq\":18446744073709551615}\n"},
        {"{\"op\":\"event\",\"by\":1}\n", "{\"op\":\"event\",\"by\":1,\"seq\":18446744073709551615}\n"},
        {"{\"op\":\"error\",\"code\":\"io\"}\n", "{\"op\":\"error\",\"code\":\"io\"}\n"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *line = with_seq(cases[i][0], UINT64_MAX);
        assert_string_equal(line, cases[i][1]);
        free(line);
    }
    size_t length = 0;
    assert_null(message_add_seq(NULL, &length, 1));
}

static void event_error_and_bye_round_trip(void **state) {
    struct buffer out;
    struct message message;
    buffer_init(&out, 1 << 16);
    const struct message_event event = {.event = "paused", .tick = 60, .by = 1};
    message_write_event(&event, &out);
    assert_string_equal(out.data, "{\"op\":\"event\",\"event\":\"paused\",\"tick\":60,\"by\":1}\n");
    decode(out.data, out.length, &message);
    assert_int_equal(message.op, MESSAGE_EVENT);
    assert_string_equal(message.body.event.event, "paused");
    assert_int_equal(message.body.event.tick, 60);
    assert_int_equal(message.body.event.by, 1);

    struct failure failure;
    (void)failure_set(&failure, FAILURE_NO_TARGET, "name", "no target \"mous\"");
    buffer_clear(&out);
    message_write_error("\"a\"", 2, &failure, &out);
    assert_string_equal(out.data,
                        "{\"op\":\"error\",\"id\":\"a\",\"line\":2,\"code\":\"no_target\",\"field\":\"name\","
                        "\"message\":\"no target \\\"mous\\\"\"}\n");
    decode(out.data, out.length, &message);
    assert_int_equal(message.op, MESSAGE_ERROR);
    assert_string_equal(message.body.error.id, "\"a\"");
    assert_int_equal(message.body.error.line, 2);
    assert_int_equal(message.body.error.failure.code, FAILURE_NO_TARGET);
    assert_string_equal(message.body.error.failure.field, "name");
    assert_string_equal(message.body.error.failure.message, "no target \"mous\"");
    (void)failure_set(&failure, FAILURE_TOO_LONG, NULL, "m");
    buffer_clear(&out);
    message_write_error("", 0, &failure, &out);
    assert_string_equal(out.data, "{\"op\":\"error\",\"code\":\"too_long\",\"message\":\"m\"}\n");

    buffer_clear(&out);
    message_write_bye("shutdown", "the server stops", 0, &out);
    assert_string_equal(out.data,
                        "{\"op\":\"bye\",\"reason\":\"shutdown\",\"message\":\"the server stops\"}\n");
    decode(out.data, out.length, &message);
    assert_int_equal(message.op, MESSAGE_BYE);
    assert_string_equal(message.body.bye.reason, "shutdown");
    buffer_fini(&out);
}

#define TEXT(literal) literal, sizeof(literal) - 1

static void reply_is_built_and_read(void **state) {
    struct buffer out;
    struct message message;
    buffer_init(&out, 1 << 16);
    struct json_writer json = message_begin_reply(REQUEST_PING, "7", &out);
    json_key_number(&json, "t0", 555.25);
    json_key_number(&json, "clock", 88200.1);
    json_key_unsigned(&json, "tick", 1265);
    message_end_reply(&json, &out);
    assert_true(message_is_reply(out.data, out.length));
    assert_false(message_is_reply(out.data, 10));
    assert_false(message_is_reply(NULL, 0));
    assert_false(message_is_reply(TEXT("{\"op\":\"error\",\"code\":\"busy\",\"message\":\"\"}\n")));
    assert_string_equal(
        out.data,
        "{\"op\":\"reply\",\"to\":\"ping\",\"id\":7,\"t0\":555.25,\"clock\":88200.1,\"tick\":1265}\n");
    decode(out.data, out.length, &message);
    assert_int_equal(message.op, MESSAGE_REPLY);
    assert_string_equal(message.body.reply.to, "ping");
    assert_string_equal(message.body.reply.id, "7");
    assert_true(message.body.reply.t0 == 555.25 && message.body.reply.clock_ms == 88200.1);
    assert_true(message.body.reply.has_tick && message.body.reply.tick == 1265);
    message_fini(&message);
    buffer_fini(&out);
}

static void lists_are_read(void **state) {
    struct message message;
    decode(TEXT("{\"op\":\"reply\",\"to\":\"list\",\"tick\":0,\"scenarios\":[{\"name\":\"seek\",\"title\":"
                "\"Seek\","
                "\"description\":\"D\"},{\"name\":\"b\"}]}"),
           &message);
    assert_int_equal(message.body.reply.scenario_count, 2);
    assert_string_equal(message.body.reply.scenarios[0].title, "Seek");
    assert_string_equal(message.body.reply.scenarios[1].name, "b");
    message_fini(&message);
    message_fini(&message);
    decode(TEXT("{\"op\":\"reply\",\"to\":\"get_params\",\"tick\":0,\"params\":[{\"kind\":\"a\",\"param\":"
                "\"mass\","
                "\"value\":1,\"min\":0.01,\"max\":1000000,\"unit\":\"mass\",\"help\":\"H.\"}]}"),
           &message);
    assert_int_equal(message.body.reply.param_count, 1);
    assert_true(message.body.reply.params[0].min == 0.01);
    assert_string_equal(message.body.reply.params[0].unit, "mass");
    message_fini(&message);
    decode(TEXT("{\"op\":\"reply\",\"to\":\"subscribe\",\"hz\":20,\"every\":3}"), &message);
    assert_true(message.body.reply.hz == 20.0 && !message.body.reply.has_tick);
    message_fini(&message);
}

#define INSPECTED(rest_)                                                                                     \
    TEXT("{\"op\":\"reply\",\"to\":\"inspect\",\"tick\":3,\"agents\":[{\"id\":9,\"x\":1,\"y\":2" rest_ "}]"  \
         "}")

static void an_inspected_agent_is_read(void **state) {
    struct message message;
    decode(INSPECTED(
               ",\"forces\":{\"wander\":[3,-4.5]},\"neighbors\":[7,4294967295],\"points\":[{\"behavior\":"
               "\"wander\",\"what\":\"circle\",\"x\":10.25,\"y\":-3,\"radius\":20},{\"behavior\":\"seek2\","
               "\"what\":\"target\",\"x\":5,\"y\":6}]"),
           &message);
    assert_int_equal(message.body.reply.agent_count, 1);
    const struct message_agent *agent = &message.body.reply.agents[0];
    assert_int_equal(agent->share_count, 1);
    assert_true(agent->shares[0].force.y == -4.5f);
    assert_int_equal(agent->neighbor_count, 2);
    assert_int_equal(agent->neighbors[0], 7);
    assert_int_equal(agent->neighbors[1], 4294967295u);
    assert_int_equal(agent->point_count, 2);
    assert_string_equal(agent->points[0].behavior, "wander");
    assert_string_equal(agent->points[0].what, "circle");
    assert_true(agent->points[0].x == 10.25f && agent->points[0].y == -3.0f &&
                agent->points[0].radius == 20.0f);
    assert_string_equal(agent->points[1].behavior, "seek2");
    assert_true(agent->points[1].x == 5.0f && agent->points[1].radius == 0.0f);
    message_fini(&message);
    decode(INSPECTED(""), &message); /* of a server that does not send them */
    assert_int_equal(message.body.reply.agents[0].neighbor_count, 0);
    assert_int_equal(message.body.reply.agents[0].point_count, 0);
    message_fini(&message);
}

#define TERM(rest_)                                                                                          \
    ",\"terms\":[{\"behavior\":\"seek2\",\"type\":\"seek\",\"weight\":2,\"wants\":[3,4],\"gets\":[1.5,"      \
    "2]" rest_ "}]"

static const struct message_agent_value *find_value(const struct message_agent_term *term, const char *name) {
    for (int i = 0; i < term->value_count; i++) {
        if (strcmp(term->values[i].name, name) == 0) {
            return &term->values[i];
        }
    }
    return NULL;
}

static void terms_are_read(void **state) {
    struct message message;
    decode(INSPECTED(",\"vx\":5,\"vy\":-6,\"heading\":90,\"locomotion\":\"steered\"" TERM(
               ",\"tier\":3,\"desired\":[7,8],\"parts\":{\"separation\":[1,2],\"alignment\":[3,4],"
               "\"cohesion\":[5,6]},\"values\":{\"rate\":60,\"offset\":[9,-10]}")),
           &message);
    const struct message_agent *agent = &message.body.reply.agents[0];
    assert_true(agent->velocity.x == 5.0f && agent->velocity.y == -6.0f && agent->heading == 90.0f);
    assert_string_equal(agent->locomotion, "steered");
    assert_int_equal(agent->term_count, 1);
    const struct message_agent_term *term = &agent->terms[0];
    assert_string_equal(term->behavior, "seek2");
    assert_string_equal(term->type, "seek");
    assert_int_equal(term->tier, 3);
    assert_true(term->has_desired && term->desired.y == 8.0f && term->weight == 2.0f);
    assert_true(term->wants.y == 4.0f && term->gets.x == 1.5f);
    assert_int_equal(term->part_count, 3);
    assert_string_equal(term->parts[1].behavior, "alignment");
    assert_true(term->parts[1].force.x == 3.0f);
    assert_int_equal(term->value_count, 2);
    const struct message_agent_value *rate = find_value(term, "rate");
    assert_true(rate != NULL && !rate->is_vector && rate->vector.x == 60.0f);
    const struct message_agent_value *offset = find_value(term, "offset");
    assert_true(offset != NULL && offset->is_vector && offset->vector.y == -10.0f);
    assert_null(find_value(term, "distance"));
    message_fini(&message);
    decode(INSPECTED(TERM("")), &message);
    term = &message.body.reply.agents[0].terms[0];
    assert_int_equal(term->tier, MESSAGE_AGENT_NO_TIER);
    assert_true(!term->has_desired && term->value_count == 0 && term->part_count == 0);
    message_fini(&message);
}

static void wrong_terms_are_refused(void **state) {
    static const char *const rest[] = {
        ",\"terms\":7",
        ",\"terms\":[7]",
        ",\"terms\":[{\"behavior\":\"a\"}]",
        TERM(",\"tier\":-1"),
        TERM(",\"tier\":\"low\""),
        TERM(",\"desired\":[1]"),
        TERM(",\"parts\":{\"separation\":[1]}"),
        TERM(",\"parts\":{\"separation\":[1,1e99]}"),
        TERM(",\"values\":{\"rate\":\"fast\"}"),
        TERM(",\"values\":{\"rate\":1e99}"),
        TERM(",\"values\":{\"a_name_of_more_than_thirty_one_characters\":1}"),
    };
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
        struct message message;
        struct failure failure;
        char line[1024];
        const int length = snprintf(
            line, sizeof line,
            "{\"op\":\"reply\",\"to\":\"inspect\",\"agents\":[{\"id\":9,\"x\":1,\"y\":2%s}]}", rest[i]);
        assert_int_equal(message_decode(line, (size_t)length, &message, &failure), -1);
        assert_non_null(strstr(failure.field, "agents.terms"));
        message_fini(&message);
    }
}

/* Items without room are left out, not written past the end. */
static void too_many_terms_are_left_out(void **state) {
    struct buffer line;
    buffer_init(&line, 1 << 20);
    buffer_append(
        &line,
        TEXT("{\"op\":\"reply\",\"to\":\"inspect\",\"agents\":[{\"id\":9,\"x\":1,\"y\":2,\"terms\":["));
    for (int i = 0; i < MESSAGE_AGENT_TERMS + 3; i++) {
        buffer_append(
            &line,
            TEXT("{\"behavior\":\"a\",\"type\":\"a\",\"weight\":1,\"wants\":[1,2],\"gets\":[1,2],\"parts\":{"
                 "\"a\":[1,2],\"b\":[1,2],\"c\":[1,2],\"d\":[1,2]},\"values\":{"));
        for (int k = 0; k < MESSAGE_AGENT_VALUES + 4; k++) {
            char value[32];
            (void)snprintf(value, sizeof value, "%s\"v%d\":1", k == 0 ? "" : ",", k);
            buffer_append(&line, value, strlen(value));
        }
        buffer_append(&line, TEXT("}},"));
    }
    line.length--;
    buffer_append(&line, TEXT("]}]}"));
    struct message message;
    decode(line.data, line.length, &message);
    const struct message_agent *agent = &message.body.reply.agents[0];
    assert_int_equal(agent->term_count, MESSAGE_AGENT_TERMS);
    assert_int_equal(agent->terms[16].part_count, MESSAGE_AGENT_PARTS);
    assert_int_equal(agent->terms[16].value_count, MESSAGE_AGENT_VALUES);
    message_fini(&message);
    buffer_fini(&line);
}

/* Items without room are left out, not written past the end. */
static void too_many_points_are_left_out(void **state) {
    struct buffer line;
    buffer_init(&line, 65536);
    buffer_append(
        &line,
        TEXT("{\"op\":\"reply\",\"to\":\"inspect\",\"agents\":[{\"id\":9,\"x\":1,\"y\":2,\"points\":["));
    for (int i = 0; i < MESSAGE_AGENT_POINTS + 5; i++) {
        buffer_append(&line, TEXT("{\"behavior\":\"a\",\"what\":\"b\",\"x\":1,\"y\":1},"));
    }
    line.length--;
    buffer_append(&line, TEXT("],\"neighbors\":["));
    for (int i = 0; i < LIMIT_INSPECT_NEIGHBORS + 5; i++) {
        buffer_append(&line, TEXT("8,"));
    }
    line.length--;
    buffer_append(&line, TEXT("]}]}"));
    struct message message;
    decode(line.data, line.length, &message);
    assert_int_equal(message.body.reply.agents[0].point_count, MESSAGE_AGENT_POINTS);
    assert_int_equal(message.body.reply.agents[0].neighbor_count, LIMIT_INSPECT_NEIGHBORS);
    message_fini(&message);
    buffer_fini(&line);
}

static void unknown_is_not_an_error(void **state) {
    struct message message;
    decode(TEXT("{\"op\":\"weather\",\"x\":[]}"), &message);
    assert_int_equal(message.op, MESSAGE_UNKNOWN);
    decode(TEXT("{\"op\":\"snapshot\",\"tick\":1}"), &message);
    assert_int_equal(message.op, MESSAGE_SNAPSHOT);
    decode(TEXT("{\"op\":\"error\",\"code\":\"of_version_2\",\"message\":\"m\",\"more\":1}"), &message);
    assert_int_equal(message.body.error.failure.code, FAILURE_NONE);
    assert_int_equal(message_peek(TEXT("{\"op\":\"snapshot\",\"tick\":1")), MESSAGE_SNAPSHOT);
    assert_int_equal(message_peek(TEXT("{\"op\":\"snapshots\"")), MESSAGE_UNKNOWN);
    assert_int_equal(message_peek(TEXT("{\"op\":\"snap")), MESSAGE_UNKNOWN);
    assert_int_equal(message_peek("", 0), MESSAGE_UNKNOWN);
}

static void refuses_hostile_lines(void **state) {
    static const char *const bad[] = {
        "",
        "[]",
        "1",
        "{}",
        "{\"op\":1}",
        "{\"op\":\"hello\"}",
        "{\"op\":\"scenario\"}",
        "{\"op\":\"reply\"}",
        "{\"op\":\"event\"}",
        "{\"op\":\"error\"}",
        "{\"op\":\"bye\"}",
        "{\"op\":\"bye\",\"op\":\"bye\"}",
        "{\"op\":\"reply\",\"to\":\"ping\",\"id\":[]}",
        "{\"op\":\"reply\",\"to\":\"ping\",\"tick\":-1}",
        "{\"op\":\"reply\",\"to\":\"list\",\"scenarios\":5}",
        "{\"op\":\"reply\",\"to\":\"list\",\"scenarios\":[5]}",
        "{\"op\":\"reply\",\"to\":\"list\",\"scenarios\":[{\"name\":\"a\"},{\"name\":\"../b\"}]}",
        "{\"op\":\"reply\",\"to\":\"get_params\",\"params\":[{\"kind\":\"a\"}]}",
        "{\"op\":\"reply\",\"to\":\"inspect\",\"agents\":[{\"id\":1,\"x\":1,\"y\":1,\"neighbors\":{}}]}",
        "{\"op\":\"reply\",\"to\":\"inspect\",\"agents\":[{\"id\":1,\"x\":1,\"y\":1,\"neighbors\":[0]}]}",
        "{\"op\":\"reply\",\"to\":\"inspect\",\"agents\":[{\"id\":1,\"x\":1,\"y\":1,\"neighbors\":[1.5]}]}",
        "{\"op\":\"reply\",\"to\":\"inspect\",\"agents\":[{\"id\":1,\"x\":1,\"y\":1,\"points\":5}]}",
        "{\"op\":\"reply\",\"to\":\"inspect\",\"agents\":[{\"id\":1,\"x\":1,\"y\":1,\"points\":[{\"x\":1,"
        "\"y\":1}]}]}",
        "{\"op\":\"event\",\"event\":\"paused\",\"tick\":1,\"by\":4294967296}",
        "{\"op\":\"error\",\"message\":\"m\",\"code\":3}",
        "{" HELLO_TEXT ",\"paused\":true,\"scenario\":[]}",
        "{" HELLO_TEXT ",\"paused\":0,\"scenario\":{" SCENARIO_TEXT "}}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct message message;
        struct failure failure = {.code = FAILURE_NONE};
        char *copy = test_exact_copy(bad[i], strlen(bad[i]));
        if (message_decode(copy, strlen(bad[i]), &message, &failure) == 0) {
            fail_msg("accepted: %s", bad[i]);
        }
        assert_int_not_equal(failure.code, FAILURE_NONE);
        message_fini(&message);
        free(copy);
    }
}

/* Members of a scenario that a hostile server might send. */
static void refuses_hostile_geometry(void **state) {
    static const char *const bad[] = {
        "\"obstacles\":{}",
        "\"view\":[]",
        "\"view\":{\"trails\":1}",
        "\"view\":{\"zoom\":1e300}",
        "\"view\":{\"select\":0}",
        "\"view\":{\"color\":\"a b\"}",
        "\"view\":{\"overlays\":\"a\"}",
        "\"view\":{\"overlays\":[7]}",
        "\"view\":{\"overlays\":[\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\","
        "\"a\",\"a\",\"a\",\"a\","
        "\"a\"]}",
        "\"about\":7",
        "\"about\":{\"try\":[]}",
        "\"about\":{\"group\":\"an umbrella term of more than 31\"}",
        "\"obstacles\":[5]",
        "\"obstacles\":[{\"circle\":[1,2]}]",
        "\"obstacles\":[{\"circle\":[1,2,-3]}]",
        "\"obstacles\":[{\"circle\":[1,2,1e300]}]",
        "\"obstacles\":[{\"circle\":[1,2,\"r\"]}]",
        "\"obstacles\":[{\"polygon\":[[1,2],[3,4]]}]",
#define EIGHT "[1,1],[1,1],[1,1],[1,1],[1,1],[1,1],[1,1],[1,1],"
        "\"obstacles\":[{\"polygon\":[" EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT "[1,1]]}]",
        "\"walls\":[[1,2,3]]",
        "\"walls\":[7]",
        "\"paths\":[{\"name\":\"../a\",\"points\":[[1,2],[3,4]],\"radius\":1}]",
        "\"paths\":[{\"name\":\"a\",\"points\":[[1,2]],\"radius\":1}]",
        "\"paths\":[{\"name\":\"a\",\"points\":[[1,2],[3,4]],\"radius\":-1}]",
        "\"paths\":[{\"name\":\"a\",\"points\":[[1,2],[3,4]]}]",
        "\"flow_fields\":[{\"name\":\"a\",\"cells\":[0,1],\"vectors\":[]}]",
        "\"flow_fields\":[{\"name\":\"a\",\"cells\":[401,1],\"vectors\":[]}]",
        "\"flow_fields\":[{\"name\":\"a\",\"cells\":[2,1],\"vectors\":[[1,2]]}]",
        "\"flow_fields\":[{\"name\":\"a\",\"cells\":[2,1],\"vectors\":[[1,2],[1,2],[1,2]]}]",
        "\"regions\":[7]",
        "\"regions\":[{\"kind\":\"a\",\"circle\":[1,2,3]}]",
        "\"regions\":[{\"kind\":\"a\",\"state\":\"../b\",\"circle\":[1,2,3]}]",
        "\"regions\":[{\"kind\":\"a\",\"state\":\"b\",\"circle\":[1,2]}]",
        "\"regions\":[{\"kind\":\"a\",\"state\":\"b\",\"circle\":[1,2,-3]}]",
        "\"regions\":[{\"kind\":\"a\",\"state\":\"b\",\"rect\":[1,2,3,-4]}]",
        "\"regions\":[{\"kind\":\"a\",\"state\":\"b\",\"rect\":[1,2,3,1e300]}]",
    };
    static const char before[] =
        "{\"op\":\"scenario\",\"name\":\"a\",\"title\":\"\",\"description\":\"\",\"size\":[1,1],"
        "\"edge\":\"open\",\"seed\":1,\"tick_hz\":60,\"kinds\":[],\"targets\":[],";
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char line[512];
        struct message message;
        struct failure failure = {.code = FAILURE_NONE};
        const int length = snprintf(line, sizeof line, "%s%s}", before, bad[i]);
        if (message_decode(line, (size_t)length, &message, &failure) == 0) {
            fail_msg("accepted: %s", bad[i]);
        }
        assert_int_not_equal(failure.code, FAILURE_NONE);
        message_fini(&message);
    }
    struct message message; /* an unknown shape of a later version does not hide the other ones */
    char line[512];
    const int length =
        snprintf(line, sizeof line, "%s\"obstacles\":[{\"spiral\":[1]},{\"circle\":[1,2,3]}]}", before);
    decode(line, (size_t)length, &message);
    assert_int_equal(message.body.scenario.geometry.obstacle_count, 1);
    message_fini(&message);
}

/* repeats item `count` times inside the array that `before` opens */
static int decode_many(const char *before, const char *item, int count, const char *after) {
    struct buffer line;
    struct message message;
    struct failure failure;
    buffer_init(&line, 1 << 24);
    buffer_append_text(&line, before);
    for (int i = 0; i < count; i++) {
        buffer_printf(&line, "%s%s", i == 0 ? "" : ",", item);
    }
    buffer_append_text(&line, after);
    assert_false(line.failed);
    const int result = message_decode(line.data, line.length, &message, &failure);
    message_fini(&message);
    buffer_fini(&line);
    return result;
}

static void counts_are_bounded(void **state) {
    static const char list[] = "{\"op\":\"reply\",\"to\":\"list\",\"scenarios\":[";
    assert_int_equal(decode_many(list, "{\"name\":\"a\"}", MESSAGE_SCENARIOS, "]}"), 0);
    assert_int_equal(decode_many(list, "{\"name\":\"a\"}", MESSAGE_SCENARIOS + 1, "]}"), -1);
    static const char scenario[] =
        "{\"op\":\"scenario\",\"name\":\"a\",\"title\":\"\",\"description\":\"\",\"size\":[1,1],"
        "\"edge\":\"open\",\"seed\":1,\"tick_hz\":60,\"kinds\":[],\"targets\":[";
    assert_int_equal(decode_many(scenario, "\"t\"", LIMIT_TARGETS, "]}"), 0);
    assert_int_equal(decode_many(scenario, "\"t\"", LIMIT_TARGETS + 1, "]}"), -1);
    assert_int_equal(decode_many(scenario, "5", 1, "]}"), -1);
    static const char no_targets[] =
        "{\"op\":\"scenario\",\"name\":\"a\",\"title\":\"\",\"description\":\"\",\"size\":[1,1],"
        "\"edge\":\"open\",\"seed\":1,\"tick_hz\":60,\"kinds\":[";
    static const char kinds[] =
        "{\"op\":\"scenario\",\"name\":\"a\",\"title\":\"\",\"description\":\"\",\"size\":[1,1],"
        "\"edge\":\"open\",\"seed\":1,\"tick_hz\":60,\"targets\":[],\"kinds\":[";
    static const char kind[] = "{\"name\":\"a\",\"radius\":1,\"max_speed\":1,\"max_force\":1,\"count\":0}";
    assert_int_equal(decode_many(kinds, kind, LIMIT_KINDS, "]}"), 0);
    assert_int_equal(decode_many(kinds, kind, LIMIT_KINDS + 1, "]}"), -1);
    static const char *const geometry[][2] = {
        {"obstacles", "{\"circle\":[1,2,3]}"},
        {"walls", "[1,2,3,4]"},
        {"paths", "{\"name\":\"a\",\"points\":[[1,2],[3,4]],\"radius\":1,\"loop\":false}"},
        {"flow_fields", "{\"name\":\"a\",\"cells\":[1,1],\"vectors\":[[1,2]]}"},
        {"regions", "{\"kind\":\"a\",\"state\":\"b\",\"circle\":[1,2,3]}"},
        {"areas", "{\"name\":\"a\",\"speed\":1,\"circle\":[1,2,3]}"},
        {"gates", "{\"name\":\"a\",\"line\":[1,2,3,4]}"},
    };
    const int most[] = {LIMIT_OBSTACLES, LIMIT_WALLS, LIMIT_PATHS, LIMIT_FLOW_FIELDS,
                        LIMIT_REGIONS,   LIMIT_AREAS, LIMIT_GATES};
    for (int i = 0; i < 7; i++) {
        char before[256];
        (void)snprintf(before, sizeof before, "%s],\"targets\":[],\"%s\":[", no_targets, geometry[i][0]);
        assert_int_equal(decode_many(before, geometry[i][1], most[i], "]}"), 0);
        assert_int_equal(decode_many(before, geometry[i][1], most[i] + 1, "]}"), -1);
    }
}

static void survives_mutations(void **state) {
    static const char hello[] =
        "{\"op\":\"hello\",\"protocol\":1,\"server\":\"s\",\"session\":3,\"tick\":60,\"time\":1,"
        "\"paused\":true,\"scenario\":{" GEOMETRY_TEXT "," SCENARIO_TEXT "}";
    uint64_t random = 77;
    int accepted = 0;
    for (int i = 0; i < 20000; i++) {
        static const char interesting[] = "{}[]\",:\\-e.019 tn";
        size_t length = sizeof hello - 1;
        char *copy = test_exact_copy(hello, length);
        for (uint32_t m = 1 + test_below(&random, 2); m > 0; m--) {
            copy[test_below(&random, (uint32_t)length)] =
                interesting[test_below(&random, sizeof interesting - 1)];
        }
        struct message message;
        struct failure failure;
        accepted += message_decode(copy, length, &message, &failure) == 0;
        message_fini(&message);
        free(copy);
    }
    assert_true(accepted > 100 && accepted < 19000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hello_round_trips),
        cmocka_unit_test(hello_without_a_world_round_trips),
        cmocka_unit_test(scenario_round_trips),
        cmocka_unit_test(view_and_about_round_trip),
        cmocka_unit_test(pace_round_trips),
        cmocka_unit_test(reply_is_built_and_read),
        cmocka_unit_test(an_inspected_agent_is_read),
        cmocka_unit_test(terms_are_read),
        cmocka_unit_test(wrong_terms_are_refused),
        cmocka_unit_test(too_many_terms_are_left_out),
        cmocka_unit_test(too_many_points_are_left_out),
        cmocka_unit_test(event_error_and_bye_round_trip),
        cmocka_unit_test(each_member_has_its_own_bit),
        cmocka_unit_test(replies_and_events_get_a_number),
        cmocka_unit_test(events_have_their_own_members),
        cmocka_unit_test(lists_are_read),
        cmocka_unit_test(unknown_is_not_an_error),
        cmocka_unit_test(refuses_hostile_lines),
        cmocka_unit_test(refuses_hostile_geometry),
        cmocka_unit_test(geometry_round_trips),
        cmocka_unit_test(flow_fields_follow_events),
        cmocka_unit_test(counts_are_bounded),
        cmocka_unit_test(survives_mutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
