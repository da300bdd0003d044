/* See hud_replay.h. */
#include "viewer/panels/hud_replay.h"

#include <stdio.h>
#include <string.h>

#include "viewer/explain/param_list.h"
#include "viewer/model/replay.h"
#include "viewer/panels/hud_format.h"

/* ---- the timeline of a recording ---- */

void hud_fill_replay(const struct hud_input *input, struct panels_view *view) {
    const struct message_replay *from = &input->server->playback.replay;
    struct panels_replay *replay = &view->replay;
    char at[20], all[20];
    view->is_replay = server_model_is_replay(input->server);
    if (!view->is_replay) {
        return;
    }
    const struct snapshot *shown = input->frame->names;
    replay->line = replay_line_of(from, input->server->scenario.tick_hz);
    replay->at = (struct replay_moment){from->world, shown != NULL ? shown->tick : from->tick};
    if (input->wish != NULL) {
        replay->at = *input->wish; /* the handle is where it was put, though the server is not there yet */
    }
    replay_line_time(&replay->line, replay_line_offset(&replay->line, &replay->at), at, sizeof at);
    replay_line_time(&replay->line, replay_line_ticks(&replay->line), all, sizeof all);
    (void)snprintf(replay->time, sizeof replay->time, "%s / %s", at, all);
    if (from->worlds > 1) {
        (void)snprintf(replay->worlds, sizeof replay->worlds, "world %u of %u", replay->at.world,
                       from->worlds);
    }
    replay->has_diverged = from->has_diverged;
    replay->diverged = (struct replay_moment){from->diverged_world, from->diverged_tick};
    replay->is_other = replay->has_diverged && replay->at.world == from->diverged_world &&
                       replay->at.tick >= from->diverged_tick;
    _Static_assert(sizeof replay->no_take_over >= SERVER_MODEL_DENIAL, "the reason fits");
    server_model_denial(input->server, REQUEST_SEEK, replay->no_take_over); /* the same role */
}

/* ---- questions ---- */

enum { SAVE_WORDS = 200 };

/* "flock, tick 3 600, 250 agents, 12 KB, 5 min ago" */
static void describe(const struct message_save_row *save, int64_t wall_s, char *out, size_t size) {
    char tick[32], agents[32], bytes[24], age[32];
    (void)units_format_whole(save->tick, tick, sizeof tick);
    (void)units_format_whole(save->agents, agents, sizeof agents);
    server_model_format_bytes(save->bytes, bytes, sizeof bytes);
    save_age_format(save->saved, wall_s, age, sizeof age);
    (void)snprintf(out, size, "%s, tick %s, %s agent%s, %s%s%s", save->scenario, tick, agents,
                   save->agents == 1 ? "" : "s", bytes, age[0] != '\0' ? ", " : "", age);
}

/* What is saved is the present, though the picture may be of the past. "" when it is the present as well. */
static void fill_present(const struct hud_input *input, char *out, size_t size) {
    char now[32], shown[32];
    out[0] = '\0';
    if (!input->playhead->is_live && input->frame->names != NULL) {
        (void)units_format_whole(input->now_tick, now, sizeof now);
        (void)units_format_whole(input->frame->names->tick, shown, sizeof shown);
        (void)snprintf(out, size, "This saves the world as it is now, tick %s; you are looking at tick %s.",
                       now, shown);
    }
}

static void ask_name(const struct hud_input *input, struct panels_dialog *dialog) {
    const struct message_save_row *taken = server_model_save(input->server, input->entered);
    (void)snprintf(dialog->title, sizeof dialog->title, "Save the world");
    (void)snprintf(
        dialog->words, sizeof dialog->words,
        "All of it, as it is when you agree: Ctrl+O loads it again. A name of letters, digits, _ and -.");
    (void)snprintf(dialog->agree, sizeof dialog->agree, taken != NULL ? "Replace ..." : "Save");
    dialog->has_line = true;
    (void)snprintf(dialog->proposal, sizeof dialog->proposal, "%s", input->proposal);
    fill_present(input, dialog->note, sizeof dialog->note);
    if (taken != NULL) {
        char about[SAVE_WORDS];
        describe(taken, input->wall_s, about, sizeof about);
        const size_t used = strlen(dialog->note);
        (void)snprintf(dialog->note + used, sizeof dialog->note - used, "%sTaken: %s", used > 0 ? "\n" : "",
                       about);
    }
}

