/* Static seconds: what is fetched when, what is fed when, and what is said of an index that is gone. */
#include "tests/unit/server/cmocka_all.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/link/seconds.h"

#define URL "https://example.org/live/index.json?a=1"
#define HELLO                                                                                                \
    "{\"op\":\"hello\",\"protocol\":1,\"server\":\"static seconds\",\"session\":1,\"tick\":0,\"time\":0,"    \
    "\"paused\":false,\"role\":\"viewer\",\"scenario\":{\"name\":\"a\",\"title\":\"A\",\"description\":"     \
    "\"\","                                                                                                  \
    "\"size\":[800,600],\"edge\":\"wrap\",\"seed\":1,\"tick_hz\":60,\"kinds\":[],\"targets\":[]}}\n"
#define SCENARIO                                                                                             \
    "{\"op\":\"scenario\",\"name\":\"a\",\"title\":\"A\",\"description\":\"\",\"size\":[800,600],"           \
    "\"edge\":\"wrap\",\"seed\":1,\"tick_hz\":60,\"kinds\":[],\"targets\":[]}\n"

/* A player, its handle, and the server that it is fed with: second n has ten frames, from the clock n * 1000 on. */
struct stage {
    struct seconds_player player;
    struct drover *world;
    double now_ms;
    char url[SECONDS_WISH_BYTES];
};

static void begin(struct stage *stage) {
    struct drover_options options = DROVER_OPTIONS;
    memset(stage, 0, sizeof *stage);
    options.silence_ms = -1;
    stage->now_ms = 5000.0;
    stage->world = drover_create(&options);
    assert_int_equal(drover_advance(stage->world, stage->now_ms), 0);
    drover_opening(stage->world);
    seconds_player_init(&stage->player, URL);
}

static void end(struct stage *stage) {
    seconds_player_fini(&stage->player);
    drover_close(stage->world);
}

static bool wishes(struct stage *stage) {
    return seconds_player_wish(&stage->player, stage->world, stage->now_ms, stage->url);
}

static void expect_wish(struct stage *stage, const char *url) {
    assert_true(wishes(stage));
    assert_string_equal(stage->url, url);
    char other[SECONDS_WISH_BYTES];
    assert_false(seconds_player_wish(&stage->player, stage->world, stage->now_ms, other)); /* one at a time */
}

static void give(struct stage *stage, const char *text) {
    seconds_player_fetched(&stage->player, stage->world, stage->now_ms, text, strlen(text), NULL);
}

static void give_index(struct stage *stage, uint64_t first, uint64_t latest, const char *more) {
    char text[400];
    (void)snprintf(text, sizeof text,
                   "{\"version\":1,\"latest\":%" PRIu64 ",\"first\":%" PRIu64
                   ",\"layout\":\"packed\",%s\"speed\":1,"
                   "\"clock\":%" PRIu64 ".5,\"written\":1,\"scenarios\":[3,40]}\n",
                   latest, first, more, latest * 1000 + 900);
    give(stage, text);
}

static void give_second(struct stage *stage, uint64_t number) {
    char text[8000] = "";
    size_t used = 0;
    for (int i = 0; i < 10; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "{\"op\":\"snapshot\",\"tick\":%" PRIu64
                                 ",\"time\":1,\"agents\":[],\"targets\":[],"
                                 "\"clock\":%" PRIu64 ".000}\n",
                                 number * 10 + (uint64_t)i, number * 1000 + (uint64_t)i * 100);
    }
    give(stage, text);
}

/* Plays for so long; the tick of the last frame. */
static uint64_t play(struct stage *stage, double ms) {
    uint64_t tick = 0;
    for (const double until_ms = stage->now_ms + ms; stage->now_ms < until_ms; stage->now_ms += 10.0) {
        (void)drover_advance(stage->world, stage->now_ms);
        (void)seconds_player_turn(&stage->player, stage->world, stage->now_ms);
        for (enum drover_event event; (event = drover_next(stage->world)) != DROVER_NOTHING;) {
            tick = event == DROVER_FRAME ? drover_this_frame(stage->world)->tick : tick;
        }
    }
    return tick;
}

