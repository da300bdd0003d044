/* Checkpoints, and replays that begin at them. */

#include "tests/unit/server/cmocka_all.h"

#include "common/base/limits.h"
#include "server/sim/core.h"
#include "tests/fuzz/save_hash.h"
#include "tests/unit/server/recording/recorded_run.h"
#include "tests/unit/server/recording/save_fixture.h"

/* ==== Worlds as lines, and back: nothing is lost, nothing is trusted ==== */

static const struct world_overrides no_overrides;

/* The three lines, without sums, so that tests may change what is in them; the caller's (free). */
static char *save_text(const struct simulation_state *state, size_t *length) {
    struct buffer out;
    uint64_t hash = 0;
    const struct checkpoint_rest rest = checkpoint_rest_of(state);
    const uint64_t before = world_hash(state->world);
    buffer_init(&out, SAVE_BYTES);
    saved_world_write(state->world, &rest, state->name, state->text, state->text_length, &out, &hash);
    assert_int_equal(hash, before);
    assert_int_equal(world_hash(state->world), before);
    char *text = buffer_take(&out, length);
    assert_non_null(text);
    *length = save_take_sums(text, *length);
    text[*length] = '\0';
    return text;
}

/* Reads a save, which must be right, into a new state. */
static void read_save(const char *text, size_t length, struct simulation_state *state) {
    struct built_world built;
    struct checkpoint_rest rest;
    struct failure failure;
    if (saved_world_read(text, length, &no_overrides, NULL, &built, &rest, &failure) != 0) {
        fail_msg("%s: %s", failure.field, failure.message);
    }
    assert_int_equal(built.hash, world_hash(built.world));
    simulation_state_init(state);
    checkpoint_restore(state, &built, &rest);
    built_world_fini(&built);
}

static void check_round_trip(struct simulation_state *state) {
    struct simulation_state other;
    size_t length, again_length;
    char *text = save_text(state, &length);
    read_save(text, length, &other);
    assert_string_equal(other.name, state->name);
    assert_string_equal(other.title, state->title);
    assert_string_equal(other.description, state->description);
    assert_string_equal(other.text, state->text);
    assert_int_equal(other.seq, state->seq);
    assert_int_equal(other.is_paused, state->is_paused);
    assert_memory_equal(other.cursors.owners, state->cursors.owners, sizeof state->cursors.owners);
    assert_int_equal(other.log.second_ticks, state->log.second_ticks);
    assert_int_equal(other.log.second, state->log.second);
    assert_int_equal(other.log.taken, state->log.taken);
    assert_int_equal(other.log.left_out, state->log.left_out);
    char *again = save_text(&other, &again_length);
    assert_string_equal(again, text);
    for (int tick = 0; tick < 200; tick++) {
        step_state(state, 1);
        step_state(&other, 1);
        assert_int_equal(world_hash(state->world), world_hash(other.world));
    }
    assert_int_equal(other.log.taken, state->log.taken);
    free(text);
    free(again);
    simulation_state_fini(&other);
}

static void test_round_trip(void **unused) {
    struct simulation_state state;
    make_zoo(&state);
    state.is_paused = true;
    state.log.taken = 3;
    state.log.left_out = 4;
    check_round_trip(&state);
    simulation_state_fini(&state);
}

/* At each phase of keeping the order of slots, which are then part of the save. */
static void test_school(void **unused) {
    int with_order = 0;
    for (int ticks = 0; ticks < 9; ticks++) {
        struct simulation_state state;
        size_t length;
        simulation_state_init(&state);
        put_world(&state, school, "pen");
        step_state(&state, ticks);
        char *text = save_text(&state, &length);
        with_order += strstr(text, "\"order\"") != NULL;
        free(text);
        check_round_trip(&state);
        simulation_state_fini(&state);
    }
    assert_in_range(with_order, 3, 8);
}

static void test_no_agents(void **unused) {
    struct simulation_state state;
    simulation_state_init(&state);
    put_world(&state, "{\"name\":\"Void\",\"world\":{\"size\":[100,100]}}", "pen");
    check_round_trip(&state);
    simulation_state_fini(&state);
    make_zoo(&state);
    apply_text(&state, 1, "{\"op\":\"remove\",\"kind\":\"prey\"}");
    apply_text(&state, 1, "{\"op\":\"remove\",\"kind\":\"hunter\"}");
    apply_text(&state, 1, "{\"op\":\"remove\",\"kind\":\"guard\"}");
    check_round_trip(&state);
    simulation_state_fini(&state);
}

