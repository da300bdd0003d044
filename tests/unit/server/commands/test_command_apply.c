/* Every op and every error of command_apply, on a small world, without threads. A refused request must leave
 * the hash of the world as it was. */
#include "tests/unit/server/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/commands/command_apply.h"
#include "server/commands/simulation_state.h"
#include "server/library/scenario_builder.h"
#include "tests/support/request_decode.h"

static const char *const pond =
    "{\"name\":\"Pond\",\"seed\":3,\"world\":{\"size\":[800,600],\"edge\":\"wrap\"},"
    "\"targets\":{\"mouse\":[10,20],\"home\":[400,300]},"
    "\"kinds\":{\"prey\":{\"max_speed\":100,\"behaviors\":[{\"seek\":{\"target\":\"mouse\"}}]},"
    "\"hunter\":{\"radius\":20,\"behaviors\":[{\"arrive\":{\"target\":\"home\"}},{\"orca\":{}}]}},"
    "\"agents\":[{\"kind\":\"prey\",\"at\":[1,2],\"count\":2},{\"kind\":\"hunter\",\"at\":[5,6]}]}";

static const char *const lake = "{\"name\":\"Lake\",\"seed\":9,\"tick_hz\":30,\"world\":{\"size\":[100,100]},"
                                "\"targets\":{\"rock\":[1,1]}}";

static const char *const shy =
    "{\"name\":\"Shy\",\"world\":{\"size\":[100,100]},\"targets\":{\"mouse\":[1,1]},"
    "\"kinds\":{\"shy\":{\"behaviors\":[{\"flee\":{\"target\":\"mouse\"}}]}},"
    "\"agents\":[{\"kind\":\"shy\",\"at\":[5,6]}]}";

static int load(void *context, const char *name, struct scenario *out, struct failure *failure) {
    (void)context;
    scenario_init(out);
    if (strcmp(name, "lake") == 0 || strcmp(name, "pond") == 0) {
        const char *text = name[0] == 'l' ? lake : pond;
        assert_int_equal(scenario_read(text, strlen(text), out, failure), 0);
        memcpy(out->name, name, 5);
        return 0;
    }
    if (strcmp(name, "shy") == 0) {
        assert_int_equal(scenario_read(shy, strlen(shy), out, failure), 0);
        memcpy(out->name, name, 4);
        return 0;
    }
    if (strcmp(name, "broken") == 0) {
        return failure_set(failure, FAILURE_BAD_SCENARIO, "world.size", "broken.json: world.size: missing");
    }
    return failure_set(failure, FAILURE_NO_SCENARIO, "scenario", "no scenario \"%s\"", name);
}

static struct message_scenario_row rows[] = {
    {.name = "lake", .title = "Lake", .description = "Wet \"water\""}, {.name = "pond", .title = "Pond"}};
static const struct scenario_list library_list = {.count = 2, .rows = rows};

static const struct scenario_list *list(void *context, struct failure *failure) {
    if (context != NULL) {
        (void)failure_set(failure, FAILURE_NO_SCENARIO, NULL, "the directory is gone");
        return NULL;
    }
    return &library_list;
}

static struct simulation_state simulation;
static struct world_overrides overrides;
static struct scenario_source source;
static struct buffer out;
enum { LONGEST_INSPECTION = LIMIT_CONTROL_BYTES }; /* bytes of an answer to inspect */
static struct command_effects effects;

static void put(const struct scenario *scenario) {
    struct built_world built;
    struct failure failure = {0};
    assert_int_equal(built_world_make(scenario, &overrides, NULL, NULL, &built, &failure), 0);
    simulation_state_change(&simulation, &built);
    built_world_fini(&built);
}

static int set_up(void **state) {
    simulation_state_init(&simulation);
    overrides = (struct world_overrides){0};
    source = (struct scenario_source){.load = load, .list = list};
    struct scenario *scenario = malloc(sizeof *scenario);
    struct failure failure;
    assert_non_null(scenario);
    assert_int_equal(load(NULL, "pond", scenario, &failure), 0);
    put(scenario);
    scenario_fini(scenario);
    free(scenario);
    simulation.is_paused = true;
    buffer_init(&out, 1 << 20);
    return 0;
}

static int tear_down(void **state) {
    simulation_state_fini(&simulation);
    buffer_fini(&out);
    return 0;
}

static bool is_stopped; /* how steps end */

/* Applies a request given as a client would write it, and does the ticks of a step; returns the text of the
 * reply. */
static const char *apply(const char *line) {
    struct request *request = malloc(sizeof *request);
    struct failure failure = {0};
    assert_non_null(request);
    if (request_decode(line, strlen(line), request, &failure) != 0) {
        fail_msg("%s: %s", line, failure.message);
    }
    buffer_clear(&out);
    struct scenario_order *order = NULL;
    if (scenario_order_is_needed(request)) {
        struct command *command = calloc(1, sizeof *command);
        assert_non_null(command);
        command->request = *request;
        order = scenario_order_create(command);
        assert_non_null(order);
        free(command);
        scenario_order_work(order, &source, &overrides, NULL);
    }
    if (order != NULL && order->built.world == NULL) {
        effects = (struct command_effects){0};
        scenario_order_answer(order, request, 5, world_tick(simulation.world), &out);
    } else {
        simulation.arrival = order == NULL ? NULL : &order->built;
        effects = command_apply(&simulation, request, 5, &out);
        simulation.arrival = NULL;
    }
    scenario_order_destroy(order);
    if (effects.step_ticks > 0) {
        assert_int_equal(out.length, 0);
        for (uint32_t i = 0; i < effects.step_ticks; i++) {
            simulation_state_step(&simulation);
        }
        command_finish_step(&simulation, request, is_stopped, NULL, &out);
    }
    request_fini(request);
    free(request);
    return out.length == 0 ? "" : out.data;
}

