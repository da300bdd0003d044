/* What stats say of the ranks of a cluster, as a client reads it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/protocol/message.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_read),
        cmocka_unit_test(one_process_has_none),
        cmocka_unit_test(what_is_wrong_is_refused),
        cmocka_unit_test(no_more_than_there_is_room_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