static void test_seed_and_rate(void **unused) {
    struct simulation_state state;
    struct scenario scenario = scenario_of(zoo, "pen");
    const struct world_overrides other = {.has_seed = true, .seed = 9007199254740991, .tick_hz = 29.97};
    const struct checkpoint_rest rest = {.seq = 9007199254740991};
    struct built_world built;
    struct checkpoint_rest read;
    struct failure failure;
    struct buffer line;
    simulation_state_init(&state);
    buffer_init(&line, SAVE_BYTES);
    assert_int_equal(built_world_make(&scenario, &other, NULL, NULL, &built, &failure), 0);
    checkpoint_write(built.world, &rest, &line, NULL);
    built_world_fini(&built);
    assert_int_equal(
        checkpoint_read(line.data, line.length - 1, &scenario, &no_overrides, NULL, &built, &read, &failure),
        0);
    assert_int_equal(world_seed(built.world), 9007199254740991);
    assert_true(world_tick_hz(built.world) == 29.97);
    assert_int_equal(read.seq, 9007199254740991);
    built_world_fini(&built);
    scenario_fini(&scenario);
    buffer_fini(&line);
}

/* The text with the first `what` of the checkpoint, or else of the other lines, replaced; the caller's. */
static char *replaced(const char *text, const char *what, const char *instead) {
    const char *checkpoint = strstr(text, "{\"op\":\"checkpoint\"");
    const char *at = checkpoint == NULL ? NULL : strstr(checkpoint, what);
    at = at != NULL ? at : strstr(text, what);
    if (at == NULL) {
        fail_msg("no %s in the save", what);
        return NULL;
    }
    const size_t before = (size_t)(at - text), size = strlen(text) + strlen(instead) + 1;
    char *out = malloc(size);
    assert_non_null(out);
    (void)snprintf(out, size, "%.*s%s%s", (int)before, text, instead, at + strlen(what));
    return out;
}

/* What is written is the same on every machine: integers and floats are little-endian. */
static void test_bytes(void **unused) {
    static const char two[] =
        "{\"op\":\"checkpoint\",\"tick\":0,\"seq\":5,\"hash\":\"709a9c169b030a4d\",\"format\""
        ":1,\"core\":1,\"seed\":2,\"tick_hz\":60,\"n\":2,\"next_id\":3,\"next_obstacle\":1,"
        "\"pure_flock\":false,\"paused\":false,\"events\":{\"second\":0,\"taken\":0,\"left"
        "_out\":0},\"cursors\":[],\"kinds\":[{\"name\":\"k\",\"tireless\":true,\"params\":[\""
        "mass\",1,\"radius\",8,\"max_speed\",[1,3],\"max_force\",200,\"max_turn_rate\",1"
        "507.9644775390625,\"max_stamina\",0,\"seek.weight\",1,\"seek.within\",0]}],\""
        "targets\":[{\"name\":\"t\",\"at\":[1.5,2],\"live\":false,\"jump_within\":0,\"jump_"
        "margin\":0}],\"obstacles\":[],\"id\":\"AQAAAAIAAAA=\",\"columns\":{\"flags\":\"AQE"
        "=\",\"motion\":\"AAAgQQAAoEEAAAAAAAAAAAAA8EEAACJCAAAAAAAAAAA=\",\"own_body\":"
        "\"AACAPwAAAEGz5bk/AABIQwAAgD8AAABBUvwYQAAASEM=\",\"heading\":\"egc3P6T8Mj9+"
        "Q2W//87jvg==\"}}\n";
    struct simulation_state state;
    struct buffer line;
    const struct checkpoint_rest rest = {.seq = 5};
    simulation_state_init(&state);
    put_world(&state,
              "{\"name\":\"Two\",\"seed\":2,\"world\":{\"size\":[100,100]},\"targets\":{\"t\":[1.5,2]},"
              "\"kinds\":{\"k\":{\"max_speed\":[1,3],\"behaviors\":[{\"seek\":{\"target\":\"t\"}}]}},"
              "\"agents\":[{\"kind\":\"k\",\"at\":[10,20]},{\"kind\":\"k\",\"at\":[30,40.5]}]}",
              "pen");
    buffer_init(&line, SAVE_BYTES);
    checkpoint_write(state.world, &rest, &line, NULL);
    char own[32];
    (void)snprintf(own, sizeof own, "\"core\":%d", CORE_NUMBER);
    char *expected = replaced(two, "\"core\":1", own);
    assert_string_equal(line.data, expected);
    free(expected);
    buffer_fini(&line);
    simulation_state_fini(&state);
}

/* ---- what is refused ---- */

struct mistake {
    const char *what, *instead; /* in the text of the save */
    const char *place, *message;
    enum failure_code code;
};

static int check_refused(const char *text, const struct mistake *mistake) {
    struct built_world built;
    struct checkpoint_rest rest;
    struct failure failure = {.code = FAILURE_NONE};
    if (saved_world_read(text, strlen(text), &no_overrides, NULL, &built, &rest, &failure) == 0) {
        print_message("%s instead of %s is taken\n", mistake->instead, mistake->what);
        built_world_fini(&built);
        return 1;
    }
    assert_null(built.world);
    assert_null(built.text);
    if (strcmp(failure.field, mistake->place) != 0 || failure.code != mistake->code ||
        strstr(failure.message, mistake->message) == NULL) {
        print_message("%s instead of %s: %s at \"%s\": %s\n", mistake->instead, mistake->what,
                      failure_code_name(failure.code), failure.field, failure.message);
        return 1;
    }
    return 0;
}