/* name: of a saved world that the list may not have yet. */
static void ask_about(const struct hud_input *input, const char *name, const char *deed, const char *rest,
                      struct panels_dialog *dialog) {
    (void)snprintf(dialog->title, sizeof dialog->title, "%s %s?", deed, name);
    (void)snprintf(dialog->agree, sizeof dialog->agree, "%s", deed);
    dialog->is_grave = true;
    if (input->asked != NULL) {
        char about[SAVE_WORDS];
        describe(input->asked, input->wall_s, about, sizeof about);
        (void)snprintf(dialog->words, sizeof dialog->words, "%s. %s", about, rest);
    } else {
        (void)snprintf(dialog->words, sizeof dialog->words, "%s", rest);
    }
}

static void ask_take_over(const struct hud_input *input, struct panels_dialog *dialog) {
    char tick[32];
    (void)units_format_whole(input->frame->names != NULL ? input->frame->names->tick : 0, tick, sizeof tick);
    (void)snprintf(dialog->title, sizeof dialog->title, "Take over from here?");
    (void)snprintf(
        dialog->words, sizeof dialog->words,
        "The recording stops at tick %s, for all clients. The world goes on by itself from there and takes "
        "requests again. The file stays as it is.",
        tick);
    (void)snprintf(dialog->agree, sizeof dialog->agree, "Take over");
}

static void ask_reopen(const struct hud_input *input, struct panels_dialog *dialog) {
    (void)snprintf(dialog->title, sizeof dialog->title, "The recording's server has ended");
    (void)snprintf(dialog->words, sizeof dialog->words, "%.200s.\nOpen %.80s again, from its beginning?",
                   input->ended, input->file);
    (void)snprintf(dialog->agree, sizeof dialog->agree, "Open again");
}

void hud_fill_question(const struct hud_input *input, struct panels_view *view) {
    struct panels_dialog *dialog = &view->dialog;
    const char *name = input->asked != NULL ? input->asked->name : input->proposal;
    switch ((enum panels_question)input->open->question) {
    case PANELS_NO_QUESTION:
        break;
    case PANELS_ASKS_NAME:
        ask_name(input, dialog);
        break;
    case PANELS_ASKS_REPLACE:
        ask_about(input, name, "Replace", "The world as it is now takes its place.", dialog);
        fill_present(input, dialog->note, sizeof dialog->note);
        break;
    case PANELS_ASKS_REMOVE:
        ask_about(input, name, "Remove", "It cannot be brought back.", dialog);
        break;
    case PANELS_ASKS_TAKE_OVER:
        ask_take_over(input, dialog);
        break;
    case PANELS_ASKS_REOPEN:
        ask_reopen(input, dialog);
        break;
    }
}

/* ---- the picker ---- */

int hud_fill_saves(const struct hud_input *input, struct panels_view *view) {
    int count = 0;
    while (count < input->server->save_count && count < PANELS_SAVES) {
        const struct message_save_row *save = &input->server->saves[count];
        struct panels_save *words = &view->saves[count++];
        char tick[32];
        (void)units_format_whole(save->tick, tick, sizeof tick);
        (void)snprintf(words->title, sizeof words->title, "%s, tick %s", save->scenario, tick);
        char agents[32], bytes[24], age[32];
        (void)units_format_whole(save->agents, agents, sizeof agents);
        server_model_format_bytes(save->bytes, bytes, sizeof bytes);
        save_age_format(save->saved, input->wall_s, age, sizeof age);
        (void)snprintf(words->description, sizeof words->description, "%s agent%s, %s%s%s", agents,
                       save->agents == 1 ? "" : "s", bytes, age[0] != '\0' ? ", saved " : "", age);
    }
    return count;
}
