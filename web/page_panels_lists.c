/* See page_panels_impl.h. What opens over the picture: the list of worlds, the card, the help, a question. */
#include <string.h>

#include "web/page_panels_impl.h"

static void write_hit(struct json_writer *json, const struct panels_hit *hit) {
    json_object(json);
    json_key_string(json, "name", hit->name);
    json_key_string(json, "title", hit->title);
    json_key_string(json, "description", hit->description);
    json_key_string(json, "caption", hit->caption);
    json_key_string(json, "group", hit->begins_group ? hit->group : "");
    json_key_unsigned(json, "group_count", (uint64_t)hit->group_count);
    json_key_bool(json, "save", hit->is_save);
    json_end(json);
}

/* The texts of a saved world's row change with its age; those of scenarios stay as they are where they are. */
static uint64_t stamp_hit(uint64_t stamp, const struct panels_hit *hit) {
    stamp = page_stamp_bytes(stamp, &hit->name, sizeof hit->name);
    stamp = page_stamp_text(stamp, hit->name);
    stamp = page_stamp_number(
        stamp, (double)(hit->group_count * 4 + (hit->begins_group ? 2 : 0) + (hit->is_save ? 1 : 0)));
    return hit->is_save ? page_stamp_text(page_stamp_text(stamp, hit->title), hit->description) : stamp;
}

uint64_t page_stamp_picker(struct panels *panels, const struct panels_view *view) {
    uint64_t stamp = page_stamp_number(PAGE_STAMP, (double)view->open->picker);
    stamp = page_stamp_text(page_stamp_text(stamp, panels->result.wanted), view->hit_words);
    for (int i = 0; view->open->picker && i < view->hit_count; i++) {
        stamp = stamp_hit(stamp, &view->hits[i]);
    }
    return stamp;
}

void page_write_picker(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    if (!view->open->picker) {
        json_raw(json, "null");
        return;
    }
    json_object(json);
    json_key_string(json, "wanted",
                    panels->result.wanted); /* the hits of the view fit what was typed before it */
    json_key_string(json, "count_words", view->hit_words);
    json_key(json, "hits");
    json_array(json);
    for (int i = 0; i < view->hit_count; i++) {
        write_hit(json, &view->hits[i]);
    }
    json_end(json);
    json_end(json);
}

void page_write_card(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    const struct explain_card *card = &view->card;
    (void)panels;
    if (!view->open->card || card->title == NULL) {
        json_raw(json, "null");
        return;
    }
    json_object(json);
    json_key_string(json, "title", card->title);
    json_key_string(json, "caption", card->caption);
    json_key_string(json, "description", card->description);
    json_key_string(json, "try", card->to_try);
    json_key_string(json, "look_for", card->look_for);
    json_key_string(json, "source", card->source);
    json_key(json, "keys");
    json_array(json);
    for (int i = 0; i < card->key_count; i++) {
        json_object(json);
        json_key_string(json, "key", card->keys[i].key);
        json_key_string(json, "words", card->keys[i].words);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

uint64_t page_stamp_help(struct panels *panels, const struct panels_view *view) {
    (void)panels;
    return page_stamp_number(page_stamp_bytes(PAGE_STAMP, view->is_denied, sizeof view->is_denied),
                             (double)view->is_replay);
}

void page_write_help(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    size_t count = 0;
    const struct shortcut *table = shortcuts_table(&count);
    (void)panels;
    json_object(json);
    json_key_string(json, "title", view->is_replay ? "Keys in a recording" : "Keys");
    json_key(json, "rows");
    json_array(json);
    for (size_t i = 0; i < count; i++) {
        const struct shortcut *row = &table[i];
        if (row->name[0] != '\0' && row->no_page == NULL) {
            json_object(json);
            json_key_string(json, "key", row->name);
            json_key_string(json, "words", shortcuts_help(row, view->is_replay));
            json_key_string(json, "way", row->page_way != NULL ? row->page_way : "");
            json_key_bool(json, "off",
                          view->is_denied[row->action] || (view->is_replay && row->is_live_only));
            json_end(json);
        }
    }
    json_end(json);
    json_end(json);
}

void page_write_dialog(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    const struct panels_dialog *dialog = &view->dialog;
    (void)panels;
    if (view->open->question == PANELS_NO_QUESTION) {
        json_raw(json, "null");
        return;
    }
    json_object(json);
    json_key_unsigned(json, "question", (uint64_t)view->open->question);
    json_key_string(json, "title", dialog->title);
    json_key_string(json, "words", dialog->words);
    json_key_string(json, "note", dialog->note);
    json_key_string(json, "agree", dialog->agree);
    json_key_bool(json, "grave", dialog->is_grave);
    json_key_bool(json, "line", dialog->has_line);
    json_key_string(json, "proposal", dialog->has_line ? dialog->proposal : "");
    json_key_unsigned(json, "most", LIMIT_NAME_CHARS);
    json_end(json);
}