static void check_mistakes(const char *text, const struct mistake *mistakes, size_t count) {
    int failures = 0;
    for (size_t i = 0; i < count; i++) {
        char *wrong = replaced(text, mistakes[i].what, mistakes[i].instead);
        failures += check_refused(wrong, &mistakes[i]);
        free(wrong);
    }
    assert_int_equal(failures, 0);
}

#define BAD FAILURE_BAD_SAVE

static const struct mistake mistakes[] = {
    {"\"n\":44", "\"n\":100000001", "n", "0 to 100000000", BAD},
    {"\"n\":44", "\"n\":43", "columns.kind", "44 bytes; allowed: 43", BAD},
    {"\"n\":44", "\"n\":45", "columns.kind", "44 bytes; allowed: 45", BAD},
    {"\"n\":44", "\"n\":\"44\"", "n", "an integer", BAD},
    {"\"n\":44", "\"n\":44.5", "n", "an integer", BAD},
    {"\"n\":44", "\"n\":-1", "n", "an integer", BAD},
    {"\"n\":44,", "", "n", "an integer", BAD},
    {"\"n\":44", "\"n\":44,\"n\":44", "", "duplicate key", BAD},
    {"\"tick\":110", "\"tick\":111", "hash", "the world has", BAD},
    {"\"seed\":3", "\"seed\":4", "hash", "the world has", BAD},
    {"\"tick_hz\":50", "\"tick_hz\":50.5", "hash", "the world has", BAD},
    {"\"tick_hz\":50", "\"tick_hz\":0", "", "tick_hz is out of range", BAD},
    {"\"tick_hz\":50", "\"tick_hz\":null", "tick_hz", "a number", BAD},
    {"\"next_id\":49", "\"next_id\":48", "id[3]", "each less than next_id", BAD},
    {"\"next_id\":49", "\"next_id\":50", "hash", "the world has", BAD},
    {"\"next_obstacle\":5", "\"next_obstacle\":4", "", "an obstacle has a wrong id", BAD},
    {"\"pure_flock\":false", "\"pure_flock\":true", "columns.heading", "bytes; allowed", BAD},
    {"\"paused\":false", "\"paused\":0", "paused", "true", BAD},
    {"\"cursors\":[0,9]", "\"cursors\":[8,9]", "cursors[0]", "whose cursor is a target", BAD},
    {"\"cursors\":[0,9]", "\"cursors\":[0,-9]", "cursors[1]", "whose cursor is a target", BAD},
    {"\"cursors\":[0,9]", "\"cursors\":{}", "cursors", "an array", BAD},
    {"\"second\":2", "\"second\":2.5", "second", "an integer", BAD},
    {"{\"name\":\"hunter\"", "{\"name\":\"hunted\"", "kinds[1]", "another name", BAD},
    {"\"tireless\":true", "\"tireless\":1", "kinds[1]", "tireless", BAD},
    {"\"aim\":\"mouse\"", "\"aim\":\"moose\"", "kinds[2]", "aim is wrong", BAD},
    {"\"aim\":\"mouse\"", "\"aim\":[1,1e30]", "kinds[2]", "aim is wrong", BAD},
    {"\"mass\",1", "\"mess\",1", "kinds[0].params", "no parameter is called \"mess\"", BAD},
    {"\"mass\",1", "\"mass\",0", "kinds[0].params", "mass is out of range", BAD},
    {"\"mass\",1", "\"mass\",1.1000000001", "kinds[0].params", "mass is out of range", BAD},
    {"\"mass\",1", "\"mass\",1e300", "kinds[0].params", "mass is out of range", BAD},
    {"\"mass\",1", "\"mass\",2", "hash", "the world has", BAD},
    {"\"mass\",1", "\"mass\"", "kinds[0].params", "not pairs", BAD},
    {"\"max_speed\",[80,120]", "\"max_speed\",[120,80]", "kinds[0].params", "out of range", BAD},
    {"\"max_speed\",[80,120]", "\"max_speed\",[80,120,130]", "kinds[0].params", "not pairs", BAD},
    {"max_neighbors\",0", "max_neighbors\",0.5", "kinds[0].params", "out of range", BAD},
    {"{\"name\":\"home\"", "{\"name\":\"mouse\"", "", "the same name", BAD},
    {"{\"name\":\"home\"", "{\"name\":\"h me\"", "targets[1]", "name, at", BAD},
    {"{\"name\":\"home\"", "{\"name\":\"hame\"", "", "unknown target", BAD},
    {"\"at\":[400,300]", "\"at\":[400]", "targets[1]", "name, at", BAD},
    {"\"at\":[400,300]", "\"at\":[400,1e7]", "", "a target is out of range", BAD},
    {"\"jump_within\":20", "\"jump_within\":1e300", "targets[1]", "jump_within", BAD},
    {"\"stroll_speed\":50", "\"stroll_speed\":\"fast\"", "targets[2]", "stroll_speed", BAD},
    {"\"stroll_speed\":50", "\"stroll_speed\":30000", "", "a target strolls out of range", BAD},
    {"\"stroll_after\":0.25", "\"stroll_after\":-1", "", "a target strolls out of range", BAD},
    {"\"stroll_after\":0.25", "\"mood\":1", "targets[2]", "stroll_after", BAD},
    {"\"idle\":", "\"idle\":-", "targets[2]", "idle", BAD},
    {"\"idle\":", "\"idle\":0.5e0,\"mood\":", "targets[2]", "idle", BAD},
    {"\"shape\":\"box\"", "\"shape\":\"bax\"", "obstacles[0]", "shape", BAD},
    {"\"size\":[30,20]", "\"size\":[-30,20]", "", "must not be negative", BAD},
    {"\"id\":3,", "\"id\":2,", "", "an obstacle has a wrong id", BAD},
    {"\"id\":3,", "\"id\":2.5,", "", "an obstacle has a wrong id", BAD},
    {"[750,100]", "[750,100],[750,100]", "", "must meet at its corners alone", BAD},
    {"\"id\":\"AQAAAAEA", "\"id\":\"AQAAAAIA", "id[3]", "as many ids", BAD},
    {"\"id\":\"AQAAAAEA", "\"id\":\"AAAAAAEA", "id[0]", "ids are ascending", BAD},
    {"\"id\":\"AQAAAAEA", "\"id\":\"#QAAAAEA", "", "begins with #", BAD},
    {"\"id\":\"AQAAAAEA", "\"id\":\"!QAAAAEA", "id", "not base64", BAD},
    {"\"id\":\"AQAAAAEA", "\"id\":\"AQ", "id", "bytes; allowed", BAD},
    {"\"kind\":\"AAAAAAAA", "\"kind\":\"AAAAAAMA", "columns.kind[4]", "the index of a kind", BAD},
    {"\"kind\":\"AAAAAAAA", "\"kind\":\"AAAAAAA", "columns.kind", "bytes; allowed: 44", BAD},
    {"\"kind\":\"AAAAAAAA", "\"kond\":\"AAAAAAAA", "columns", "no column is called \"kond\"", BAD},
    {"\"state\":\"AQEB", "\"state\":\"AQIB", "columns.state[1]", "the index of a state", BAD},
    {"\"flags\":\"AQEB", "\"flags\":\"AwEB", "columns.flags[0]", "0 and 1", BAD},
    {"\"flags\":\"AQEB", "\"flags\":\"AAEB", "columns.own_body", "bytes; allowed", BAD},
    {"\"motion\":\"8yADRClI", "\"motion\":\"8yADxClI", "columns.motion[0]", "a place in the world", BAD},
    {"\"motion\":\"8yADRClI", "\"motion\":\"AADAf__I", "columns.motion[0]", "base64", BAD},
    {"\"motion\":\"8yADRClI", "\"motion\":\"AADAfylI", "columns.motion[0]", "a place in the world", BAD},
    {"\"motion\":\"8yADRClI", "\"motion\":[1],\"m\":\"", "columns.motion", "0 bytes", BAD},
    {"\"is_exhausted\":\"AAAA", "\"is_exhausted\":\"AAAC", "columns.is_exhausted[2]", "0 and 1", BAD},
    {"\"wander\":\"KCtB", "\"wander\":\"KCtC", "columns.wander[0]", "a unit vector", BAD},
    {"\"solid\":\"BAAE", "\"solid\":\"BQAE", "columns.solid[0]", "1 + the index of a solid", BAD},
    {"\"side\":\"AQAB", "\"side\":\"AgAB", "columns.side[0]", "-1, 0 and 1", BAD},
    {"\"path\":\"AAAA", "\"path\":\"AgAA", "columns.path[0]", "1 + the index of a path", BAD},
    {"\"aim_mode\":\"AAAA", "\"aim_mode\":\"AwAA", "columns.aim_mode[0]", "0, 1", BAD},
    {"\"own_body\":\"AACAPwAA", "\"own_body\":\"AAAAAAAA", "columns.own_body[0]", "mass", BAD},
    {"\"own_body\":", "\"heeding\":", "columns", "no column is called \"heeding\"", BAD},
    {"\"columns\":{", "\"columns\":[],\"c\":{", "columns", "an object", BAD},
    {"\"columns\":{", "\"order\":{\"drift\":1},\"columns\":{", "order.row", "bytes; allowed: 176", BAD},
    {"\"format\":1", "\"format\":2", "format", "0 to 1", BAD},
    {"{\"op\":\"checkpoint\"", "{\"op\":\"chickpoint\"", "op", "line 3 is another line", BAD},
    {"{\"op\":\"drover\",\"format\":1", "{\"op\":\"drover\",\"format\":2", "format", "format 2; allowed: 1",
     FAILURE_VERSION},
    {"\\\"seed\\\":3", "\\\"seat\\\":3", "seat", "text: unknown key", BAD},
};

