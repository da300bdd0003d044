/* Requests: every operation, help, steps. */

#include "tests/unit/common/test_support.h"

#include <cjson/cJSON.h>
#include <stdio.h>

#include "common/json/field_json.h"
#include "common/protocol/request.h"
#include "common/protocol/request_batch.h"
#include "common/protocol/request_extra.h"
#include "common/protocol/request_table.h"
#include "common/snapshot/snapshot.h"
#include "tests/support/request_decode.h"
#include "tests/unit/common/protocol/request_lines.h"
#include "tests/unit/common/protocol/request_same.h"

/* ==== request: decoding, the rules between fields, refusals, and the round trip of random requests ==== */

static void refused(const char *text, const char *id, enum failure_code code, const char *field,
                    const char *message) {
    const struct request request = refused_line(text, code, field, message);
    assert_string_equal(request.id, id);
}

static void fills_defaults(void **state) {
    const struct request subscribe = decoded("{\"op\":\"subscribe\"}");
    assert_int_equal(subscribe.op, REQUEST_SUBSCRIBE);
    assert_true(subscribe.body.subscribe.hz == 30.0 && !subscribe.body.subscribe.forces);
    assert_string_equal(subscribe.id, "");
    const struct request spawn = decoded("{\"op\":\"spawn\",\"kind\":\"prey\"}");
    assert_int_equal(spawn.body.spawn.count, 1);
    assert_false(spawn.body.spawn.has_point || spawn.body.spawn.has_heading);
    assert_int_equal(decoded("{\"op\":\"step\"}").body.step.count, 1);
    assert_int_equal(decoded("{\"op\":\"list\"}").body.list.what, LIST_SCENARIOS);
    assert_int_equal(decoded("{\"op\":\"list\",\"what\":\"behaviors\"}").body.list.what, LIST_BEHAVIORS);
    assert_false(decoded("{\"op\":\"ping\"}").body.ping.has_t0);
    assert_false(decoded("{\"op\":\"load\",\"scenario\":\"a\"}").body.load.has_seed);
}

static void reads_fields(void **state) {
    const struct request spawn =
        decoded("{\"count\":3,\"op\":\"spawn\",\"kind\":\"seeker\",\"x\":100,\"y\":-5.5,"
                "\"heading\":90,\"vx\":1,\"radius\":2,\"id\":7,\"more\":{\"a\":[1]}}");
    assert_string_equal(spawn.id, "7");
    assert_string_equal(spawn.body.spawn.kind, "seeker");
    assert_true(spawn.body.spawn.has_point && spawn.body.spawn.has_heading);
    assert_true(spawn.body.spawn.x == 100.0f && spawn.body.spawn.y == -5.5f);
    assert_true(spawn.body.spawn.heading > 1.5707f && spawn.body.spawn.heading < 1.5709f);
    const struct request target =
        decoded("{\"op\":\"set_target\",\"agent\":4294967295,\"follow\":\"mouse\"}");
    assert_true(target.body.set_target.has_agent && target.body.set_target.has_follow);
    assert_int_equal(target.body.set_target.agent, UINT32_MAX);
    assert_false(target.body.set_target.has_name || target.body.set_target.has_point);
    assert_true(decoded("{\"op\":\"set_target\",\"kind\":\"a\",\"clear\":true}").body.set_target.clear);
    const struct request one = decoded("{\"op\":\"remove\",\"agent\":9}");
    assert_int_equal(one.body.remove.agent_count, 1);
    assert_int_equal(one.body.remove.agents[0], 9);
    const struct request many = decoded("{\"op\":\"remove\",\"agents\":[1,77,1]}");
    assert_int_equal(many.body.remove.agent_count, 3);
    assert_int_equal(many.body.remove.agents[1], 77);
    assert_true(decoded("{\"op\":\"remove\",\"kind\":\"a\"}").body.remove.has_kind);
    const struct request load = decoded("{\"op\":\"load\",\"scenario\":\"a\",\"seed\":9007199254740991}");
    assert_true(load.body.load.has_seed && load.body.load.seed == UINT64_C(9007199254740991));
    assert_true(decoded("{\"op\":\"ping\",\"t0\":555.25}").body.ping.t0 == 555.25);
}

static void reads_ids(void **state) {
    assert_string_equal(decoded("{\"op\":\"ping\",\"id\":0}").id, "0");
    assert_string_equal(decoded("{\"op\":\"ping\",\"id\":9007199254740991}").id, "9007199254740991");
    assert_string_equal(decoded("{\"op\":\"ping\",\"id\":1e3}").id, "1000");
    assert_string_equal(decoded("{\"op\":\"ping\",\"id\":\"\"}").id, "\"\"");
    assert_string_equal(decoded("{\"op\":\"ping\",\"id\":\"a\\\"\\u000a\\u0001\\u00e4\"}").id,
                        "\"a\\\"\\n\\u0001\xC3\xA4\"");
    char text[1024] = "{\"op\":\"ping\",\"id\":\"";
    for (int i = 0; i < LIMIT_ID_CHARS; i++) {
        memcpy(text + strlen(text), "\\u0001", 7);
    }
    memcpy(text + strlen(text), "\"}", 3);
    assert_int_equal(strlen(decoded(text).id), LIMIT_ID_CHARS * 6 + 2);
    static const char *const bad[] = {
        "-1",   "1.5",  "9007199254740992",
        "null", "true", "[]",
        "{}",   "1e99", "\"01234567890123456789012345678901234567890123456789012345678901234\""};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        (void)snprintf(text, sizeof text, "{\"op\":\"ping\",\"id\":%s}", bad[i]);
        refused(text, "", FAILURE_INVALID, "id",
                "expected an integer from 0 to 2^53-1 or a string of at most 64 characters");
    }
}

static void refuses_what_is_no_request(void **state) {
    refused("{\"op\":\"mouse\",\"x\":1", "", FAILURE_PARSE, "", "byte 20: the text ends inside an object");
    refused("{\"op\":\"pause\",\"op\":\"remove\",\"id\":1}", "", FAILURE_INVALID, "",
            "byte 15: duplicate key \"op\"");
    refused("[]", "", FAILURE_INVALID, "", "a request is a JSON object like {\"op\":\"ping\"}");
    refused("5", "", FAILURE_INVALID, "", "a request is a JSON object like {\"op\":\"ping\"}");
    refused("{\"id\":3}", "3", FAILURE_INVALID, "op", "missing; every request has an op");
    refused("{\"id\":3,\"OP\":\"ping\"}", "3", FAILURE_INVALID, "op", "missing; every request has an op");
    refused("{\"id\":3,\"op\":1}", "3", FAILURE_INVALID, "op", "expected a string");
    struct request request;
    struct failure failure;
    assert_int_equal(decode("{\"op\":\"fly\",\"id\":\"q\"}", &request, &failure), -1);
    assert_int_equal(failure.code, FAILURE_UNKNOWN_OP);
    assert_string_equal(failure.field, "op");
    assert_string_equal(request.id, "\"q\"");
    static const char begins[] = "unknown op \"fly\"; known: subscribe, unsubscribe, set_region, ";
    assert_memory_equal(failure.message, begins, sizeof begins - 1);
}