static void expect(const char *line, const char *answer) {
    assert_string_equal(apply(line), answer);
}

/* The request is refused with this code and field, and nothing has changed. */
static void refuse(const char *line, const char *code, const char *field, const char *message) {
    const uint64_t before = world_hash(simulation.world);
    const uint32_t epoch = simulation.epoch;
    const char *answer = apply(line);
    char expected[512];
    (void)snprintf(expected, sizeof expected,
                   "{\"op\":\"error\",\"id\":1,\"line\":5,\"code\":\"%s\"%s%s%s,\"message\":\"%s\"}\n", code,
                   field[0] == '\0' ? "" : ",\"field\":\"", field, field[0] == '\0' ? "" : "\"", message);
    assert_string_equal(answer, expected);
    assert_true(world_hash(simulation.world) == before);
    assert_int_equal(simulation.epoch, epoch);
    assert_false(effects.changed || effects.loaded || effects.paused || effects.resumed || effects.described);
    assert_int_equal(effects.step_ticks, 0);
}

/* No behavior in the pond refers to "home" without hunters; prey that only flee ignore aims. */
static void test_who_heeds(void **state) {
    expect("{\"op\":\"set_target\",\"id\":1,\"name\":\"home\",\"x\":1,\"y\":1}",
           "{\"op\":\"reply\",\"to\":\"set_target\",\"id\":1,\"tick\":0,\"x\":1.00,\"y\":1.00}\n");
    expect("{\"op\":\"set_target\",\"name\":\"home\",\"x\":1,\"y\":1}", "");
    assert_false(effects.unheeded);
    (void)apply("{\"op\":\"remove\",\"kind\":\"hunter\"}");
    expect("{\"op\":\"set_target\",\"id\":1,\"name\":\"home\",\"x\":2,\"y\":1}",
           "{\"op\":\"reply\",\"to\":\"set_target\",\"id\":1,\"tick\":0,\"x\":2.00,\"y\":1.00,\"heeded\":"
           "false}\n");
    expect("{\"op\":\"set_target\",\"name\":\"home\",\"x\":3,\"y\":1}",
           "{\"op\":\"event\",\"event\":\"unheeded\",\"tick\":0,\"by\":0,\"target\":\"home\",\"x\":3.00,"
           "\"y\":1.00}\n");
    assert_true(effects.unheeded && effects.changed);
    assert_string_equal(effects.event.event, "target"); /* the other sessions get the event as before */
    expect(
        "{\"op\":\"set_target\",\"id\":1,\"kind\":\"hunter\",\"follow\":\"mouse\"}", /* later agents will */
        "{\"op\":\"reply\",\"to\":\"set_target\",\"id\":1,\"tick\":0}\n");
}

static void test_who_heeds_nothing(void **state) {
    (void)apply("{\"op\":\"load\",\"scenario\":\"shy\"}");
    expect("{\"op\":\"set_target\",\"id\":1,\"agent\":1,\"x\":2,\"y\":1}",
           "{\"op\":\"reply\",\"to\":\"set_target\",\"id\":1,\"tick\":0,\"x\":2.00,\"y\":1.00,\"heeded\":"
           "false}\n");
    expect("{\"op\":\"set_target\",\"agent\":1,\"x\":2,\"y\":1}",
           "{\"op\":\"event\",\"event\":\"unheeded\",\"tick\":0,\"by\":0,\"agent\":1}\n");
    expect("{\"op\":\"set_target\",\"kind\":\"shy\",\"x\":2,\"y\":1}",
           "{\"op\":\"event\",\"event\":\"unheeded\",\"tick\":0,\"by\":0,\"kind\":\"shy\"}\n");
    expect("{\"op\":\"set_target\",\"id\":1,\"kind\":\"shy\",\"clear\":true}",
           "{\"op\":\"reply\",\"to\":\"set_target\",\"id\":1,\"tick\":0}\n");
    expect("{\"op\":\"set_target\",\"id\":1,\"name\":\"mouse\",\"x\":2,\"y\":1}", /* prey flee from it */
           "{\"op\":\"reply\",\"to\":\"set_target\",\"id\":1,\"tick\":0,\"x\":2.00,\"y\":1.00}\n");
}