static void test_mistakes(void **unused) {
    struct simulation_state state;
    size_t length;
    make_zoo(&state);
    char *text = save_text(&state, &length);
    check_mistakes(text, mistakes, sizeof mistakes / sizeof *mistakes);
    free(text);
    simulation_state_fini(&state);
}

/* A save of another core whose world comes out different says so; one that comes out right is taken. */
static void test_other_core(void **unused) {
    struct simulation_state state, other;
    size_t length;
    make_zoo(&state);
    char *text = save_text(&state, &length);
    char own[64];
    (void)snprintf(own, sizeof own, "{\"op\":\"drover\",\"format\":1,\"core\":%d", CORE_NUMBER);
    char *renumbered = replaced(text, own, "{\"op\":\"drover\",\"format\":1,\"core\":77");
    char *wrong = replaced(renumbered, "\"next_id\":49", "\"next_id\":50");
    const struct mistake mistake = {"next_id", "", "core", "the save is of core 77", FAILURE_VERSION};
    assert_int_equal(check_refused(wrong, &mistake), 0);
    read_save(renumbered, strlen(renumbered), &other);
    simulation_state_fini(&other);
    free(text);
    free(renumbered);
    free(wrong);
    simulation_state_fini(&state);
}

/* Every beginning of a save is refused. */
static void test_cut(void **unused) {
    struct simulation_state state;
    size_t length;
    simulation_state_init(&state);
    put_world(&state, school, "pen");
    step_state(&state, 3);
    char *text = save_text(&state, &length);
    for (size_t cut = 0; cut < length; cut++) {
        struct built_world built;
        struct checkpoint_rest rest;
        struct failure failure = {.code = FAILURE_NONE};
        char *copy = malloc(cut + 1); /* so that reading behind the end is seen */
        assert_non_null(copy);
        memcpy(copy, text, cut);
        assert_int_equal(saved_world_read(copy, cut, &no_overrides, NULL, &built, &rest, &failure), -1);
        assert_int_equal(failure.code, FAILURE_BAD_SAVE);
        assert_null(built.world);
        free(copy);
    }
    free(text);
    simulation_state_fini(&state);
}