static void join(struct stage *stage, uint64_t latest) {
    expect_wish(stage, URL);
    give_index(stage, latest - 5, latest, "\"paused\":false,");
    expect_wish(stage, latest < 40 ? "https://example.org/live/scenario-3.json?a=1"
                                   : "https://example.org/live/scenario-40.json?a=1");
    give(stage, HELLO);
    assert_int_equal(drover_state(stage->world), DROVER_READY);
    char url[SECONDS_WISH_BYTES];
    (void)snprintf(url, sizeof url, "https://example.org/live/%" PRIu64 ".ndjson?a=1", latest);
    expect_wish(stage, url);
    give_second(stage, latest);
}

static void plays_as_it_was_sent(void **state) {
    struct stage stage;
    (void)state;
    begin(&stage);
    join(&stage, 30);
    assert_true(seconds_player_behind_ms(&stage.player, stage.now_ms) < 0.0); /* not known yet */
    assert_int_equal(play(&stage, 455.0), 304);                               /* ten frames a second */
    assert_int_equal(play(&stage, 400.0), 308);
    expect_wish(&stage, URL);
    give_index(&stage, 26, 31, "\"paused\":false,");
    expect_wish(&stage, "https://example.org/live/31.ndjson?a=1");
    give_second(&stage, 31);
    assert_int_equal(play(&stage, 200.0), 310); /* without a gap between two seconds */
    assert_false(wishes(&stage));               /* the index was just read */
    assert_int_equal(play(&stage, 700.0), 317);
    expect_wish(&stage, URL);
    give_index(&stage, 27, 32, "\"paused\":false,");
    assert_true(fabs(seconds_player_behind_ms(&stage.player, stage.now_ms) - 1200.0) < 250.0);
    end(&stage);
}

static void late_seconds_are_waited_for(void **state) {
    struct stage stage;
    (void)state;
    begin(&stage);
    join(&stage, 30);
    assert_int_equal(play(&stage, 1000.0), 309);
    assert_int_equal(play(&stage, 600.0), 0); /* nothing is there */
    expect_wish(&stage, URL);
    give_index(&stage, 26, 31, "\"paused\":false,");
    assert_true(wishes(&stage));
    give_second(&stage, 31);
    assert_int_equal(play(&stage, 90.0), 0);
    assert_int_equal(play(&stage, 360.0), 313); /* all of it, from its begin on, and not in a burst */
    end(&stage);
}

static void a_player_that_was_away_begins_anew(void **state) {
    struct stage stage;
    (void)state;
    begin(&stage);
    join(&stage, 30);
    assert_int_equal(play(&stage, 300.0), 302);
    stage.now_ms += 60000.0; /* a laptop that slept */
    expect_wish(&stage, URL);
    give_index(&stage, 85, 90, "\"paused\":false,");
    expect_wish(&stage, "https://example.org/live/scenario-40.json?a=1");
    give(&stage, HELLO); /* the same connection: it gets the scenario line */
    expect_wish(&stage, "https://example.org/live/90.ndjson?a=1");
    give_second(&stage, 90);
    assert_int_equal(play(&stage, 55.0), 900);
    assert_int_equal(drover_connections(stage.world), 1);
    end(&stage);
}

static void it_begins_as_far_back_as_the_address_says(void **state) {
    struct stage stage;
    (void)state;
    begin(&stage);
    seconds_player_fini(&stage.player);
    seconds_player_init(&stage.player, "http://a/index.json#back=20");
    expect_wish(&stage, "http://a/index.json#back=20");
    give_index(&stage, 2, 50, "\"paused\":false,");
    expect_wish(&stage, "http://a/scenario-3.json#back=20");
    give(&stage, HELLO);
    for (uint64_t number = 30; number < 33; number++) {
        char url[SECONDS_WISH_BYTES];
        (void)snprintf(url, sizeof url, "http://a/%" PRIu64 ".ndjson#back=20", number);
        expect_wish(&stage, url);
        give_second(&stage, number);
        assert_int_equal(play(&stage, 1000.0), number * 10 + 9); /* and stays there, second by second */
    }
    end(&stage);
}

static void expect_second(struct stage *stage, uint64_t number) {
    char url[SECONDS_WISH_BYTES];
    (void)snprintf(url, sizeof url, "https://example.org/live/%" PRIu64 ".ndjson?a=1", number);
    expect_wish(stage, url);
    give_second(stage, number);
}