/* Columns are all or none, and the failure names the row. */
static void test_columns_of_agents(void **state) {
    (void)apply("{\"op\":\"spawn\",\"kind\":\"hunter\",\"count\":3,\"x\":50,\"y\":50}");
    refuse("{\"op\":\"set_target\",\"id\":1,\"agents\":[1,99,98],\"x\":[1,2,3],\"y\":[1,2,3]}", "no_agent",
           "agents[1]", "no agent 99");
    refuse("{\"op\":\"place\",\"id\":1,\"agents\":[99,1],\"x\":[1,2],\"y\":[1,2]}", "no_agent", "agents[0]",
           "no agent 99");
    refuse("{\"op\":\"place\",\"id\":1,\"agent\":99,\"heading\":0}", "no_agent", "agent", "no agent 99");
    expect("{\"op\":\"set_target\",\"id\":1,\"agents\":[1,1],\"x\":[1,2],\"y\":[1,2]}",
           "{\"op\":\"reply\",\"to\":\"set_target\",\"id\":1,\"tick\":0,\"count\":2}\n");
    assert_true(effects.changed && effects.event.has == EVENT_HAS_COUNT && effects.event.count == 2);
    expect("{\"op\":\"place\",\"id\":1,\"agents\":[1,2],\"x\":[11,12],\"y\":[1,2],\"heading\":[90,0]}",
           "{\"op\":\"reply\",\"to\":\"place\",\"id\":1,\"tick\":0,\"count\":2}\n");
    assert_string_equal(effects.event.event, "placed");
    const struct agent_view agent = world_agent(simulation.world, world_find_agent(simulation.world, 1));
    assert_true(agent.position.x == 11.0f && agent.heading.y == 1.0f);
    expect("{\"op\":\"place\",\"id\":1,\"agent\":2,\"x\":-1,\"y\":2,\"vx\":3,\"vy\":0,\"stamina\":7}",
           "{\"op\":\"reply\",\"to\":\"place\",\"id\":1,\"tick\":0,\"x\":799.00,\"y\":2.00,\"vx\":3.00,"
           "\"vy\":0.00,\"stamina\":0.00}\n");
    assert_int_equal(effects.event.has, EVENT_HAS_AGENT | EVENT_HAS_PLACE | EVENT_HAS_VELOCITY);
    expect("{\"op\":\"place\",\"id\":1,\"agents\":[],\"x\":[],\"y\":[]}",
           "{\"op\":\"reply\",\"to\":\"place\",\"id\":1,\"tick\":0,\"count\":0}\n");
    assert_true(!effects.changed && effects.seq != 0 && effects.event.event[0] == '\0');
}

/* Every change has its number and, when it makes a difference, its event. */
static void test_changes_are_numbered_and_told(void **state) {
    static const struct {
        const char *line, *event;
        unsigned has;
    } changes[] = {
        {"{\"op\":\"set_target\",\"agent\":1,\"x\":810,\"y\":2}", "aim", EVENT_HAS_AGENT | EVENT_HAS_PLACE},
        {"{\"op\":\"set_target\",\"kind\":\"prey\",\"follow\":\"home\"}", "aim",
         EVENT_HAS_KIND | EVENT_HAS_FOLLOW},
        {"{\"op\":\"set_target\",\"agent\":1,\"clear\":true}", "aim", EVENT_HAS_AGENT | EVENT_HAS_CLEAR},
        {"{\"op\":\"spawn\",\"kind\":\"prey\"}", "spawned",
         EVENT_HAS_KIND | EVENT_HAS_COUNT | EVENT_HAS_IDS | EVENT_HAS_VELOCITY},
        {"{\"op\":\"spawn\",\"kind\":\"prey\",\"x\":1,\"y\":2,\"heading\":9}", "spawned",
         EVENT_HAS_KIND | EVENT_HAS_COUNT | EVENT_HAS_IDS | EVENT_HAS_VELOCITY | EVENT_HAS_PLACE |
             EVENT_HAS_RADIUS | EVENT_HAS_HEADING},
        {"{\"op\":\"remove\",\"agent\":77}", "", 0}, /* no such agent: no difference */
        {"{\"op\":\"load\",\"scenario\":\"lake\"}", "loaded", EVENT_HAS_SCENARIO},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        (void)apply(changes[i].line);
        assert_int_equal(effects.seq, i + 1);
        assert_int_equal(simulation.seq, i + 1);
        assert_string_equal(effects.event.event, changes[i].event);
        assert_int_equal(effects.event.has, changes[i].has);
    }
    (void)apply("{\"op\":\"remove_target\",\"name\":\"none\"}");
    assert_int_equal(effects.seq, 0);
    (void)apply("{\"op\":\"list\",\"what\":\"kinds\"}");
    assert_int_equal(effects.seq, 0);
    assert_int_equal(simulation.seq, sizeof changes / sizeof changes[0]);
}

static int seek_to(void *context, const struct request_seek *seek, struct json_writer *json,
                   struct failure *failure) {
    (void)failure;
    *(uint64_t *)context = seek->tick;
    json_key_unsigned(json, "tick", seek->tick);
    return 0;
}

static bool go_at(void *context, const struct request_speed *speed, struct json_writer *json) {
    double *set = context;
    const bool is_changed = speed->factor < *set || speed->factor > *set;
    (void)json;
    *set = speed->factor;
    return is_changed;
}