/* Every byte replaced: refused, or the same world. */
static void test_every_byte(void **unused) {
    static const char others[] = {'0', '"', '}', 'B', '\0', ',', '\n', '\x80'};
    struct simulation_state state;
    size_t length;
    int taken = 0;
    simulation_state_init(&state);
    put_world(&state, school, "pen");
    step_state(&state, 3);
    const uint64_t hash = world_hash(state.world);
    char *text = save_text(&state, &length);
    for (size_t at = 0; at < length; at++) {
        const char right = text[at];
        text[at] = others[at % sizeof others];
        struct built_world built;
        struct checkpoint_rest rest;
        struct failure failure = {.code = FAILURE_NONE};
        if (saved_world_read(text, length, &no_overrides, NULL, &built, &rest, &failure) == 0) {
            assert_int_equal(world_hash(built.world), hash);
            built_world_fini(&built);
            taken++;
        } else {
            assert_int_not_equal(failure.code, FAILURE_NONE);
            assert_true(failure.message[0] != '\0');
        }
        text[at] = right;
    }
    assert_in_range(taken, 1, length / 2);
    free(text);
    simulation_state_fini(&state);
}

/* A world of the save, or of one with the hash that its world has; ticks. Whether there was one. */
static bool run_changed(char *text, size_t length) {
    struct built_world built;
    struct checkpoint_rest rest;
    struct failure failure;
    int result = saved_world_read(text, length, &no_overrides, NULL, &built, &rest, &failure);
    if (result != 0 && strcmp(failure.field, "hash") == 0 && save_put_hash(text, length, &failure)) {
        result = saved_world_read(text, length, &no_overrides, NULL, &built, &rest, &failure);
        assert_int_equal(result, 0);
    }
    for (int tick = 0; result == 0 && tick < 3; tick++) {
        world_step(built.world);
    }
    built_world_fini(&built);
    return result == 0;
}

/* Characters of the columns replaced, and the hash put right: what passes all other checks must tick. */
static void check_changed_columns(const struct simulation_state *state, size_t stride) {
    static const char others[] = "A/f8Q";
    size_t length;
    int taken = 0;
    char *text = save_text(state, &length);
    char *copy = malloc(length);
    assert_non_null(copy);
    for (size_t at = (size_t)(strstr(text, "\"columns\"") - text), i = 0; at < length; at += stride, i++) {
        memcpy(copy, text, length);
        copy[at] = others[i % (sizeof others - 1)];
        taken += run_changed(copy, length);
    }
    assert_in_range(taken, 20, length);
    free(text);
    free(copy);
}

static void test_changed_columns(void **unused) {
    struct simulation_state state;
    make_zoo(&state);
    check_changed_columns(&state, getenv("DROVER_SLOW") != NULL ? 1 : 31);
    simulation_state_fini(&state);
    simulation_state_init(&state);
    put_world(&state, school, "pen");
    step_state(&state, 3);
    check_changed_columns(&state, 3);
    simulation_state_fini(&state);
}

