/* Messages about clusters and playback. */

#include "tests/unit/common/test_support.h"

#include "common/base/buffer.h"
#include "common/protocol/message.h"

/* ==== What stats say of the ranks of a cluster, as a client reads it ==== */

#define TIMES "{\"mean\":1.5,\"p99\":2}"
#define HEAD                                                                                                 \
    "{\"cluster\":{\"mode\":\"stripes\",\"count\":2,\"longest\":1,\"balance\":0.5,\"agents\":3,\"ghosts\":"  \
    "1,"                                                                                                     \
    "\"migrants\":9,\"migrants_per_second\":0.25,\"ranks\":"
#define RANK(number, host, more)                                                                             \
    "{\"rank\":" number ",\"host\":" host ",\"work_ms\":" TIMES ",\"wait_ms\":" TIMES                        \
    ",\"agents\":3,\"ghosts\":1,\"migrants\":9" more "}"

static int read(const char *text, struct message_cluster **cluster) {
    struct failure failure;
    cJSON *json = cJSON_Parse(text);
    assert_non_null(json);
    const int result = message_cluster_read(json, cluster, &failure);
    cJSON_Delete(json);
    return result;
}

static void ranks_are_read(void **state) {
    struct message_cluster *cluster;
    assert_int_equal(
        read(HEAD "[" RANK("0", "\"a\"", ",\"rows\":[0,7]") "," RANK("1", "\"\"", "") "]}}", &cluster), 0);
    assert_string_equal(cluster->mode, "stripes");
    assert_true(cluster->count == 2 && cluster->longest == 1 && cluster->rank_count == 2);
    assert_true(cluster->balance == 0.5 && cluster->migrants_hz == 0.25 && cluster->migrants == 9);
    assert_true(cluster->ranks[0].work_ms == 1.5 && cluster->ranks[0].wait_p99_ms == 2.0);
    assert_true(cluster->ranks[0].has_rows && cluster->ranks[0].row == 0 && cluster->ranks[0].row_end == 7);
    assert_string_equal(cluster->ranks[0].host, "a");
    assert_true(cluster->ranks[1].rank == 1 && !cluster->ranks[1].has_rows);
    free(cluster);
}

static void one_process_has_none(void **state) {
    struct message_cluster *cluster;
    assert_int_equal(read("{\"op\":\"reply\",\"to\":\"stats\"}", &cluster), 0);
    assert_null(cluster);
}

static void what_is_wrong_is_refused(void **state) {
    static const char *const wrong[] = {
        "{\"cluster\":7}",
        "{\"cluster\":{\"mode\":\"copy\"}}",
        HEAD "7}}",
        HEAD "[7]}}",
        HEAD "[" RANK("-1", "\"a\"", "") "]}}",
        HEAD "[" RANK("0", "8", "") "]}}",
        HEAD "[" RANK("0", "\"a\"", ",\"rows\":[0]") "]}}",
        HEAD "[" RANK("0", "\"a\"", ",\"rows\":[-1,2]") "]}}",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct message_cluster *cluster;
        assert_int_equal(read(wrong[i], &cluster), -1);
        assert_null(cluster);
    }
}

static void no_more_than_there_is_room_for(void **state) {
    struct message_cluster *cluster;
    for (int count = MESSAGE_RANKS; count <= MESSAGE_RANKS + 1; count++) {
        struct buffer text;
        buffer_init(&text, 1 << 15);
        buffer_append_text(&text, HEAD "[");
        for (int i = 0; i < count; i++) {
            buffer_append_text(&text, i == 0 ? RANK("0", "\"a\"", "") : "," RANK("0", "\"a\"", ""));
        }
        buffer_append_text(&text, "]}}");
        assert_false(text.failed);
        assert_int_equal(read(text.data, &cluster), count == MESSAGE_RANKS ? 0 : -1);
        free(cluster);
        buffer_fini(&text);
    }
}

/* ==== message_playback: what hello and stats say of a recording, there and back; hostile servers ==== */

static const struct message_playback full = {
    .is_resuming = true,
    .resumed = 0.4,
    .has_left_out = true,
    .left_out_ticks = 3600,
    .left_out_requests = 12,
    .has_replay = true,
    .replay = {.world = 2,
               .worlds = 2,
               .tick = 40,
               .first = 7,
               .last = 900,
               .speed = 0.5,
               .has_diverged = true,
               .diverged_world = 1,
               .diverged_tick = 60,
               .is_seeking = true,
               .sought = 0.25,
               .span_count = 2,
               .spans = {{0, 7200}, {7, 900}}},
};

