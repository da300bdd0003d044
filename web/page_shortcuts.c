/* The table of shortcuts as JSON: the page's help. */
#include "common/base/buffer.h"
#include "common/json/json_writer.h"
#include "viewer/model/shortcuts.h"
#include "web/page.h"
#include "web/page_state.h"

enum { JSON_BYTES = 64 * 1024 };

static void write_row(struct json_writer *json, const struct shortcut *row, size_t index) {
    json_object(json);
    json_key_unsigned(json, "row", index);
    json_key_unsigned(json, "action", (uint64_t)row->action);
    json_key_string(json, "key", row->name);
    json_key_unsigned(json, "code", (uint64_t)row->key);
    json_key_bool(json, "control", row->has_control);
    json_key_bool(json, "shift", row->has_shift);
    json_key_string(json, "help", row->help);
    if (row->replay_help != NULL) {
        json_key_string(json, "replay", row->replay_help);
    }
    if (row->page_way != NULL) {
        json_key_string(json, "page_way", row->page_way);
    }
    json_key_bool(json, "live_only", row->is_live_only);
    if (row->no_page != NULL) {
        json_key_string(json, "no_page", row->no_page);
    }
    json_end(json);
}

PAGE_EXPORT(page_shortcuts) uint32_t page_shortcuts(uint32_t *length) {
    static struct buffer text; /* the table never changes: written once */
    size_t count = 0;
    const struct shortcut *rows = shortcuts_table(&count);
    if (text.length == 0) {
        buffer_init(&text, JSON_BYTES);
        struct json_writer json = json_writer_begin(&text);
        json_array(&json);
        for (size_t i = 0; i < count; i++) {
            write_row(&json, &rows[i], i);
        }
        json_end(&json);
    }
    *length = text.failed ? 0 : (uint32_t)text.length;
    return page_address(text.data);
}