/* What the server does beside the world is a service of the caller's. */
static void test_services(void **state) {
    refuse("{\"op\":\"record\",\"id\":1,\"on\":true}", "io", "",
           "this server keeps nothing; start it with --state or --record");
    refuse("{\"op\":\"seek\",\"id\":1,\"tick\":5}", "not_replaying", "",
           "the server plays no recording; seek is for a server started with --replay");
    refuse("{\"op\":\"speed\",\"id\":1,\"max\":true}", "internal", "", "this world has no clock");
    refuse("{\"op\":\"resume\",\"id\":1,\"live\":true}", "not_replaying", "live",
           "the server plays no recording; resume without live lets the world run");
    assert_true(simulation.is_paused);
    uint64_t sought = 0;
    simulation.services = (struct state_services){.context = &sought, .seek = seek_to};
    expect("{\"op\":\"seek\",\"tick\":5}", "{\"op\":\"reply\",\"to\":\"seek\",\"tick\":5}\n");
    assert_int_equal(sought, 5);
    double set = 1.0;
    simulation.services = (struct state_services){.context = &set, .speed = go_at};
    expect("{\"op\":\"speed\",\"id\":1,\"factor\":2.5}", "{\"op\":\"reply\",\"to\":\"speed\",\"id\":1}\n");
    assert_string_equal(effects.event.event, "speed");
    assert_true(effects.event.speed == 2.5 && effects.event.has == EVENT_HAS_SPEED);
    assert_int_equal(effects.seq, 0); /* the world is not changed by it */
    expect("{\"op\":\"speed\",\"id\":1,\"factor\":2.5}", "{\"op\":\"reply\",\"to\":\"speed\",\"id\":1}\n");
    assert_string_equal(effects.event.event, ""); /* nor is the speed */
}

static void test_targets(void **state) {
    expect("{\"op\":\"set_target\",\"id\":1,\"name\":\"mouse\",\"x\":100,\"y\":50.004}",
           "{\"op\":\"reply\",\"to\":\"set_target\",\"id\":1,\"tick\":0,\"x\":100.00,\"y\":50.00}\n");
    assert_true(effects.changed);
    assert_false(effects.described);
    expect("{\"op\":\"mouse\",\"x\":-10,\"y\":650}", ""); /* no id: no answer */
    assert_true(world_target_position(simulation.world, world_find_target(simulation.world, "mouse")).x ==
                790.0f);
    expect("{\"op\":\"mouse\",\"id\":\"m\",\"x\":-10,\"y\":650}",
           "{\"op\":\"reply\",\"to\":\"mouse\",\"id\":\"m\",\"tick\":0,\"x\":790.00,\"y\":50.00}\n");
    expect("{\"op\":\"set_target\",\"id\":2,\"agent\":1,\"x\":810,\"y\":20}",
           "{\"op\":\"reply\",\"to\":\"set_target\",\"id\":2,\"tick\":0,\"x\":10.00,\"y\":20.00}\n");
    const uint64_t aimed = world_hash(simulation.world);
    expect("{\"op\":\"set_target\",\"id\":3,\"agent\":1,\"clear\":true}",
           "{\"op\":\"reply\",\"to\":\"set_target\",\"id\":3,\"tick\":0}\n");
    assert_true(world_hash(simulation.world) != aimed);
    expect("{\"op\":\"set_target\",\"kind\":\"hunter\",\"follow\":\"mouse\"}", "");
    assert_true(effects.changed);
    refuse("{\"op\":\"set_target\",\"id\":1,\"name\":\"mous\",\"x\":1,\"y\":1}", "no_target", "name",
           "no target \\\"mous\\\" (did you mean \\\"mouse\\\"?); this scenario has \\\"mouse\\\", "
           "\\\"home\\\"");
    refuse("{\"op\":\"set_target\",\"id\":1,\"agent\":1,\"follow\":\"moon\"}", "no_target", "follow",
           "no target \\\"moon\\\"; this scenario has \\\"mouse\\\", \\\"home\\\"");
    refuse("{\"op\":\"set_target\",\"id\":1,\"agent\":99,\"x\":1,\"y\":1}", "no_agent", "agent",
           "no agent 99");
    refuse("{\"op\":\"set_target\",\"id\":1,\"kind\":\"bird\",\"x\":1,\"y\":1}", "no_kind", "kind",
           "no kind \\\"bird\\\"; this scenario has \\\"prey\\\", \\\"hunter\\\"");
}

static void test_spawn(void **state) {
    expect(
        "{\"op\":\"spawn\",\"id\":1,\"kind\":\"prey\",\"count\":3,\"x\":100,\"y\":100,\"heading\":90}",
        "{\"op\":\"reply\",\"to\":\"spawn\",\"id\":1,\"tick\":0,\"count\":3,\"first_id\":4,\"last_id\":6}\n");
    assert_true(effects.changed && effects.described);
    assert_int_equal(world_agent_count(simulation.world), 6);
    expect("{\"op\":\"spawn\",\"kind\":\"prey\",\"count\":50}", "");
    for (int32_t row = 6; row < 56; row++) { /* anywhere in the world */
        const vec2 at = world_agent(simulation.world, row).position;
        assert_true(at.x >= 0.0f && at.x <= 800.0f && at.y >= 0.0f && at.y <= 600.0f);
    }
    assert_true(world_agent(simulation.world, 6).position.x != world_agent(simulation.world, 7).position.x);
    refuse("{\"op\":\"spawn\",\"id\":1,\"kind\":\"bird\"}", "no_kind", "kind",
           "no kind \\\"bird\\\"; this scenario has \\\"prey\\\", \\\"hunter\\\"");
}

/* Spawning to the limit: the one that does not fit is refused whole. */
static void test_full(void **state) {
    for (int i = 0; i < 10; i++) {
        expect("{\"op\":\"spawn\",\"kind\":\"prey\",\"count\":100000,\"x\":0,\"y\":0}", "");
    }
    refuse("{\"op\":\"spawn\",\"id\":1,\"kind\":\"prey\",\"count\":100000}", "full", "count",
           "1000003 agents exist; at most 1048576 are allowed");
    assert_int_equal(world_agent_count(simulation.world), 1000003);
}