static struct buffer written(const struct message_playback *playback) {
    struct buffer out;
    buffer_init(&out, 1 << 16);
    struct json_writer json = json_writer_begin(&out);
    json_object(&json);
    message_playback_write(playback, &json);
    json_end(&json);
    return out;
}

static int read_text(const char *text, size_t length, struct message_playback *playback) {
    struct failure failure = {0};
    cJSON *json = cJSON_ParseWithLength(text, length);
    assert_non_null(json);
    *playback = (struct message_playback){0};
    const int result = message_playback_read(json, playback, &failure);
    cJSON_Delete(json);
    return result;
}

static void all_members_come_back(void **state) {
    struct message_playback playback;
    struct buffer out = written(&full);
    assert_int_equal(read_text(out.data, out.length, &playback), 0);
    assert_true(playback.is_resuming && playback.resumed == 0.4);
    assert_true(playback.has_left_out && playback.left_out_ticks == 3600 && playback.left_out_requests == 12);
    assert_true(playback.has_replay);
    assert_int_equal(playback.replay.world, 2);
    assert_int_equal(playback.replay.last, 900);
    assert_true(playback.replay.speed == 0.5 && playback.replay.is_seeking && playback.replay.sought == 0.25);
    assert_true(playback.replay.has_diverged && playback.replay.diverged_tick == 60);
    assert_int_equal(playback.replay.span_count, 2);
    assert_int_equal(playback.replay.spans[1].first, 7);
    assert_int_equal(playback.replay.spans[1].last, 900);
    buffer_fini(&out);
}

static void a_live_world_has_no_member(void **state) {
    const struct message_playback none = {0};
    struct message_playback playback;
    struct buffer out = written(&none);
    assert_int_equal(out.length, 2);
    assert_int_equal(read_text(out.data, out.length, &playback), 0);
    assert_false(playback.is_resuming || playback.has_left_out || playback.has_replay);
    buffer_fini(&out);
}

static void a_hostile_server_is_refused(void **state) {
    static const char *const texts[] = {
        "{\"resuming\":2}",
        "{\"resuming\":\"x\"}",
        "{\"left_out\":{}}",
        "{\"replay\":1}",
        "{\"replay\":{}}",
        "{\"replay\":{\"world\":0,\"tick\":0,\"first\":0,\"last\":0,\"worlds\":1,\"speed\":1,\"diverged\":"
        "false}}",
        "{\"replay\":{\"world\":1,\"tick\":0,\"first\":0,\"last\":0,\"worlds\":1,\"speed\":1,\"diverged\":"
        "false,"
        "\"spans\":[1]}}",
        "{\"replay\":{\"world\":1,\"tick\":0,\"first\":0,\"last\":0,\"worlds\":1,\"speed\":1,\"diverged\":"
        "false,"
        "\"spans\":[[0,-1]]}}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct message_playback playback;
        assert_int_equal(read_text(texts[i], strlen(texts[i]), &playback), -1);
    }
}

static void spans_beyond_the_room_are_left_out(void **state) {
    struct buffer out;
    struct message_playback playback;
    buffer_init(&out, 1 << 16);
    static const char start[] = "{\"replay\":{\"world\":1,\"tick\":0,\"first\":0,\"last\":0,\"worlds\":99,"
                                "\"speed\":0,\"diverged\":false,\"spans\":[[0,1]";
    buffer_append(&out, start, sizeof start - 1);
    for (int i = 1; i < 99; i++) {
        buffer_append(&out, ",[0,1]", 6);
    }
    buffer_append(&out, "]}}", 3);
    assert_int_equal(read_text(out.data, out.length, &playback), 0);
    assert_int_equal(playback.replay.span_count, MESSAGE_REPLAY_SPANS);
    assert_int_equal(playback.replay.worlds, 99);
    buffer_fini(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_read),
        cmocka_unit_test(one_process_has_none),
        cmocka_unit_test(what_is_wrong_is_refused),
        cmocka_unit_test(no_more_than_there_is_room_for),
        cmocka_unit_test(all_members_come_back),
        cmocka_unit_test(a_live_world_has_no_member),
        cmocka_unit_test(a_hostile_server_is_refused),
        cmocka_unit_test(spans_beyond_the_room_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