static void refuses_bad_fields(void **state) {
    refused("{\"op\":\"spawn\",\"id\":2,\"kind\":\"seeker\",\"count\":0}", "2", FAILURE_OUT_OF_RANGE, "count",
            "0 is out of range: 1 to 100000");
    refused("{\"op\":\"spawn\"}", "", FAILURE_BAD_PARAM, "kind", "missing; expected a string");
    refused("{\"op\":\"spawn\",\"kind\":\"a\",\"y\":1}", "", FAILURE_BAD_PARAM, "x", "x and y go together");
    refused("{\"op\":\"mouse\",\"x\":\"a\",\"y\":1}", "", FAILURE_BAD_PARAM, "x",
            "expected a number, found a string");
    refused("{\"op\":\"mouse\",\"x\":1,\"y\":1000000.5}", "", FAILURE_OUT_OF_RANGE, "y",
            "1000000.5 is out of range: -1000000 to 1000000 px");
    refused("{\"op\":\"mouse\",\"x\":1}", "", FAILURE_BAD_PARAM, "y",
            "missing; expected a number: -1000000 to 1000000 px");
    refused("{\"op\":\"subscribe\",\"hz\":0}", "", FAILURE_OUT_OF_RANGE, "hz",
            "0 is out of range: 0.01 to 480");
    refused("{\"op\":\"list\",\"what\":\"round\"}", "", FAILURE_BAD_PARAM, "what",
            "\"round\" is not one of \"scenarios\", \"kinds\", \"targets\", \"behaviors\", \"saves\", "
            "\"sources\", \"branches\", \"seats\", \"changes\"");
    refused("{\"op\":\"step\",\"count\":2.5}", "", FAILURE_BAD_PARAM, "count",
            "expected an integer, found 2.5");
    refused("{\"op\":\"load\",\"scenario\":\"../x\"}", "", FAILURE_BAD_PARAM, "scenario",
            "\"../x\" is not a name: 1 to 31 characters of A-Z a-z 0-9 _ -");
    refused("{\"op\":\"set_param\",\"kind\":\"a\",\"param\":\"mass\"}", "", FAILURE_BAD_PARAM, "value",
            "missing; expected a number");
}

static void holds_the_rules_between_fields(void **state) {
    refused("{\"op\":\"set_target\",\"id\":4,\"agent\":1,\"x\":1}", "4", FAILURE_BAD_PARAM, "y",
            "x and y go together");
    refused("{\"op\":\"set_target\",\"x\":1,\"y\":1}", "", FAILURE_BAD_PARAM, "name",
            "missing; give exactly one of name, agent, agents, kind");
    refused("{\"op\":\"set_target\",\"name\":\"a\",\"kind\":\"b\",\"x\":1,\"y\":1}", "", FAILURE_BAD_PARAM,
            "kind", "name and kind are mutually exclusive; give exactly one of name, agent, agents, kind");
    refused("{\"op\":\"set_target\",\"name\":\"a\",\"follow\":\"b\"}", "", FAILURE_BAD_PARAM, "follow",
            "allowed only with agent or kind; a named target takes x and y");
    refused("{\"op\":\"set_target\",\"name\":\"a\",\"clear\":true}", "", FAILURE_BAD_PARAM, "clear",
            "allowed only with agent or kind; a named target takes x and y");
    refused("{\"op\":\"set_target\",\"name\":\"a\"}", "", FAILURE_BAD_PARAM, "x",
            "missing; a named target takes x and y");
    refused("{\"op\":\"set_target\",\"agent\":1,\"clear\":false}", "", FAILURE_BAD_PARAM, "x",
            "missing; give x and y, or follow, or clear");
    refused("{\"op\":\"set_target\",\"agent\":1,\"follow\":\"a\",\"x\":1,\"y\":1}", "", FAILURE_BAD_PARAM,
            "follow", "x and y, follow and clear are mutually exclusive");
    refused("{\"op\":\"set_target\",\"agent\":0,\"clear\":true}", "", FAILURE_OUT_OF_RANGE, "agent",
            "0 is out of range: 1 to 4294967295");
    refused("{\"op\":\"remove\"}", "", FAILURE_BAD_PARAM, "agent",
            "missing; give exactly one of agent, agents, kind");
    refused("{\"op\":\"remove\",\"agent\":1,\"kind\":\"a\"}", "", FAILURE_BAD_PARAM, "kind",
            "agent and kind are mutually exclusive; give exactly one of agent, agents, kind");
    refused("{\"op\":\"remove\",\"agents\":3}", "", FAILURE_BAD_PARAM, "agents",
            "expected an array of agents' ids");
    refused("{\"op\":\"remove\",\"agents\":[1,0]}", "", FAILURE_OUT_OF_RANGE, "agents[1]",
            "0 is out of range: 1 to 4294967295");
    refused("{\"op\":\"set_param\",\"param\":\"mass\",\"value\":1}", "", FAILURE_BAD_PARAM, "kind",
            "missing; give exactly one of kind, agent");
    char text[3 * LIMIT_REMOVE_IDS + 64] = "{\"op\":\"remove\",\"agents\":[1";
    for (int i = 0; i < LIMIT_REMOVE_IDS; i++) {
        memcpy(text + 26 + 2 * i, ",1", 3);
    }
    memcpy(text + strlen(text), "]}", 3);
    refused(text, "", FAILURE_OUT_OF_RANGE, "agents", "more than 2048 ids");
}