static void it_goes_to_any_second_that_is_kept(void **state) {
    struct stage stage;
    (void)state;
    begin(&stage);
    expect_wish(&stage, URL);
    give_index(&stage, 2, 50, "\"paused\":false,");
    expect_wish(&stage, "https://example.org/live/scenario-40.json?a=1");
    give(&stage, HELLO);
    expect_second(&stage, 50);
    assert_int_equal(play(&stage, 500.0) / 10, 50);
    assert_int_equal(stage.player.shown, 50);

    seconds_player_seek(&stage.player, 45); /* the same world */
    expect_second(&stage, 45);
    assert_int_equal(play(&stage, 500.0) / 10, 45);
    assert_int_equal(stage.player.shown, 45);
    expect_second(&stage, 46); /* and goes on from there, */
    assert_int_equal(play(&stage, 1000.0) / 10, 46);
    assert_int_equal(stage.player.shown, 46); /* though the newest is far ahead */

    seconds_player_seek(&stage.player,
                        1); /* what is leaving is left out; another description applies there */
    expect_wish(&stage, "https://example.org/live/scenario-3.json?a=1");
    give(&stage, HELLO);
    expect_second(&stage, 2 + SECONDS_LEAVING);

    seconds_player_seek(&stage.player, 0); /* the newest */
    expect_second(&stage, 50);
    assert_int_equal(play(&stage, 100.0) / 10, 50);
    end(&stage);
}

static int words_of(struct stage *stage, double ms, const char *word) {
    int count = 0;
    for (const double until_ms = stage->now_ms + ms; stage->now_ms < until_ms; stage->now_ms += 10.0) {
        (void)drover_advance(stage->world, stage->now_ms);
        (void)seconds_player_turn(&stage->player, stage->world, stage->now_ms);
        for (enum drover_event event; (event = drover_next(stage->world)) != DROVER_NOTHING;) {
            size_t length = 0;
            count += event == DROVER_MESSAGE &&
                     strstr(drover_message_text(drover_this_message(stage->world), &length), word) != NULL;
        }
    }
    return count;
}

static void a_paused_world_runs_where_it_is_looked_back_at(void **state) {
    struct stage stage;
    (void)state;
    begin(&stage);
    expect_wish(&stage, URL);
    give_index(&stage, 30, 50, "\"paused\":true,");
    expect_wish(&stage, "https://example.org/live/scenario-40.json?a=1");
    give(&stage, HELLO);
    expect_second(&stage, 50);
    assert_int_equal(words_of(&stage, 1500.0, "event\":\"paused\""), 1);
    seconds_player_seek(&stage.player, 49);
    expect_second(&stage, 49);
    assert_int_equal(words_of(&stage, 500.0, "event\":\"resumed\""), 1);
    expect_second(&stage, 50);
    assert_int_equal(words_of(&stage, 2500.0, "event\":\"paused\""), 1);
    end(&stage);
}

static void another_world_comes_with_its_second(void **state) {
    struct stage stage;
    unsigned scenarios = 0;
    (void)state;
    begin(&stage);
    join(&stage, 30);
    (void)play(&stage, 950.0);
    expect_wish(&stage, URL);
    give_index(&stage, 26, 31, "\"paused\":false,");
    assert_true(wishes(&stage));
    give(&stage, SCENARIO
         "{\"op\":\"snapshot\",\"tick\":0,\"time\":0,\"agents\":[],\"targets\":[],\"clock\":31000.0}\n");
    for (int i = 0; i < 20; i++, stage.now_ms += 10.0) {
        (void)seconds_player_turn(&stage.player, stage.world, stage.now_ms);
        for (enum drover_event event; (event = drover_next(stage.world)) != DROVER_NOTHING;) {
            scenarios += event == DROVER_MESSAGE &&
                         strcmp(drover_message_op(drover_this_message(stage.world)), "scenario") == 0;
        }
    }
    assert_int_equal(scenarios, 1);
    end(&stage);
}

static void a_paused_world_is_no_end(void **state) {
    struct stage stage;
    (void)state;
    begin(&stage);
    join(&stage, 30);
    (void)play(&stage, 1000.0);
    for (int i = 0; i < 10; i++) {
        if (wishes(&stage)) {
            give_index(&stage, 25, 30, "\"paused\":true,");
        }
        (void)play(&stage, 2000.0);
    }
    assert_int_equal(drover_state(stage.world), DROVER_READY);
    assert_true(seconds_player_behind_ms(&stage.player, stage.now_ms) < 0.0);
    end(&stage);
}

