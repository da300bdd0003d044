/* See page_panels_impl.h. The timelines: of a live world, of a recording. */
#include <math.h>
#include <stdio.h>

#include "viewer/model/replay.h"
#include "web/page_panels_impl.h"

double page_speed_place(double speed) {
    const double share = log(fmax(speed, SPEEDS_LEAST) / SPEEDS_LEAST) / log(SPEEDS_MOST / SPEEDS_LEAST);
    return speed <= 0.0 ? 1.0 : fmin(share, 1.0);
}

/* "-2.2 s": how far back the picture is; of a live one how far back it could be. */
static void back_text(const struct panels_view *view, char *out, size_t size) {
    const int back = (int)(view->is_live ? view->recorded_s * 10.0 : view->behind_s * 10.0 + 0.5);
    (void)snprintf(out, size, view->is_live ? "-%d s" : "-%d.%d s", back / 10, back % 10);
}

void page_write_timeline(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    const double speed = panels->is_speed_held ? panels->held_speed : view->speed;
    char words[SPEEDS_TEXT] = "max", back[32];
    if (speed > 0.0) {
        speeds_format(speed, words, sizeof words);
    }
    back_text(view, back, sizeof back);
    json_object(json);
    json_key_bool(json, "play", view->shows_play);
    json_key_bool(json, "live", view->is_live);
    json_key_bool(json, "has_live", view->has_live);
    page_number(json, "recorded_s", round(view->recorded_s * 10.0) / 10.0);
    page_number(json, "behind_s", view->is_live ? 0.0 : view->behind_s);
    page_number(json, "now_s", round(view->now_s * 10.0) / 10.0);
    json_key_string(json, "back", back);
    json_key_string(json, "past", view->past);
    page_number(json, "speed", speed);
    json_key_string(json, "speed_words", words);
    page_number(json, "speed_place", page_speed_place(speed));
    json_key(json, "speed_one");
    json_number(json, page_speed_place(1.0));
    json_key_string(json, "no_speed", view->no_speed);
    json_end(json);
}

/* What the place says that is pointed at: its time, its tick. */
static void hint_text(const struct panels_replay *replay, double share, char *out, size_t size) {
    char time[32];
    out[0] = '\0';
    if (share < 0.0) {
        return;
    }
    const struct replay_moment moment = replay_line_moment(&replay->line, share);
    replay_line_time(&replay->line, replay_line_offset(&replay->line, &moment), time, sizeof time);
    if (replay->line.count > 1) {
        (void)snprintf(out, size, "%s   world %u, tick %llu", time, moment.world,
                       (unsigned long long)moment.tick);
    } else {
        (void)snprintf(out, size, "%s   tick %llu", time, (unsigned long long)moment.tick);
    }
}

static void write_wrong(struct json_writer *json, const struct panels_replay *replay) {
    const struct replay_moment end = replay_line_world_end(&replay->line, &replay->diverged);
    const double from = replay_line_share(&replay->line, &replay->diverged),
                 to = replay_line_share(&replay->line, &end);
    char words[160];
    (void)snprintf(words, sizeof words,
                   replay->line.count > 1
                       ? "From tick %llu to the end of world %u this is not what was recorded."
                       : "From tick %llu on this is not what was recorded.",
                   (unsigned long long)replay->diverged.tick, replay->diverged.world);
    json_key(json, "wrong");
    json_array(json);
    json_number(json, from);
    json_number(json, fmax(from, to));
    json_end(json);
    json_key_string(json, "wrong_words", words);
}

void page_write_replay(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    const struct panels_replay *replay = &view->replay;
    if (!view->is_replay) {
        json_raw(json, "null");
        return;
    }
    char hint[80];
    hint_text(replay, panels->pointed_share, hint, sizeof hint);
    json_object(json);
    json_key(json, "share");
    json_number(json, replay_line_share(&replay->line, panels->is_seeking ? &panels->seek_to : &replay->at));
    json_key_string(json, "time", replay->time);
    json_key_string(json, "worlds", replay->worlds);
    json_key(json, "marks");
    json_array(json);
    for (int i = 1; i < replay->line.count; i++) {
        const struct replay_moment begin = {replay->line.first_world + (uint32_t)i,
                                            replay->line.spans[i].first};
        json_number(json, replay_line_share(&replay->line, &begin));
    }
    json_end(json);
    if (replay->has_diverged) {
        write_wrong(json, replay);
    }
    json_key_bool(json, "other", replay->is_other);
    json_key_string(json, "no_take_over", replay->no_take_over);
    json_key_string(json, "hint", hint);
    json_end(json);
}