static uint64_t memory_left;

static uint64_t say_memory(int processes) {
    return memory_left / (uint64_t)processes;
}

/* What the machine has no memory for is refused, with the numbers; one that it has is not. */
static void test_memory(void **state) {
    simulation.services.memory_free = say_memory;
    memory_left = 10000000;
    refuse("{\"op\":\"spawn\",\"id\":1,\"kind\":\"prey\",\"count\":100000}", "busy", "count",
           "room for more agents needs 0.02 GB of memory; 0.01 GB are free");
    assert_int_equal(world_agent_count(simulation.world), 3);
    memory_left = 50000000;
    simulation.services.ranks_beside = 2;
    refuse("{\"op\":\"spawn\",\"id\":1,\"kind\":\"prey\",\"count\":100000}", "busy", "count",
           "room for more agents needs 3 ranks of this host x 0.02 GB of memory; 0.05 GB are free");
    simulation.services.ranks_beside = 0;
    memory_left = 100000000;
    expect("{\"op\":\"spawn\",\"kind\":\"prey\",\"count\":100000}", "");
    memory_left = 0; /* there is room */
    expect("{\"op\":\"remove\",\"kind\":\"prey\"}", "");
    expect("{\"op\":\"spawn\",\"kind\":\"prey\",\"count\":100000}", "");
    refuse("{\"op\":\"batch\",\"id\":1,\"requests\":[{\"op\":\"spawn\",\"kind\":\"prey\"},{\"op\":\"spawn\","
           "\"kind\":\"hunter\"}]}",
           "busy", "", "out of memory"); /* the world before it would be kept */
}

/* A world may have as many agents as the overrides allow, if there is memory for them. */
static void test_size(void **state) {
    struct world_def def = world_def_default();
    struct failure failure = {0};
    struct world_overrides own = {.max_agents = LIMIT_AGENTS, .threads = 2};
    uint64_t bytes = 1;
    assert_non_null(world_def_add_kind(&def, "bird"));
    struct placement_def *placement = world_def_add_placement(&def, "bird");
    assert_non_null(placement);
    placement->count = LIMIT_AGENTS;
    assert_int_equal(built_world_check_size(&def, "birds", LIMIT_AGENTS, &overrides, &bytes, &failure), -1);
    assert_int_equal(failure.code, FAILURE_BAD_SCENARIO);
    assert_string_equal(failure.message, "birds: 100000000 agents; at most 1048576 are allowed");
    assert_int_equal(built_world_check_size(&def, "birds", LIMIT_AGENTS, &own, &bytes, &failure), 0);
    assert_true(bytes > UINT64_C(100) * LIMIT_AGENTS);
    own.memory_free = say_memory;
    memory_left = bytes;
    assert_int_equal(built_world_check_size(&def, "birds", LIMIT_AGENTS, &own, NULL, &failure), 0);
    memory_left = 5200000000;
    assert_int_equal(built_world_check_size(&def, "birds", LIMIT_AGENTS, &own, NULL, &failure), -1);
    assert_int_equal(failure.code, FAILURE_BUSY);
    assert_non_null(strstr(failure.message, "birds: 100000000 agents need "));
    assert_non_null(strstr(failure.message, " bytes each; 5.20 GB are free"));
    own.ranks_beside = 3; /* each of four takes as much */
    memory_left = bytes * 4;
    assert_int_equal(built_world_check_size(&def, "birds", LIMIT_AGENTS, &own, NULL, &failure), 0);
    memory_left = bytes * 4 - 4;
    assert_int_equal(built_world_check_size(&def, "birds", LIMIT_AGENTS, &own, NULL, &failure), -1);
    assert_non_null(strstr(failure.message, "birds: 100000000 agents need 4 ranks of this host x "));
    own.ranks_beside = 0;
    memory_left = 0;
    assert_int_equal(built_world_check_size(&def, "birds", 1000, &own, &bytes, &failure), 0);
    assert_true(bytes == 0);
    world_def_fini(&def);
}

static void test_remove(void **state) {
    expect("{\"op\":\"remove\",\"id\":1,\"agents\":[1,77,1,77]}",
           "{\"op\":\"reply\",\"to\":\"remove\",\"id\":1,\"tick\":0,\"removed\":1,\"missing\":[77]}\n");
    assert_true(effects.changed && effects.described);
    expect("{\"op\":\"remove\",\"id\":1,\"agent\":1}",
           "{\"op\":\"reply\",\"to\":\"remove\",\"id\":1,\"tick\":0,\"removed\":0,\"missing\":[1]}\n");
    assert_false(effects.changed);
    expect("{\"op\":\"remove\",\"id\":1,\"kind\":\"prey\"}",
           "{\"op\":\"reply\",\"to\":\"remove\",\"id\":1,\"tick\":0,\"removed\":1,\"missing\":[]}\n");
    assert_int_equal(world_agent_count(simulation.world), 1);
    refuse("{\"op\":\"remove\",\"id\":1,\"kind\":\"bird\"}", "no_kind", "kind",
           "no kind \\\"bird\\\"; this scenario has \\\"prey\\\", \\\"hunter\\\"");
}