static void an_end_is_a_sentence(void **state) {
    struct stage stage;
    (void)state;
    begin(&stage);
    join(&stage, 30);
    for (int i = 0; i < 10 && drover_state(stage.world) == DROVER_READY; i++) {
        (void)play(&stage, 1000.0);
        if (wishes(&stage)) {
            give_index(&stage, 25, 30, "\"paused\":false,");
        }
    }
    assert_int_equal(drover_state(stage.world), DROVER_WAITING);
    assert_non_null(strstr(drover_reason(stage.world), "no new second for"));
    stage.now_ms += 6000.0; /* it tries again, and takes what is new alone */
    (void)drover_advance(stage.world, stage.now_ms);
    expect_wish(&stage, URL);
    seconds_player_fetched(&stage.player, stage.world, stage.now_ms, "", 0,
                           "the web server answered 404 (not found)");
    assert_non_null(strstr(drover_reason(stage.world),
                           "the index of the seconds cannot be read: the web server answered 404"));
    stage.now_ms += 6000.0;
    (void)drover_advance(stage.world, stage.now_ms);
    expect_wish(&stage, URL);
    give_index(&stage, 95, 100, "\"paused\":false,");
    expect_wish(&stage, "https://example.org/live/scenario-40.json?a=1");
    give(&stage, HELLO);
    assert_int_equal(drover_state(stage.world), DROVER_READY);
    end(&stage);
}

static void what_is_no_index_is_refused(void **state) {
    static const char *const wrong[] = {
        "",
        "<html>",
        "{}",
        "{\"version\":2,\"latest\":3,\"first\":1,\"scenarios\":[]}",
        "{\"version\":1,\"latest\":1,\"first\":3,\"scenarios\":[]}",
        "{\"version\":1,\"latest\":3,\"first\":1}",
        "{\"version\":1,\"latest\":3,\"first\":1,\"scenarios\":[],\"speed\":1e30}",
        "{\"version\":1,\"latest\":1e30,\"first\":1,\"scenarios\":[]}"};
    struct message_seconds index;
    struct failure failure = {0};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(message_seconds_read(wrong[i], &index, &failure), -1);
    }
    static const char plain[] =
        "{\"version\":1,\"latest\":50,\"first\":30,\"clock\":12345678901.25,\"scenarios\":[30,41]}";
    assert_int_equal(message_seconds_read(plain, &index, &failure), 0);
    assert_true(index.clock_ms == 12345678901.25 && index.speed == 1.0 && !index.is_paused);
    assert_int_equal(message_seconds_scenario(&index, 29), 0);
    assert_int_equal(message_seconds_scenario(&index, 40), 30);
    assert_int_equal(message_seconds_scenario(&index, 41), 41);
}

static void torn_seconds_do_no_harm(void **state) {
    static const char *const torn[] = {"{\"op\":\"snapshot\",\"tick\":300,\"ti", "\n\n\n", "no line at all",
                                       "{\"op\":\"delta\"}\n"};
    (void)state;
    for (size_t i = 0; i < sizeof torn / sizeof *torn; i++) {
        struct stage stage;
        begin(&stage);
        expect_wish(&stage, URL);
        give_index(&stage, 25, 30, "\"paused\":false,");
        assert_true(wishes(&stage));
        give(&stage, HELLO);
        assert_true(wishes(&stage));
        give(&stage, torn[i]);
        (void)play(&stage, 200.0);
        end(&stage);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plays_as_it_was_sent),
        cmocka_unit_test(late_seconds_are_waited_for),
        cmocka_unit_test(a_player_that_was_away_begins_anew),
        cmocka_unit_test(it_begins_as_far_back_as_the_address_says),
        cmocka_unit_test(it_goes_to_any_second_that_is_kept),
        cmocka_unit_test(a_paused_world_runs_where_it_is_looked_back_at),
        cmocka_unit_test(another_world_comes_with_its_second),
        cmocka_unit_test(a_paused_world_is_no_end),
        cmocka_unit_test(an_end_is_a_sentence),
        cmocka_unit_test(what_is_no_index_is_refused),
        cmocka_unit_test(torn_seconds_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