static void test_limits(void **unused) {
    struct scenario scenario = scenario_of(school, "pen");
    struct built_world built;
    struct checkpoint_rest rest;
    struct failure failure;
    const atomic_bool given_up = true;
    struct simulation_state state;
    struct buffer line;
    assert_int_equal(checkpoint_read("{", (size_t)LIMIT_CHECKPOINT_BYTES + 1, &scenario, &no_overrides, NULL,
                                     &built, &rest, &failure),
                     -1);
    assert_int_equal(failure.code, FAILURE_BAD_SAVE);
    simulation_state_init(&state);
    put_world(&state, school, "pen");
    rest = checkpoint_rest_of(&state);
    buffer_init(&line, SAVE_BYTES);
    checkpoint_write(state.world, &rest, &line, NULL);
    assert_int_equal(checkpoint_read(line.data, line.length - 1, &scenario, &no_overrides, &given_up, &built,
                                     &rest, &failure),
                     -1);
    assert_int_equal(failure.code, FAILURE_BUSY);
    assert_null(built.world);
    buffer_fini(&line);
    buffer_init(&line, 1000);
    checkpoint_write(state.world, &rest, &line, NULL);
    assert_true(line.failed);
    buffer_fini(&line);
    simulation_state_fini(&state);
    scenario_fini(&scenario);
}

/* ==== replay ====
 * Playing a recording from memory: what was recorded by hand comes out hash for hash, whatever the instructions;
 * what cannot be played is said. */

/* A source in memory, which begins at its first world. */
struct memory {
    const char *text;
    size_t length, next;
    uint64_t hashes; /* that were found */
};

static int memory_next(void *context, const char **line, size_t *length, struct failure *failure) {
    struct memory *memory = context;
    (void)failure;
    if (memory->next >= memory->length) {
        return 0;
    }
    *line = memory->text + memory->next;
    const char *newline = memchr(*line, '\n', memory->length - memory->next);
    assert_non_null(newline);
    *length = (size_t)(newline - *line);
    memory->next += *length + 1;
    return 1;
}

static bool memory_find_hash(void *context, const struct recording_moment *moment, uint64_t last_seq,
                             uint64_t *hash) {
    struct memory *memory = context;
    struct memory reader = {.text = memory->text, .length = memory->length};
    const char *text = NULL;
    size_t length = 0;
    uint32_t world = 0;
    while (memory_next(&reader, &text, &length, NULL) > 0) {
        struct recording_line line;
        struct failure failure;
        if (recording_line_read(text, length, &line, &failure) != 0) {
            continue;
        }
        world += line.op == RECORDING_WORLD;
        if ((line.op == RECORDING_HASH || line.op == RECORDING_CHECKPOINT) && world == moment->world &&
            line.tick == moment->tick && line.seq >= moment->seq && line.seq <= last_seq) {
            *hash = line.hash;
            memory->hashes++;
            return true;
        }
    }
    return false;
}

static int memory_seek(void *context, const struct recording_moment *moment, struct simulation_state *state,
                       struct failure *failure) {
    struct memory *memory = context;
    const char *text = NULL;
    size_t length = 0;
    struct recording_line line;
    (void)moment;
    memory->next = 0;
    assert_int_equal(memory_next(memory, &text, &length, failure), 1); /* drover */
    assert_int_equal(memory_next(memory, &text, &length, failure), 1);
    assert_int_equal(recording_line_read(text, length, &line, failure), 0);
    char *plain = recording_line_text(&line, &length);
    struct built_world built = run_build(line.scenario, plain, line.seed);
    free(plain);
    simulation_state_change(state, &built);
    built_world_fini(&built);
    state->seq = line.seq;
    return 0;
}

static uint32_t memory_world(void *context) {
    (void)context;
    return 1;
}

static struct recording_source source_of(struct memory *memory, const struct run *run) {
    *memory = (struct memory){.text = run->text.data, .length = run->text.length};
    return (struct recording_source){.context = memory,
                                     .next = memory_next,
                                     .find_hash = memory_find_hash,
                                     .seek = memory_seek,
                                     .world = memory_world,
                                     .last = {run->world, world_tick(run->state.world), run->state.seq}};
}

struct played {
    struct simulation_state state;
    struct replay_divergence divergence;
    struct failure failure;
    enum replay_step last;
    uint64_t hashes, ticks, changes;
    struct replay_change first, latest;
    int false_checks;
};

static void play(const struct run *run, enum simd simd, struct played *out) {
    struct memory memory;
    const struct recording_source source = source_of(&memory, run);
    const struct world_overrides overrides = {.has_simd = true, .simd = simd};
    struct replay *replay = replay_create(&source, &overrides, NULL);
    struct replay_change change;
    *out = (struct played){0};
    simulation_state_init(&out->state);
    const struct recording_moment start = {.world = 1};
    assert_int_equal(replay_begin(replay, &out->state, &start, &out->failure), 0);
    world_set_simd(out->state.world, simd);
    while ((out->last = replay_next(replay, &out->state, &change, &out->failure)) < REPLAY_END) {
        if (out->last == REPLAY_CHANGED) {
            out->first = out->changes == 0 ? change : out->first;
            out->latest = change;
            out->changes++;
            out->false_checks += !replay_check(replay, &out->state);
            continue;
        }
        simulation_state_step(&out->state);
        out->ticks++;
        out->false_checks += !replay_check(replay, &out->state);
    }
    out->divergence = *replay_divergence(replay);
    out->hashes = memory.hashes;
    replay_destroy(replay);
}