/* The text of the document is what counts: order, digits and escapes as they came, without white space between tokens. */
static void a_document_keeps_its_text(void **state) {
    static const struct {
        const char *line, *document;
    } rows[] = {
        {"{\"op\":\"load\",\"document\":{}}", "{}"},
        {"{\"op\":\"load\",\"document\":{ } , \"seed\":1}", "{}"},
        {"{\t\"document\" : {\"b\": [1.0, -0, 1E+2 ,\t0.1000000000000000055],\r\n\"a\":{\"x y\":\" , } \\\" "
         "]\"}}\n,\"op\":\"load\"}",
         "{\"b\":[1.0,-0,1E+2,0.1000000000000000055],\"a\":{\"x y\":\" , } \\\" ]\"}}"},
        {" {\"more\":{\"document\":{\"not\":\"this\"}},\"op\":\"load\",\"doc\\u0075ment\":{\"it\":1e-320}}",
         "{\"it\":1e-320}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct request request = decoded(rows[i].line);
        assert_true(request.body.load.has_document);
        assert_string_equal(request.extra->document, rows[i].document);
        assert_int_equal(request.extra->document_length, strlen(rows[i].document));
        struct buffer out;
        buffer_init(&out, 1000);
        request_encode(&request, &out);
        out.data[out.length - 1] = '\0'; /* the newline */
        struct request back = decoded(out.data);
        assert_string_equal(back.extra->document, rows[i].document);
        assert_null(request_difference(&back, &request));
        buffer_fini(&out);
        request_fini(&back);
        request_fini(&request);
    }
    refused("{\"op\":\"load\",\"document\":\"flock\"}", "", FAILURE_BAD_PARAM, "document",
            "expected an object, a scenario; found a string");
    refused(
        "{\"op\":\"load\",\"document\":{},\"scenario\":\"flock\"}", "", FAILURE_BAD_PARAM, "document",
        "scenario and document are mutually exclusive; give exactly one of scenario, save, document, again");
    refused("{\"op\":\"load\",\"name\":\"flock\"}", "", FAILURE_BAD_PARAM, "name",
            "allowed only with document; a scenario of the server, or a saved world, has its name");
    refused("{\"op\":\"load\",\"document\":{},\"name\":\"a\\u0007b\"}", "", FAILURE_BAD_PARAM, "name",
            "\"a\007b\" is not a name: 1 to 31 characters of A-Z a-z 0-9 _ -");
    refused("{\"op\":\"load\",\"document\":{\"a\":1,\"a\":2}}", "", FAILURE_INVALID, "",
            "byte 32: duplicate key \"a\"");
}

static void a_patch(void **state) {
    struct request request = decoded(
        "{\"op\":\"edit\",\"remove_agents\":true,\"patch\":{ \"b\":[1.50,-0,null], \"a\":{\"c\":null}}}");
    assert_true(request.body.edit.remove_agents);
    assert_string_equal(request.extra->document, "{\"b\":[1.50,-0,null],\"a\":{\"c\":null}}");
    request_fini(&request);
    request = decoded(
        "{\"op\":\"batch\",\"requests\":[{\"op\":\"edit\",\"patch\":{\"x\":0.1000000000000000055}}]}");
    assert_string_equal(request_member(&request, 0)->extra->document, "{\"x\":0.1}");
    request_fini(&request);
    refused("{\"op\":\"edit\"}", "", FAILURE_BAD_PARAM, "patch", "missing; expected object");
    refused("{\"op\":\"edit\",\"patch\":[1]}", "", FAILURE_BAD_PARAM, "patch",
            "expected an object, a JSON merge patch of the scenario; found an array");
}

static void what_is_kept(void **state) {
    assert_string_equal(decoded("{\"op\":\"load\",\"save\":\"a\"}").body.load.save, "a");
    refused("{\"op\":\"load\"}", "", FAILURE_BAD_PARAM, "scenario",
            "missing; give exactly one of scenario, save, document, again");
    refused("{\"op\":\"load\",\"scenario\":\"a\",\"save\":\"b\"}", "", FAILURE_BAD_PARAM, "save",
            "scenario and save are mutually exclusive; give exactly one of scenario, save, document, again");
    refused("{\"op\":\"load\",\"save\":\"a\",\"seed\":1}", "", FAILURE_BAD_PARAM, "seed",
            "allowed only with scenario, document or again; a saved world has its seed");
    refused("{\"op\":\"save\",\"name\":\"../a\"}", "", FAILURE_BAD_PARAM, "name",
            "\"../a\" is not a name: 1 to 31 characters of A-Z a-z 0-9 _ -");
    assert_true(decoded("{\"op\":\"cursor\",\"gone\":true}").body.cursor.gone);
    assert_false(decoded("{\"op\":\"cursor\",\"gone\":false,\"x\":1,\"y\":2}").body.cursor.gone);
    refused("{\"op\":\"cursor\",\"x\":1}", "", FAILURE_BAD_PARAM, "y",
            "missing; give x and y, or \"gone\":true");
    refused("{\"op\":\"cursor\",\"gone\":true,\"y\":1}", "", FAILURE_BAD_PARAM, "gone",
            "x and y and gone are mutually exclusive");
    const struct request record = decoded("{\"op\":\"record\",\"on\":false}");
    assert_true(record.body.record.has_on && !record.body.record.on && !record.body.record.has_last);
    refused("{\"op\":\"record\",\"on\":false,\"name\":\"a\"}", "", FAILURE_BAD_PARAM, "name",
            "allowed only with \"on\":true or last");
    refused("{\"op\":\"record\"}", "", FAILURE_BAD_PARAM, "on", "missing; give exactly one of on, last");
    assert_true(decoded("{\"op\":\"speed\",\"max\":true}").body.speed.max);
    refused("{\"op\":\"speed\",\"max\":false}", "", FAILURE_BAD_PARAM, "max",
            "only true is allowed; a number goes into factor");
    refused("{\"op\":\"speed\",\"factor\":0}", "", FAILURE_OUT_OF_RANGE, "factor",
            "0 is out of range: 0.01 to 1000; \"max\":true instead is as fast as ticks can be done");
    refused("{\"op\":\"speed\",\"factor\":\"max\"}", "", FAILURE_BAD_PARAM, "factor",
            "expected a number, found a string; \"max\":true instead is as fast as ticks can be done");
    assert_true(decoded("{\"op\":\"hello\",\"seq\":true}").body.hello.seq);
    assert_true(decoded("{\"op\":\"resume\",\"live\":true}").body.resume.live);
}

static void subscriptions(void **state) {
    const struct request some =
        decoded("{\"op\":\"subscribe\",\"layout\":\"packed\",\"fields\":[\"pos\",\"force\"],"
                "\"kinds\":[\"a\",\"b\"],\"region\":[-1,2.5,3,4]}");
    const struct request_subscribe *subscribe = &some.body.subscribe;
    assert_int_equal(request_snapshot_fields(subscribe), SNAPSHOT_POS | SNAPSHOT_FORCE);
    assert_string_equal(subscribe->kinds, "a b");
    assert_true(subscribe->has_region && subscribe->region[0] == -1.0f && subscribe->region[1] == 2.5f &&
                subscribe->region[2] == 3.0f && subscribe->region[3] == 4.0f);
    const struct request usual = decoded("{\"op\":\"subscribe\"}");
    assert_int_equal(request_snapshot_fields(&usual.body.subscribe), SNAPSHOT_USUAL);
    const struct request forces = decoded("{\"op\":\"subscribe\",\"layout\":\"packed\",\"forces\":true}");
    assert_int_equal(request_snapshot_fields(&forces.body.subscribe),
                     SNAPSHOT_USUAL | SNAPSHOT_FORCE | SNAPSHOT_DESIRED);
    const struct request parts = decoded("{\"op\":\"subscribe\",\"forces\":true,\"parts\":true}");
    assert_int_equal(request_snapshot_fields(&parts.body.subscribe),
                     SNAPSHOT_USUAL | SNAPSHOT_FORCES | SNAPSHOT_PARTS);
    refused("{\"op\":\"subscribe\",\"parts\":true}", "", FAILURE_BAD_PARAM, "parts",
            "parts are those of forces; give \"forces\":true as well");
    refused("{\"op\":\"subscribe\",\"layout\":\"packed\",\"forces\":true,\"parts\":true}", "",
            FAILURE_BAD_PARAM, "parts", "not available in layout packed");
    const struct request dense = decoded("{\"op\":\"subscribe\",\"layout\":\"density\",\"grid\":[128,128]}");
    assert_true(dense.body.subscribe.grid[0] == 128.0f && dense.body.subscribe.grid[1] == 128.0f &&
                !dense.body.subscribe.has_region);

#define SUBSCRIBE(more) "{\"op\":\"subscribe\"," more "}"
    static const char expected[] = "expected [x, y, width, height]";
    refused(SUBSCRIBE("\"region\":[1,2,3]"), "", FAILURE_BAD_PARAM, "region", expected);
    refused(SUBSCRIBE("\"region\":[1,2,3,4,5]"), "", FAILURE_BAD_PARAM, "region", expected);
    refused(SUBSCRIBE("\"region\":[1,2,3,\"4\"]"), "", FAILURE_BAD_PARAM, "region", expected);
    refused(SUBSCRIBE("\"region\":{}"), "", FAILURE_BAD_PARAM, "region", expected);
    refused(SUBSCRIBE("\"region\":null"), "", FAILURE_BAD_PARAM, "region", expected);
    static const char range[] =
        "x and y are within -1000000 and 1000000, width and height 0.01 to 2000000 px";
    refused(SUBSCRIBE("\"region\":[1,2,0,4]"), "", FAILURE_OUT_OF_RANGE, "region", range);
    refused(SUBSCRIBE("\"region\":[1,1000001,1,4]"), "", FAILURE_OUT_OF_RANGE, "region", range);
    refused(SUBSCRIBE("\"fields\":[\"pos\",\"speed\"]"), "", FAILURE_BAD_PARAM, "fields",
            "no field \"speed\"; allowed: pos, vel, heading, state, kind, stamina, force, desired");
    refused(SUBSCRIBE("\"layout\":\"density\",\"fields\":[\"pos\"]"), "", FAILURE_BAD_PARAM, "fields",
            "not available in layout density");
    refused(SUBSCRIBE("\"layout\":\"events\",\"region\":[0,0,1,1]"), "", FAILURE_BAD_PARAM, "region",
            "not available in layout events");
    refused(SUBSCRIBE("\"layout\":\"density\",\"most\":5"), "", FAILURE_BAD_PARAM, "most",
            "not available in layout density");
    refused(SUBSCRIBE("\"layout\":\"packed\",\"grid\":[4,4]"), "", FAILURE_BAD_PARAM, "grid",
            "not available in layout packed");
    refused(SUBSCRIBE("\"by_kind\":true"), "", FAILURE_BAD_PARAM, "by_kind",
            "not available in layout objects");
    refused(SUBSCRIBE("\"layout\":\"packed\",\"mean_speed\":true"), "", FAILURE_BAD_PARAM, "mean_speed",
            "not available in layout packed");
    refused(SUBSCRIBE("\"layout\":\"density\",\"grid\":[4,4],\"cell\":5"), "", FAILURE_BAD_PARAM, "cell",
            "grid and cell are mutually exclusive");
    refused(SUBSCRIBE("\"layout\":\"density\",\"grid\":[4,4.5]"), "", FAILURE_BAD_PARAM, "grid",
            "expected whole numbers of columns and rows");
    refused(SUBSCRIBE("\"layout\":\"density\",\"grid\":[129,128]"), "", FAILURE_OUT_OF_RANGE, "grid",
            "more than 16384 cells");
    refused("{\"op\":\"set_region\"}", "", FAILURE_BAD_PARAM, "region",
            "give exactly one of region and clear");
    refused("{\"op\":\"set_region\",\"clear\":true,\"region\":[0,0,1,1]}", "", FAILURE_BAD_PARAM, "region",
            "give exactly one of region and clear");
}

static void inspecting(void **state) {
    const struct request request = decoded("{\"op\":\"inspect\",\"agents\":[4,5]}");
    assert_int_equal(request.body.inspect.agent_count, 2);
    assert_int_equal(request.body.inspect.agents[1], 5);
    refused("{\"op\":\"inspect\"}", "", FAILURE_BAD_PARAM, "agent",
            "missing; give exactly one of agent, agents");
    refused("{\"op\":\"inspect\",\"agents\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]}", "",
            FAILURE_OUT_OF_RANGE, "agents", "more than 16 ids");
}

static void answers_as_documented(void **state) {
    static const char *const always[] = {
        "subscribe", "unsubscribe", "resync", "get_params", "list", "inspect",     "step",   "load", "ping",
        "bye",       "hello",       "stats",  "help",       "save", "remove_save", "record", "seek", "speed"};
    for (int op = 0; op < REQUEST_OP_COUNT; op++) {
        for (size_t i = 0; i < sizeof always / sizeof always[0]; i++) {
            if (strcmp(always[i], request_op_name((enum request_op)op)) == 0) {
                assert_true(request_always_answers((enum request_op)op));
            }
        }
    }
}

/* Every row is whole: a member left out of an initializer is 0. */
static void every_row_is_whole(void **state) {
    for (int op = 0; op < REQUEST_OP_COUNT; op++) {
        const struct request_row *row = &request_rows[op];
        assert_non_null(row->name);
        assert_non_null(row->fields);
        assert_true((row->traits & (REQUEST_TRAIT_LOOP | REQUEST_TRAIT_WORLD)) != 0);
        bool is_shaped = false;
        for (const struct field *field = row->fields; field->type != FIELD_END; field++) {
            is_shaped = is_shaped || field->type == FIELD_SHAPED;
        }
        const bool is_own =
            op == REQUEST_BATCH || op == REQUEST_COMPARE; /* request_codec.c reads and writes its members */
        assert_true(!is_shaped || is_own || row->write != NULL);
        assert_true(!is_shaped || is_own || row->check != NULL);
        for (int other = 0; other < op; other++) {
            assert_string_not_equal(row->name, request_rows[other].name);
        }
    }
}

/* ---- random requests ---- */

static void random_name(uint64_t *random, char name[LIMIT_NAME_CHARS + 1]) {
    static const char characters[] = "ABCXYZabcxyz0189_-";
    const uint32_t length = 1 + test_below(random, LIMIT_NAME_CHARS);
    for (uint32_t i = 0; i < length; i++) {
        name[i] = characters[test_below(random, sizeof characters - 1)];
    }
}

static float random_float(uint64_t *random, float most) {
    return ((float)test_below(random, 2000001) / 1000000.0f - 1.0f) * most;
}

static bool coin(uint64_t *random) {
    return test_below(random, 2) == 1;
}

static void random_set_target(uint64_t *random, struct request_set_target *target) {
    const uint32_t whose = test_below(random, 3);
    target->has_name = whose == 0;
    target->has_agent = whose == 1;
    target->has_kind = whose == 2;
    if (whose == 0) {
        random_name(random, target->name);
    } else if (whose == 1) {
        target->agent = 1 + test_below(random, UINT32_MAX);
    } else {
        random_name(random, target->kind);
    }
    const uint32_t what = whose == 0 ? 0 : test_below(random, 3);
    target->has_point = what == 0;
    target->has_follow = what == 1;
    target->clear = what == 2;
    if (what == 0) {
        target->x = random_float(random, 1e6f);
        target->y = random_float(random, 1e6f);
    } else if (what == 1) {
        random_name(random, target->follow);
    }
}

static void random_place(uint64_t *random, struct request_place *place) {
    place->has_agent = true;
    place->agent = 1 + test_below(random, UINT32_MAX);
    place->has_point = coin(random);
    place->has_velocity = coin(random);
    place->has_heading = coin(random);
    place->has_stamina = coin(random) || !(place->has_point || place->has_velocity || place->has_heading);
    place->x = place->has_point ? random_float(random, 1e6f) : 0.0f;
    place->y = place->has_point ? random_float(random, 1e6f) : 0.0f;
    place->vx = place->has_velocity ? random_float(random, 20000.0f) : 0.0f;
    place->vy = place->has_velocity ? random_float(random, 20000.0f) : 0.0f;
    place->heading = place->has_heading ? random_float(random, 6.28f) : 0.0f;
    place->stamina = place->has_stamina ? (float)test_below(random, 7000000) / 7.0f : 0.0f;
}

static void random_spawn(uint64_t *random, struct request_spawn *spawn) {
    random_name(random, spawn->kind);
    spawn->count = 1 + test_below(random, LIMIT_SPAWN);
    spawn->has_point = coin(random);
    spawn->has_heading = coin(random);
    if (spawn->has_point) {
        spawn->x = random_float(random, 1e6f);
        spawn->y = random_float(random, 1e6f);
        spawn->radius = (float)test_below(random, 100000) / 7.0f;
    }
    spawn->has_spacing = coin(random) && !(spawn->has_point && spawn->radius == 0.0f);
    spawn->spacing = spawn->has_spacing ? random_float(random, 100000.0f) : 0.0f;
    spawn->spacing = spawn->spacing < 0.0f ? -spawn->spacing : spawn->spacing;
    spawn->vx = random_float(random, 20000.0f);
    spawn->vy = coin(random) ? 0.0f : random_float(random, 20000.0f);
    if (spawn->has_heading) {
        spawn->heading = random_float(random, 6.28f);
    }
}

static void random_remove(uint64_t *random, struct request_remove *remove) {
    remove->has_kind = coin(random);
    if (remove->has_kind) {
        random_name(random, remove->kind);
        return;
    }
    remove->agent_count = (int)test_below(random, 20);
    for (int i = 0; i < remove->agent_count; i++) {
        remove->agents[i] = 1 + test_below(random, UINT32_MAX);
    }
}

static void random_set_param(uint64_t *random, struct request_set_param *param) {
    param->has_kind = coin(random);
    param->has_agent = !param->has_kind;
    if (param->has_kind) {
        random_name(random, param->kind);
    } else {
        param->agent = 1 + test_below(random, UINT32_MAX);
    }
    memcpy(param->param, "seek2.weight\"\xC3\xA4", 16);
    param->value = (double)random_float(random, 1e9f) / 3.0;
}

static void random_drive(uint64_t *random, struct request_drive *drive) {
    drive->has_agent = coin(random);
    drive->has_kind = !drive->has_agent;
    if (drive->has_kind) {
        random_name(random, drive->kind);
    } else {
        drive->agent = 1 + test_below(random, UINT32_MAX);
    }
    drive->vx = random_float(random, 1e9f);
    drive->vy = random_float(random, 1e9f);
}

static void random_region(uint64_t *random, float region[4]) {
    region[0] = random_float(random, 1e6f);
    region[1] = random_float(random, 1e6f);
    region[2] = 0.01f + (float)test_below(random, 1999999);
    region[3] = 0.01f + (float)test_below(random, 1999999);
}

static void random_subscribe(uint64_t *random, struct request_subscribe *subscribe) {
    subscribe->layout = (int)test_below(random, LAYOUT_COUNT);
    const struct frame_layout *row = frame_layout_row(subscribe->layout);
    if (!frame_layout_has_frames(row)) {
        return;
    }
    subscribe->has_region = coin(random);
    if (subscribe->has_region) {
        random_region(random, subscribe->region);
    }
    if (coin(random)) {
        memcpy(subscribe->kinds, "prey hunter-2", 14);
    }
    if (row->fields != 0) {
        subscribe->forces = coin(random);
        subscribe->parts = subscribe->forces && (row->fields & (unsigned)SNAPSHOT_PARTS) != 0 && coin(random);
        if (coin(random)) {
            memcpy(subscribe->fields, "vel stamina desired", 20);
        }
    }
    if (!row->takes_grid) {
        return;
    }
    if (coin(random)) {
        subscribe->cell = 0.5f + (float)test_below(random, 1000);
    } else {
        subscribe->grid[0] = 1.0f + (float)test_below(random, 128);
        subscribe->grid[1] = 1.0f + (float)test_below(random, 128);
    }
}

static void random_record(uint64_t *random, struct request_record *record) {
    record->has_on = coin(random);
    record->on = record->has_on && coin(random);
    record->has_last = !record->has_on;
    record->last = record->has_last ? 1.0 + (double)test_below(random, 80000) / 7.0 : 0.0;
    if ((record->on || record->has_last) && coin(random)) {
        random_name(random, record->name);
    }
}

static struct request random_request(uint64_t *random) {
    enum request_op op = REQUEST_BATCH; /* those are in test_request_lines.c */
    while (op == REQUEST_BATCH) {
        op = (enum request_op)test_below(random, REQUEST_OP_COUNT);
    }
    struct request request = request_default(op);
    if (coin(random)) {
        (void)snprintf(request.id, sizeof request.id, coin(random) ? "%u" : "\"id-%u\\n\"",
                       test_below(random, 99999));
    }
    switch (request.op) {
    case REQUEST_SUBSCRIBE:
        request.body.subscribe.hz = 0.01 + (double)test_below(random, 479000) / 999.0;
        random_subscribe(random, &request.body.subscribe);
        break;
    case REQUEST_INSPECT:
        request.body.inspect.agent_count = 1 + (int)test_below(random, LIMIT_INSPECT_IDS);
        for (int i = 0; i < request.body.inspect.agent_count; i++) {
            request.body.inspect.agents[i] = 1 + test_below(random, 4000000000u);
        }
        break;
    case REQUEST_MEASURE:
        if (coin(random)) {
            random_name(random, request.body.measure.names);
        }
        break;
    case REQUEST_SET_REGION:
        request.body.set_region.clear = coin(random);
        request.body.set_region.has_region = !request.body.set_region.clear;
        if (request.body.set_region.has_region) {
            random_region(random, request.body.set_region.region);
        }
        break;
    case REQUEST_SET_TARGET:
        random_set_target(random, &request.body.set_target);
        break;
    case REQUEST_DRIVE:
        random_drive(random, &request.body.drive);
        break;
    case REQUEST_PLACE:
        random_place(random, &request.body.place);
        break;
    case REQUEST_MOUSE:
        request.body.mouse.x = random_float(random, 1e6f);
        request.body.mouse.y = random_float(random, 1e6f);
        break;
    case REQUEST_SPAWN:
        random_spawn(random, &request.body.spawn);
        break;
    case REQUEST_REMOVE:
        random_remove(random, &request.body.remove);
        break;
    case REQUEST_SET_PARAM:
        random_set_param(random, &request.body.set_param);
        break;
    case REQUEST_GET_PARAMS:
        request.body.get_params.has_kind = coin(random);
        if (request.body.get_params.has_kind) {
            random_name(random, request.body.get_params.kind);
        }
        break;
    case REQUEST_LIST:
        request.body.list.what = (int)test_below(random, 5);
        break;
    case REQUEST_EXPORT:
        request.body.exported.what = (int)test_below(random, 3);
        break;
    case REQUEST_SEAT:
        random_name(random, request.body.seat.name);
        request.body.seat.of = 1 + test_below(random, LIMIT_SEATS);
        request.body.seat.wait_ms = 1 + test_below(random, LIMIT_SEAT_WAIT_MS);
        request.body.seat.on_timeout = (int)test_below(random, 3);
        request.body.seat.misses = 1 + test_below(random, 1000);
        break;
    case REQUEST_GO:
        request.body.go.tick = test_random(random) >> 11;
        request.body.go.count = 1 + test_below(random, LIMIT_STEP);
        request.body.go.hash = coin(random);
        request.body.go.has_return = coin(random);
        request.body.go.view.layout = request.body.go.has_return ? LAYOUT_PACKED : LAYOUT_OBJECTS;
        break;
    case REQUEST_STEP:
        request.body.step.count = 1 + (int32_t)test_below(random, LIMIT_STEP);
        if (coin(random)) {
            request.body.step.count = -request.body.step.count;
            break;
        }
        request.body.step.has_return = request.body.step.view.has_nearest = coin(random);
        request.body.step.view.has_rays = request.body.step.has_return && coin(random);
        if (request.body.step.view.has_rays) {
            request.body.step.view.rays = (struct request_rays){1 + test_below(random, LIMIT_RAYS), 150.5f,
                                                                (float)test_below(random, 361)};
        }
        if (request.body.step.has_return) {
            request.body.step.view.layout = LAYOUT_PACKED;
            request.body.step.view.nearest = 1 + test_below(random, LIMIT_NEAREST);
        }
        break;
    case REQUEST_LOAD:
        random_name(random, coin(random) ? request.body.load.scenario : request.body.load.save);
        request.body.load.has_seed = request.body.load.save[0] == '\0' && coin(random);
        request.body.load.seed = request.body.load.has_seed ? test_random(random) >> 11 : 0;
        break;
    case REQUEST_EDIT:
        request.body.edit.has_patch = true; /* {} */
        request.body.edit.remove_agents = coin(random);
        break;
    case REQUEST_PING:
        request.body.ping.has_t0 = coin(random);
        request.body.ping.t0 = request.body.ping.has_t0 ? (double)(test_random(random) >> 20) / 1000.0 : 0.0;
        break;
    case REQUEST_CURSOR:
        request.body.cursor.gone = coin(random);
        request.body.cursor.x = request.body.cursor.gone ? 0.0f : random_float(random, 1e6f);
        request.body.cursor.y = request.body.cursor.gone ? 0.0f : random_float(random, 1e6f);
        break;
    case REQUEST_RESUME:
        request.body.resume.live = coin(random);
        break;
    case REQUEST_HELLO:
        request.body.hello.seq = coin(random);
        break;
    case REQUEST_SAVE:
        random_name(random, request.body.save.name);
        request.body.save.replace = coin(random);
        break;
    case REQUEST_REMOVE_SAVE:
        random_name(random, request.body.remove_save.name);
        break;
    case REQUEST_RECORD:
        random_record(random, &request.body.record);
        break;
    case REQUEST_SEEK:
        request.body.seek.tick = test_random(random) >> 11;
        request.body.seek.has_world = coin(random);
        request.body.seek.world = request.body.seek.has_world ? 1 + test_below(random, 99) : 0;
        break;
    case REQUEST_REWIND: {
        struct request_rewind *rewind = &request.body.rewind;
        rewind->has_tick = coin(random);
        rewind->tick = rewind->has_tick ? test_random(random) >> 11 : 0;
        rewind->has_without = !rewind->has_tick && coin(random);
        rewind->without = rewind->has_without ? 1 + test_below(random, 999) : 0;
        if (rewind->has_without) {
            break;
        }
        rewind->has_seconds = !rewind->has_tick && coin(random);
        rewind->seconds = rewind->has_seconds ? (double)test_below(random, 99999) / 8.0 : 0.0;
        if (!rewind->has_seconds) {
            random_name(random, rewind->has_tick || coin(random) ? rewind->branch : rewind->mark);
        }
        break;
    }
    case REQUEST_LOOK: {
        struct request_look *look = &request.body.look;
        look->live = coin(random);
        look->follow = !look->live && coin(random);
        look->to.has_ticks = !look->live && coin(random);
        look->to.ticks = look->to.has_ticks ? test_below(random, 99999) : 0;
        if (!look->live && !look->to.has_ticks) {
            look->to.has_tick = true;
            look->to.tick = test_random(random) >> 11;
            random_name(random, look->to.branch);
        }
        break;
    }
    case REQUEST_MARK:
        random_name(random, request.body.mark.name);
        break;
    case REQUEST_COMPARE: {
        struct request_compare *compare = &request.body.compare;
        compare->off = test_below(random, 4) == 0;
        compare->has_change = !compare->off && coin(random);
        compare->value = compare->has_change ? (double)test_below(random, 99999) / 8.0 : 0.0;
        if (compare->has_change) {
            random_name(random, compare->kind);
            random_name(random, compare->param);
        }
        compare->has_follow = !compare->off && coin(random);
        compare->follow = compare->has_follow && coin(random);
        compare->keep = !compare->off && coin(random);
        if (!compare->off && !compare->keep) {
            random_name(random, coin(random) ? compare->branch : compare->save);
        }
        break;
    }
    case REQUEST_SPEED:
        request.body.speed.max = coin(random);
        request.body.speed.has_factor = !request.body.speed.max;
        request.body.speed.factor =
            request.body.speed.max ? 0.0 : 0.01 + (double)test_below(random, 99999) / 100.0;
        break;
    case REQUEST_MOVE_OBSTACLE:
        request.body.move_obstacle.obstacle = 1 + test_below(random, 4000000000u);
        break;
    case REQUEST_SET_OBSTACLE:
        request.body.set_obstacle.obstacle = 1 + test_below(random, 4000000000u);
        request.body.set_obstacle.closed = coin(random);
        break;
    case REQUEST_REMOVE_OBSTACLE:
        request.body.remove_obstacle.obstacle = 1 + test_below(random, 4000000000u);
        break;
    case REQUEST_ADD_TARGET:
        random_name(random, request.body.add_target.name);
        break;
    case REQUEST_REMOVE_TARGET:
        random_name(random, request.body.remove_target.name);
        break;
    case REQUEST_ADD_OBSTACLE: {
        struct obstacle_def *shape = &request.body.add_obstacle.shape;
        shape->shape = (int)test_below(random, 3);
        shape->at = shape->shape == OBSTACLE_POLYGON ? vec2_make(0.0f, 0.0f) : vec2_make(12.5f, -3.0f);
        shape->radius = shape->shape == OBSTACLE_CIRCLE ? 7.25f : 0.0f;
        shape->size = shape->shape == OBSTACLE_BOX ? vec2_make(3.0f, 0.5f) : vec2_make(0.0f, 0.0f);
        shape->point_count = shape->shape == OBSTACLE_POLYGON ? 3 + (int)test_below(random, 14) : 0;
        for (int i = 0; i < shape->point_count; i++) {
            shape->points[i] = vec2_make((float)i, (float)test_below(random, 1000));
        }
        break;
    }
    default:
        break;
    }
    return request;
}

static void every_request_round_trips(void **state) {
    uint64_t random = 5;
    struct buffer out, again;
    buffer_init(&out, LIMIT_LINE_BYTES);
    buffer_init(&again, LIMIT_LINE_BYTES);
    for (int i = 0; i < 20000; i++) {
        const struct request request = random_request(&random);
        buffer_clear(&out);
        request_encode(&request, &out);
        assert_false(out.failed);
        assert_int_equal(out.data[out.length - 1], '\n');
        struct request back;
        struct failure failure;
        if (request_decode(out.data, out.length - 1, &back, &failure) != 0) {
            fail_msg("%s%s: %s", out.data, failure.field, failure.message);
        }
        assert_string_equal(back.id, request.id);
        assert_int_equal(back.op, request.op);
        const char *difference = request_difference(&back, &request);
        if (difference != NULL) {
            fail_msg("another %s after: %s", difference, out.data);
        }
        buffer_clear(&again);
        request_encode(&back, &again);
        assert_string_equal(again.data, out.data);
        request_fini(&back);
    }
    buffer_fini(&out);
    buffer_fini(&again);
}

static void left_out_fields_are_not_written(void **state) {
    struct buffer out;
    buffer_init(&out, 1000);
    for (int op = 0; op < REQUEST_OP_COUNT; op++) {
        if (op == REQUEST_SUBSCRIBE || op == REQUEST_STEP || op == REQUEST_LIST || op == REQUEST_PING) {
            const struct request request = request_default((enum request_op)op);
            char expected[64];
            buffer_clear(&out);
            request_encode(&request, &out);
            (void)snprintf(expected, sizeof expected, "{\"op\":\"%s\"}\n",
                           request_op_name((enum request_op)op));
            assert_string_equal(out.data, expected);
        }
    }
    buffer_fini(&out);
}

/* For any length of the name and any number of ops, the message is whole and its list ends cleanly. */
static void unknown_ops_of_any_length(void **state) {
    char name[201] = "", text[256];
    for (int length = 0; length < 200; length++) {
        struct request request;
        struct failure failure;
        (void)snprintf(text, sizeof text, "{\"op\":\"%s\"}", name);
        assert_int_equal(decode(text, &request, &failure), -1);
        assert_int_equal(failure.code, FAILURE_UNKNOWN_OP);
        const char *known = strstr(failure.message, "; known: subscribe, unsubscribe, ");
        assert_non_null(known);
        const char *last = strrchr(failure.message, ' ') + 1;
        bool is_whole = strcmp(last, "...") == 0;
        for (int op = 0; op < REQUEST_OP_COUNT; op++) {
            is_whole = is_whole || strcmp(last, request_op_name((enum request_op)op)) == 0;
        }
        assert_true(is_whole);
        name[length] = length % 3 == 0 ? 's' : 'e';
    }
}

/* ==== help names every op, every field, and its allowed values ==== */

static void all_ops_with_all_fields(void **state) {
    const struct request_help all = {.about = ""};
    struct failure failure;
    struct buffer out;
    buffer_init(&out, 1 << 20);
    struct json_writer json = json_writer_begin(&out);
    json_object(&json);
    assert_int_equal(request_help_write(&all, &json, &failure), 0);
    json_end(&json);
    cJSON *tree = cJSON_Parse(out.data);
    assert_non_null(tree);
    const cJSON *ops = cJSON_GetObjectItemCaseSensitive(tree, "ops");
    assert_int_equal(cJSON_GetArraySize(ops), REQUEST_OP_COUNT);
    for (int op = 0; op < REQUEST_OP_COUNT; op++) {
        const cJSON *row = cJSON_GetArrayItem(ops, op);
        assert_string_equal(cJSON_GetObjectItemCaseSensitive(row, "op")->valuestring,
                            request_op_name((enum request_op)op));
        const char *role = cJSON_GetObjectItemCaseSensitive(row, "role")->valuestring;
        assert_string_equal(role, role_name(request_role((enum request_op)op)));
        const cJSON *fields = cJSON_GetObjectItemCaseSensitive(row, "fields");
        int at = 0;
        for (const struct field *field = request_fields((enum request_op)op); field->type != FIELD_END;
             field++) {
            const cJSON *said = cJSON_GetArrayItem(fields, at++);
            assert_string_equal(cJSON_GetObjectItemCaseSensitive(said, "name")->valuestring, field->name);
            assert_true(strlen(cJSON_GetObjectItemCaseSensitive(said, "help")->valuestring) > 0);
            assert_int_equal(cJSON_HasObjectItem(said, "choices"), field->choices != NULL);
        }
        assert_int_equal(cJSON_GetArraySize(fields), at);
    }
    cJSON_Delete(tree);
    buffer_fini(&out);
}

static void one_op_or_a_suggestion(void **state) {
    struct failure failure = {0};
    struct buffer out;
    buffer_init(&out, 1 << 20);
    struct json_writer json = json_writer_begin(&out);
    json_object(&json);
    const struct request_help mouse = {.about = "mouse"};
    assert_int_equal(request_help_write(&mouse, &json, &failure), 0);
    json_end(&json);
    assert_string_equal(
        out.data, "{\"ops\":[{\"op\":\"mouse\",\"role\":\"operator\",\"always_answers\":false,\"fields\":["
                  "{\"name\":\"x\",\"type\":\"number\",\"required\":true,\"min\":-1000000,\"max\":1000000,"
                  "\"unit\":\"px\","
                  "\"help\":\"The place.\"},"
                  "{\"name\":\"y\",\"type\":\"number\",\"required\":true,\"min\":-1000000,\"max\":1000000,"
                  "\"unit\":\"px\","
                  "\"help\":\"The place.\"}]}]}");
    const struct request_help typo = {.about = "mosue"};
    assert_int_equal(request_help_write(&typo, &json, &failure), -1);
    assert_int_equal(failure.code, FAILURE_UNKNOWN_OP);
    assert_string_equal(failure.message, "no op \"mosue\" (did you mean \"mouse\"?)");
    buffer_fini(&out);
}

/* ==== request step ====
 * common/protocol/request_step, and the views of get and step: what is read, refused, and written again. */

/* Decoded and encoded, the line is this one. */
static struct request comes_back(const char *text, const char *as) {
    const struct request request = decoded(text);
    struct buffer out;
    buffer_init(&out, 4096);
    request_encode(&request, &out);
    out.data[out.length - 1] = '\0';
    assert_string_equal(out.data, as);
    buffer_fini(&out);
    return request;
}

static void steps_come_back(void **state) {
    static const char *const lines[] = {
        "{\"op\":\"step\"}",
        "{\"op\":\"step\",\"count\":7}",
        "{\"op\":\"step\",\"return\":\"objects\"}",
        "{\"op\":\"step\",\"region\":[0,1,2,3.5],\"count\":7,\"return\":\"packed\",\"fields\":[\"pos\"],"
        "\"kinds\":[\"a\",\"b\"]}",
        "{\"op\":\"step\",\"until\":{\"reached\":true},\"count\":5}",
        "{\"op\":\"step\",\"until\":{\"caught\":3},\"count\":100000}",
        "{\"op\":\"step\",\"until\":{\"tick\":9007199254740991},\"count\":5}",
        "{\"op\":\"step\",\"until\":{\"state\":{\"kind\":\"prey\",\"name\":\"flee\",\"count\":3}},\"count\":"
        "5}",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        (void)comes_back(lines[i], lines[i]);
    }
    const struct request whole =
        comes_back("{\"op\":\"step\",\"until\":{\"state\":{\"kind\":\"a\",\"name\":\"b\"}}}",
                   "{\"op\":\"step\",\"until\":{\"state\":{\"kind\":\"a\",\"name\":\"b\","
                   "\"count\":1}},\"count\":100000}");
    assert_false(request_answers_with_frame(&whole));
}

static void refuses_bad_steps(void **state) {
    refused_line("{\"op\":\"step\",\"count\":0}", FAILURE_OUT_OF_RANGE, "count",
                 "0 is out of range: 1 to 100000, or -1 to -100000 to go back");
    refused_line("{\"op\":\"step\",\"count\":-100001}", FAILURE_OUT_OF_RANGE, "count",
                 "-100001 is out of range: -100000 to 100000");
    refused_line("{\"op\":\"step\",\"count\":-1.5}", FAILURE_BAD_PARAM, "count",
                 "expected an integer, found -1.5");
    refused_line("{\"op\":\"step\",\"count\":-2,\"until\":{\"reached\":true}}", FAILURE_BAD_PARAM, "until",
                 "allowed only with a count of 1 or more");
    refused_line("{\"op\":\"look\"}", FAILURE_BAD_PARAM, "seconds",
                 "missing; give exactly one of seconds, ticks, tick, mark, live");
    refused_line("{\"op\":\"look\",\"mark\":\"a\",\"branch\":\"b1\"}", FAILURE_BAD_PARAM, "branch",
                 "allowed only with tick");
    refused_line("{\"op\":\"look\",\"live\":false}", FAILURE_BAD_PARAM, "live",
                 "only true is allowed; a moment is looked at with tick, ticks, seconds or mark");
    refused_line("{\"op\":\"look\",\"live\":true,\"follow\":true}", FAILURE_BAD_PARAM, "follow",
                 "the present goes on by itself; leave it out with live");
    refused_line("{\"op\":\"step\",\"kinds\":[\"a\"]}", FAILURE_BAD_PARAM, "kinds",
                 "allowed only with return");
    refused_line("{\"op\":\"step\",\"until\":{\"caught\":0}}", FAILURE_OUT_OF_RANGE, "until.caught",
                 "0 is out of range: 1 to 100000000");
    refused_line("{\"op\":\"step\",\"until\":{\"never\":1}}", FAILURE_BAD_PARAM, "until.never",
                 "unknown key \"never\"; allowed: reached, caught, tick, state");
    refused_line("{\"op\":\"step\",\"until\":{\"state\":{\"kind\":\"a\"}}}", FAILURE_BAD_PARAM,
                 "until.state.name", "missing; expected a string");
    refused_line("{\"op\":\"step\",\"until\":{\"state\":3}}", FAILURE_BAD_PARAM, "until.state",
                 "expected an object, found a number");
    refused_line("{\"op\":\"step\",\"until\":{\"tick\":3,\"reached\":true}}", FAILURE_BAD_PARAM, "until",
                 "give exactly one of reached, caught, state, tick");
}

static void gets_come_back(void **state) {
    (void)comes_back("{\"op\":\"get\"}", "{\"op\":\"get\"}");
    struct request request =
        comes_back("{\"op\":\"get\",\"agents\":[3,1],\"region\":[0,0,1,1],\"layout\":\"packed\"}",
                   "{\"op\":\"get\",\"region\":[0,0,1,1],\"agents\":[3,1],\"layout\":\"packed\"}");
    assert_int_equal(request_columns_of(&request)->count, 2);
    assert_true(request_answers_with_frame(&request));
    request_fini(&request);
    refused_line("{\"op\":\"get\",\"layout\":\"density\"}", FAILURE_BAD_PARAM, "layout",
                 "\"density\" is not one of \"objects\", \"packed\"");
    refused_line("{\"op\":\"get\",\"fields\":[\"speed\"]}", FAILURE_BAD_PARAM, "fields",
                 "no field \"speed\"; allowed: pos, vel, heading, state, kind, stamina, force, desired");
    refused_line("{\"op\":\"get\",\"region\":[1]}", FAILURE_BAD_PARAM, "region",
                 "expected [x, y, width, height]");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_ops_of_any_length),
        cmocka_unit_test(fills_defaults),
        cmocka_unit_test(reads_fields),
        cmocka_unit_test(reads_ids),
        cmocka_unit_test(refuses_what_is_no_request),
        cmocka_unit_test(refuses_bad_fields),
        cmocka_unit_test(holds_the_rules_between_fields),
        cmocka_unit_test(a_document_keeps_its_text),
        cmocka_unit_test(a_patch),
        cmocka_unit_test(what_is_kept),
        cmocka_unit_test(subscriptions),
        cmocka_unit_test(inspecting),
        cmocka_unit_test(answers_as_documented),
        cmocka_unit_test(every_row_is_whole),
        cmocka_unit_test(every_request_round_trips),
        cmocka_unit_test(left_out_fields_are_not_written),
        cmocka_unit_test(all_ops_with_all_fields),
        cmocka_unit_test(one_op_or_a_suggestion),
        cmocka_unit_test(steps_come_back),
        cmocka_unit_test(refuses_bad_steps),
        cmocka_unit_test(gets_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