static void test_params(void **state) {
    expect("{\"op\":\"set_param\",\"id\":1,\"kind\":\"prey\",\"param\":\"max_speed\",\"value\":120.5}",
           "{\"op\":\"reply\",\"to\":\"set_param\",\"id\":1,\"tick\":0,\"value\":120.5}\n");
    assert_true(effects.changed && effects.described);
    assert_true(world_agent(simulation.world, 0).max_speed == 120.5f);
    expect("{\"op\":\"set_param\",\"agent\":2,\"param\":\"mass\",\"value\":4}", "");
    assert_true(world_agent(simulation.world, 1).mass == 4.0f);
    assert_true(world_agent(simulation.world, 0).mass == 1.0f);
    expect("{\"op\":\"set_param\",\"kind\":\"prey\",\"param\":\"max_turn_rate\",\"value\":90}", "");
    const char *answer = apply("{\"op\":\"get_params\",\"kind\":\"prey\"}");
    assert_non_null(
        strstr(answer, "{\"op\":\"reply\",\"to\":\"get_params\",\"tick\":0,\"params\":[{\"kind\":\"prey\","
                       "\"param\":\"mass\",\"value\":1,"));
    assert_non_null(
        strstr(answer, "\"param\":\"max_speed\",\"value\":120.5,\"min\":0,\"max\":20000,\"unit\":\"px/s\""));
    assert_non_null(strstr(answer, "\"param\":\"max_turn_rate\",\"value\":90,"));
    assert_non_null(strstr(answer, "\"param\":\"seek.weight\",\"value\":1,"));
    assert_null(strstr(answer, "hunter"));
    assert_false(effects.changed);
    assert_non_null(
        strstr(apply("{\"op\":\"get_params\"}"), "\"kind\":\"hunter\",\"param\":\"arrive.weight\""));
}

static void test_param_errors(void **state) {
    refuse("{\"op\":\"set_param\",\"id\":1,\"kind\":\"prey\",\"param\":\"max_speed\",\"value\":-1}",
           "out_of_range", "value", "max_speed -1 is out of range: 0 to 20000 px/s");
    refuse("{\"op\":\"set_param\",\"id\":1,\"kind\":\"prey\",\"param\":\"seek.weight\",\"value\":1e9}",
           "out_of_range", "value", "seek.weight 1000000000 is out of range: 0 to 1000");
    refuse(
        "{\"op\":\"set_param\",\"id\":1,\"kind\":\"hunter\",\"param\":\"orca.max_neighbors\",\"value\":2.5}",
        "bad_param", "value", "orca.max_neighbors 2.5 is not a whole number; allowed are 1 to 32");
    refuse("{\"op\":\"set_param\",\"id\":1,\"kind\":\"prey\",\"param\":\"speed\",\"value\":1}", "no_param",
           "param",
           "no parameter \\\"speed\\\"; kind \\\"prey\\\" has mass, radius, max_speed, max_force, "
           "max_turn_rate, max_stamina, seek.weight, seek.within");
    refuse("{\"op\":\"set_param\",\"id\":1,\"agent\":1,\"param\":\"seek.weight\",\"value\":1}", "no_param",
           "param",
           "no parameter \\\"seek.weight\\\"; an agent of kind \\\"prey\\\" has mass, radius, max_speed, "
           "max_force");
    refuse("{\"op\":\"set_param\",\"id\":1,\"agent\":1,\"param\":\"mass\",\"value\":0}", "out_of_range",
           "value", "mass 0 is out of range: 0.01 to 1000000 mass");
    refuse("{\"op\":\"set_param\",\"id\":1,\"agent\":9,\"param\":\"mass\",\"value\":1}", "no_agent", "agent",
           "no agent 9");
    refuse("{\"op\":\"set_param\",\"id\":1,\"kind\":\"bird\",\"param\":\"mass\",\"value\":1}", "no_kind",
           "kind", "no kind \\\"bird\\\"; this scenario has \\\"prey\\\", \\\"hunter\\\"");
    refuse("{\"op\":\"get_params\",\"id\":1,\"kind\":\"bird\"}", "no_kind", "kind",
           "no kind \\\"bird\\\"; this scenario has \\\"prey\\\", \\\"hunter\\\"");
}

static void test_lists(void **state) {
    expect("{\"op\":\"list\",\"id\":1,\"what\":\"targets\"}",
           "{\"op\":\"reply\",\"to\":\"list\",\"id\":1,\"tick\":0,\"targets\":[{\"name\":\"mouse\",\"x\":10."
           "00,\"y\":20.00},"
           "{\"name\":\"home\",\"x\":400.00,\"y\":300.00}]}\n");
    expect("{\"op\":\"list\",\"what\":\"kinds\"}", "{\"op\":\"reply\",\"to\":\"list\",\"tick\":0,\"kinds\":[{"
                                                   "\"name\":\"prey\",\"radius\":8,\"max_speed\":100,"
                                                   "\"max_force\":200,\"count\":2},{\"name\":\"hunter\","
                                                   "\"radius\":20,\"max_speed\":100,\"max_force\":200,"
                                                   "\"count\":1}]}\n");
    expect(
        "{\"op\":\"list\"}",
        "{\"op\":\"reply\",\"to\":\"list\",\"tick\":0,\"scenarios\":[{\"name\":\"lake\",\"title\":\"Lake\","
        "\"description\":\"Wet "
        "\\\"water\\\"\"},{\"name\":\"pond\",\"title\":\"Pond\",\"description\":\"\"}]}\n");
    assert_non_null(strstr(apply("{\"op\":\"list\",\"what\":\"behaviors\"}"),
                           "{\"name\":\"arrive\",\"params\":[{\"param\":\"weight\","));
    source.context = &simulation; /* see list() */
    refuse("{\"op\":\"list\",\"id\":1}", "no_scenario", "", "the directory is gone");
}