static void end_played(struct played *played) {
    simulation_state_fini(&played->state);
}

static void everything_comes_out_as_recorded(void **state) {
    struct run run;
    run_everything(&run);
    for (enum simd simd = SIMD_PLAIN; simd < SIMD_COUNT; simd++) {
        if (!simd_is_supported(simd)) {
            continue;
        }
        struct played played;
        play(&run, simd, &played);
        assert_int_equal(played.last, REPLAY_END);
        if (played.divergence.has_diverged) {
            fail_msg("tick %llu: %s", (unsigned long long)played.divergence.moment.tick,
                     played.divergence.reason);
        }
        assert_int_equal(played.false_checks, 0);
        assert_true(played.hashes >= 24);
        assert_true(world_hash(played.state.world) == world_hash(run.state.world));
        assert_true(world_tick(played.state.world) == world_tick(run.state.world));
        assert_true(played.state.seq == run.state.seq);
        assert_string_equal(played.state.name, "lake");
        assert_memory_equal(played.state.cursors.owners, run.state.cursors.owners,
                            sizeof run.state.cursors.owners);
        assert_int_equal(played.first.op, REQUEST_CURSOR);
        assert_int_equal(played.first.by, 3);
        assert_string_equal(played.first.name, "Ann");
        assert_true(played.first.effects.changed);
        assert_int_equal(played.latest.op, REQUEST_SPAWN);
        end_played(&played);
    }
    run_end(&run);
}

/* Puts another text in place of the first one; both have the same length. */
static void replace(struct run *run, const char *text, const char *other) {
    char *found = strstr(run->text.data, text);
    assert_non_null(found);
    assert_int_equal(strlen(text), strlen(other));
    memcpy(found, other, strlen(other));
}

static void other_hash_is_a_divergence_and_the_replay_goes_on(void **state) {
    struct run run;
    struct played played;
    run_begin(&run, "lake", run_lake, 1);
    run_ticks(&run, 10);
    run_hash(&run);
    run_ticks(&run, 10);
    run_hash(&run);
    run_at(&run);
    static const char hash[] = "\"tick\":10,\"seq\":0,\"hash\":\"";
    char *digit = strstr(run.text.data, hash) + strlen(hash);
    *digit = *digit == '0' ? '1' : '0';
    play(&run, SIMD_PLAIN, &played);
    assert_int_equal(played.last, REPLAY_END);
    assert_true(played.divergence.has_diverged);
    assert_int_equal(played.divergence.moment.tick, 10);
    assert_int_equal(played.divergence.moment.world, 1);
    assert_true((played.divergence.recorded ^ played.divergence.computed) >> 60 != 0);
    assert_true(((played.divergence.recorded ^ played.divergence.computed) << 4) == 0);
    assert_int_equal(played.false_checks, 1);
    assert_int_equal(played.ticks, 20);
    end_played(&played);
    run_end(&run);
}

static void request_that_is_refused_now_is_a_divergence(void **state) {
    struct run run;
    struct played played;
    run_begin(&run, "lake", run_lake, 1);
    run_ticks(&run, 10);
    assert_true(run_do(&run, 1, "{\"op\":\"add_target\",\"name\":\"rock\",\"x\":1,\"y\":2}"));
    run_ticks(&run, 10);
    assert_true(run_do(&run, 1, "{\"op\":\"remove_target\",\"name\":\"rock\"}"));
    run_ticks(&run, 10);
    run_at(&run);
    replace(&run, "\"name\":\"rock\",", "\"name\":\"stok\",");
    play(&run, SIMD_PLAIN, &played);
    assert_int_equal(played.last, REPLAY_END);
    assert_true(played.divergence.has_diverged);
    assert_int_equal(played.divergence.moment.tick, 20);
    assert_non_null(strstr(played.divergence.reason, "remove_target"));
    assert_non_null(strstr(played.divergence.reason, "refused now: no target"));
    assert_int_equal(played.ticks, 30);
    assert_int_equal(played.state.seq, 2);
    end_played(&played);
    run_end(&run);
}

static void what_is_no_request_of_a_do_line_is_a_divergence(void **state) {
    static const char *const wrong[] = {"{\"op\":\"load\",\"scenario\":\"lake\"}",
                                        "{\"op\":\"pause\"}",
                                        "{\"op\":\"step\",\"count\":5}",
                                        "{\"op\":\"hello\",\"name\":\"a\"}",
                                        "{\"op\":\"fly\"}",
                                        "{}",
                                        "{\"op\":\"spawn\",\"kind\":7}",
                                        "{\"op\":\"inspect\",\"agent\":1}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct run run;
        struct played played;
        run_begin(&run, "lake", run_lake, 1);
        run_ticks(&run, 2);
        run.state.seq++;
        struct recording_line line = {.op = RECORDING_DO, .by = 1};
        line.request = wrong[i];
        line.request_length = strlen(wrong[i]);
        run_write(&run, line);
        run_ticks(&run, 2);
        run_at(&run);
        play(&run, SIMD_PLAIN, &played);
        assert_int_equal(played.last, REPLAY_END);
        assert_true(played.divergence.has_diverged);
        assert_false(played.state.is_paused);
        assert_int_equal(played.ticks, 4);
        end_played(&played);
        run_end(&run);
    }
}

/* The hash of a tick stands behind its last request: a comparison in between would find another world. */
static void several_requests_of_a_tick_are_compared_together(void **state) {
    struct run run;
    struct played played;
    run_begin(&run, "lake", run_lake, 1);
    run_ticks(&run, 10);
    assert_true(run_do(&run, 1, "{\"op\":\"add_target\",\"name\":\"rock\",\"x\":1,\"y\":2}"));
    assert_true(run_do(&run, 1, "{\"op\":\"add_target\",\"name\":\"reed\",\"x\":3,\"y\":4}"));
    run_hash(&run);
    run_ticks(&run, 2);
    run_at(&run);
    play(&run, SIMD_PLAIN, &played);
    assert_int_equal(played.false_checks, 0);
    assert_false(played.divergence.has_diverged);
    assert_int_equal(played.hashes, 1);
    end_played(&played);
    run_end(&run);
}

/* A saved world that was loaded: its checkpoint follows the world line. */
static void loaded_save_comes_out_as_recorded(void **state) {
    struct run run;
    struct played played;
    run_begin(&run, "pond", run_pond, 1);
    run_ticks(&run, 20);
    assert_true(run_do(&run, 2, "{\"op\":\"cursor\",\"x\":5,\"y\":6}"));
    run_ticks(&run, 20);
    struct world *saved = world_clone_new(run.state.world);
    const struct checkpoint_rest rest = checkpoint_rest_of(&run.state);
    run_ticks(&run, 30);
    run_at(&run);
    /* the load */
    const uint64_t seq = run.state.seq + 1;
    struct built_world built = run_build("pond", run_pond, 1);
    world_destroy(built.world);
    built.world = saved;
    checkpoint_restore(&run.state, &built, &rest);
    built_world_fini(&built);
    run.state.seq = seq;
    run_write_world(&run, 7);
    run_checkpoint(&run);
    run_ticks(&run, 15);
    assert_true(run_do(&run, 2, "{\"op\":\"cursor\",\"x\":50,\"y\":60}"));
    run_ticks(&run, 15);
    run_hash(&run);
    run_at(&run);
    play(&run, SIMD_PLAIN, &played);
    assert_int_equal(played.last, REPLAY_END);
    assert_false(played.divergence.has_diverged);
    assert_true(played.state.seq == run.state.seq);
    assert_int_equal(world_tick(played.state.world), 70);
    assert_true(world_hash(played.state.world) == world_hash(run.state.world));
    end_played(&played);

    char *checkpoint = strstr(run.text.data, "{\"op\":\"checkpoint\"");
    checkpoint[2] = 'x'; /* an op that is not known */
    play(&run, SIMD_PLAIN, &played);
    assert_int_equal(played.last, REPLAY_FAILED);
    assert_int_equal(played.failure.code, FAILURE_BAD_SAVE);
    assert_non_null(strstr(played.failure.message, "lacks its checkpoint"));
    end_played(&played);
    run_end(&run);
}

static void scenario_that_cannot_be_read_ends_the_replay(void **state) {
    struct run run;
    struct played played;
    run_begin(&run, "lake", run_lake, 1);
    run_ticks(&run, 5);
    run_load(&run, 1, "pond", run_pond, 2);
    char *found = strstr(run.text.data, "\\\"seek\\\"");
    memcpy(found, "\\\"soek\\\"", 8);
    play(&run, SIMD_PLAIN, &played);
    assert_int_equal(played.last, REPLAY_FAILED);
    assert_int_equal(played.failure.code, FAILURE_BAD_SAVE);
    assert_int_equal(played.ticks, 5);
    assert_string_equal(played.state.name, "lake");
    end_played(&played);
    run_end(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_school),
        cmocka_unit_test(test_no_agents),
        cmocka_unit_test(test_seed_and_rate),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_other_core),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_every_byte),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_changed_columns),
        cmocka_unit_test(everything_comes_out_as_recorded),
        cmocka_unit_test(other_hash_is_a_divergence_and_the_replay_goes_on),
        cmocka_unit_test(request_that_is_refused_now_is_a_divergence),
        cmocka_unit_test(several_requests_of_a_tick_are_compared_together),
        cmocka_unit_test(what_is_no_request_of_a_do_line_is_a_divergence),
        cmocka_unit_test(loaded_save_comes_out_as_recorded),
        cmocka_unit_test(scenario_that_cannot_be_read_ends_the_replay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