static void test_time(void **state) {
    char expected[200];
    expect("{\"op\":\"pause\",\"id\":1}", "{\"op\":\"reply\",\"to\":\"pause\",\"id\":1,\"tick\":0}\n");
    assert_false(effects.paused); /* it was */
    const char *answer = apply("{\"op\":\"step\",\"count\":60}");
    (void)snprintf(expected, sizeof expected,
                   "{\"op\":\"reply\",\"to\":\"step\",\"tick\":60,\"hash\":\"%016llx\"}\n",
                   (unsigned long long)world_hash(simulation.world));
    assert_string_equal(answer, expected);
    assert_int_equal(effects.step_ticks, 60);
    assert_false(effects.changed);
    assert_int_equal(world_tick(simulation.world), 60);
    expect("{\"op\":\"resume\",\"id\":3}", "{\"op\":\"reply\",\"to\":\"resume\",\"id\":3,\"tick\":60}\n");
    assert_true(effects.resumed);
    assert_false(simulation.is_paused);
    refuse("{\"op\":\"step\",\"id\":1}", "not_paused", "", "the world is running; send pause first");
    expect("{\"op\":\"pause\"}", "");
    assert_true(effects.paused && simulation.is_paused);
    is_stopped = true;
    answer = apply("{\"op\":\"step\",\"id\":\"s\",\"count\":2}");
    is_stopped = false;
    (void)snprintf(
        expected, sizeof expected,
        "{\"op\":\"reply\",\"to\":\"step\",\"id\":\"s\",\"tick\":62,\"hash\":\"%016llx\",\"stopped\":true}\n",
        (unsigned long long)world_hash(simulation.world));
    assert_string_equal(answer, expected);
}

static void test_load(void **state) {
    char expected[200];
    (void)apply("{\"op\":\"step\",\"count\":3}");
    const uint32_t epoch = simulation.epoch;
    const char *answer = apply("{\"op\":\"load\",\"id\":1,\"scenario\":\"lake\"}");
    (void)snprintf(
        expected, sizeof expected,
        "{\"op\":\"reply\",\"to\":\"load\",\"id\":1,\"tick\":0,\"scenario\":\"lake\",\"hash\":\"%016llx\"}\n",
        (unsigned long long)world_hash(simulation.world));
    assert_string_equal(answer, expected);
    assert_true(effects.loaded && effects.changed && effects.described);
    assert_int_equal(simulation.epoch, epoch + 1);
    assert_int_equal(world_seed(simulation.world), 9);
    assert_true(simulation.is_paused); /* a paused server stays paused */
    (void)apply("{\"op\":\"load\",\"scenario\":\"lake\",\"seed\":77}");
    assert_int_equal(world_seed(simulation.world), 77);
    overrides = (struct world_overrides){.has_seed = true, .seed = 5, .tick_hz = 120.0};
    (void)apply("{\"op\":\"load\",\"scenario\":\"lake\"}");
    assert_int_equal(world_seed(simulation.world), 5);
    assert_true(world_tick_hz(simulation.world) == 120.0);
    (void)apply("{\"op\":\"load\",\"scenario\":\"lake\",\"seed\":78}"); /* who asks for a seed gets it */
    assert_int_equal(world_seed(simulation.world), 78);
    refuse("{\"op\":\"load\",\"id\":1,\"scenario\":\"nowhere\"}", "no_scenario", "scenario",
           "no scenario \\\"nowhere\\\"");
    refuse("{\"op\":\"load\",\"id\":1,\"scenario\":\"broken\"}", "bad_scenario", "scenario",
           "broken.json: world.size: missing");
    refuse("{\"op\":\"mouse\",\"id\":1,\"x\":1,\"y\":2}", "no_target", "",
           "no target \\\"mouse\\\"; this scenario has \\\"rock\\\"");
}

static void test_describe(void **state) {
    struct message_scenario *text = calloc(1, sizeof *text);
    assert_non_null(text);
    simulation_state_describe(&simulation, text);
    assert_string_equal(text->name, "pond");
    assert_string_equal(text->title, "Pond");
    assert_string_equal(text->edge, "wrap");
    assert_int_equal(text->kind_count, 2);
    assert_int_equal(text->kinds[0].count, 2);
    assert_true(text->kinds[1].radius == 20.0f);
    assert_string_equal(text->targets[1], "home");
    free(text);
}

/* Geometry as a viewer gets it; flow fields of any kind sampled at the centers of about square cells. */
static void test_describe_geometry(void **state) {
    static const char text[] = "{\"name\":\"t\",\"world\":{\"size\":[800,200],\"obstacles\":[{\"box\":[1,2,3,"
                               "4]}],\"walls\":[[5,6,7,8]],"
                               "\"paths\":{\"road\":{\"points\":[[1,2],[3,4]],\"radius\":9}},"
                               "\"flow_fields\":{\"sink\":{\"towards\":[0,100,50]}}}}";
    struct scenario scenario;
    struct failure failure = {0};
    assert_int_equal(scenario_read(text, sizeof text - 1, &scenario, &failure), 0);
    put(&scenario);
    scenario_fini(&scenario);
    struct message_scenario *told = calloc(1, sizeof *told);
    assert_non_null(told);
    simulation_state_describe(&simulation, told);
    const struct message_geometry *geometry = &told->geometry;
    assert_true(geometry->obstacle_count == 1 && geometry->obstacles[0].size.y == 4.0f);
    assert_true(geometry->wall_count == 1 && geometry->walls[0].to.y == 8.0f);
    assert_true(geometry->path_count == 1 && geometry->paths[0].radius == 9.0f);
    assert_string_equal(geometry->paths[0].name, "road");
    assert_int_equal(geometry->flow_count, 1);
    const struct message_flow *flow = &geometry->flows[0];
    assert_string_equal(flow->name, "sink");
    assert_true(flow->columns == 40 && flow->rows == 10);
    assert_true(flow->vectors[40 * 10 - 1].x == -50.0f && flow->vectors[0].y > 0.0f);
    free(told);
}

static void test_every_op_has_its_handler(void **state) {
    enum request_op wrong = REQUEST_OP_COUNT;
    if (!command_table_is_whole(&wrong)) {
        fail_msg("%s: its row and the handlers of the world differ", request_op_name(wrong));
    }
}

/* 16 agents with 16 behaviors each, of those with most places and numbers. */
static void the_longest_inspection_fits(void **state) {
    static char text[4096];
    size_t used = (size_t)snprintf(
        text, sizeof text,
        "{\"name\":\"Crowd\",\"world\":{\"size\":[90000,90000]},\"targets\":{\"mouse\":[80000.123,81000.456]}"
        ","
        "\"kinds\":{\"guard\":{\"max_speed\":12345.678,\"max_force\":98765.4,\"behaviors\":[");
    for (int i = 0; i < 16; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "%s{\"interpose\":{\"kind\":\"guard\",\"second_target\":\"mouse\",\"slowing_"
                                 "distance\":1234.567}}",
                                 i == 0 ? "" : ",");
    }
    (void)snprintf(
        text + used, sizeof text - used,
        "]}},\"agents\":[{\"kind\":\"guard\",\"count\":16,\"in\":{\"rect\":[60000,60000,20000,20000]}}]}");
    struct scenario *scenario = malloc(sizeof *scenario);
    struct failure failure;
    assert_non_null(scenario);
    if (scenario_read(text, strlen(text), scenario, &failure) != 0) {
        fail_msg("%s: %s", failure.field, failure.message);
    }
    put(scenario);
    scenario_fini(scenario);
    free(scenario);
    simulation_state_step(&simulation);
    const char *answer =
        apply("{\"op\":\"inspect\",\"id\":1,\"agents\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]}");
    assert_false(out.failed);
    assert_true(out.length < LONGEST_INSPECTION);
    struct message *message = calloc(1, sizeof *message);
    assert_non_null(message);
    assert_int_equal(message_decode(answer, out.length, message, &failure), 0);
    assert_int_equal(message->body.reply.agent_count, 16);
    for (int i = 0; i < 16; i++) {
        const struct message_agent *agent = &message->body.reply.agents[i];
        assert_int_equal(agent->term_count, 16);
        double x = 0, y = 0;
        for (int k = 0; k < agent->term_count; k++) {
            assert_int_equal(agent->terms[k].value_count, 16);
            x += (double)agent->terms[k].gets.x;
            y += (double)agent->terms[k].gets.y;
        }
        assert_true(x - (double)agent->steering.x < 0.05 && (double)agent->steering.x - x < 0.05);
        assert_true(y - (double)agent->steering.y < 0.05 && (double)agent->steering.y - y < 0.05);
    }
    message_fini(message);
    free(message);
}

/* What a batch keeps for the next one has room for the former world's agents. */
static void test_memory_of_batches(void **state) {
    static const char good[] = "{\"op\":\"batch\",\"id\":1,\"requests\":[{\"op\":\"remove\",\"agent\":1},{"
                               "\"op\":\"remove\",\"agent\":2}]}";
    static const char refused[] =
        "{\"op\":\"batch\",\"id\":1,\"requests\":[{\"op\":\"spawn\",\"kind\":\"prey\",\"count\":"
        "9000},{\"op\":\"remove\",\"kind\":\"whale\"}]}";
    (void)apply(good);
    assert_non_null(simulation.batch);
    assert_non_null(simulation.batch->before);
    (void)apply(refused);
    assert_null(simulation.batch->before); /* it had room for 9000 */
    (void)apply(good);
    (void)apply("{\"op\":\"load\",\"id\":1,\"scenario\":\"lake\"}");
    assert_null(simulation.batch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_longest_inspection_fits, set_up, tear_down),
        cmocka_unit_test(test_every_op_has_its_handler),
        cmocka_unit_test_setup_teardown(test_describe_geometry, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_who_heeds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_who_heeds_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_targets, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_columns_of_agents, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_changes_are_numbered_and_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_services, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_spawn, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_full, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_size, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_remove, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_params, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_param_errors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_lists, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_load, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_describe, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_memory_of_batches, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
