/* See log_line.h. */
#include "common/system/log_line.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/utf8.h"

const char *const log_level_names[] = {"error", "warn", "info", "debug", NULL};
const char *const log_format_names[] = {"text", "json", NULL};

/* The end of a line, `}` and a newline, has room behind whatever is put. */
enum { TAIL_BYTES = 4, STAMP_BYTES = 32, CHARACTER_BYTES = 12 };

struct output {
    char *bytes;
    size_t used;
};

static void put(struct output *output, const char *bytes, size_t length) {
    if (output->used + length + TAIL_BYTES <= LOG_LINE_BYTES) {
        memcpy(output->bytes + output->used, bytes, length);
        output->used += length;
    }
}

static void put_text(struct output *output, const char *text) {
    put(output, text, strlen(text));
}

static void put_stamp(struct output *output, struct timespec time) {
    char text[STAMP_BYTES * 2];
    struct tm utc = {0};
    (void)gmtime_r(&time.tv_sec, &utc);
    (void)snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", utc.tm_year + 1900,
                   utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
                   (int)(time.tv_nsec / 1000000));
    put_text(output, text);
}

/* Controls (C0, DEL, C1), and the separators of lines and paragraphs. */
static bool is_control(uint32_t character) {
    return character < 0x20 || (character >= 0x7F && character <= 0x9F) || character == 0x2028 ||
           character == 0x2029;
}

/* The bytes of the character at text; *is_bad: one byte, which begins none. */
static size_t next_character(const char *text, size_t length, uint32_t *character, bool *is_bad) {
    const size_t size = utf8_character(text, length);
    *is_bad = size == 0;
    *character = size == 0 ? 0xFFFD : utf8_code_point(text, size);
    return size == 0 ? 1 : size;
}

/* ---- text ---- */

/* Bytes that are not UTF-8 stay: the reader may have another encoding. */
static void put_clean(struct output *output, const char *text) {
    const size_t length = strlen(text);
    for (size_t at = 0, size = 0; at < length; at += size) {
        uint32_t character = 0;
        bool is_bad = false;
        size = next_character(text + at, length - at, &character, &is_bad);
        if (!is_bad && is_control(character)) {
            put_text(output, "?");
        } else {
            put(output, text + at, size);
        }
    }
}

static void put_plain(struct output *output, const struct log_line *line) {
    if (!line->is_bare) {
        char head[STAMP_BYTES];
        put_stamp(output, line->time);
        (void)snprintf(head, sizeof head, " %-5s %.16s: ", log_level_names[line->level], line->module);
        put_text(output, head);
    }
    put_clean(output, line->text);
}

/* ---- JSON ---- */

static void put_json_character(struct output *output, const char *bytes, size_t size, uint32_t character) {
    char escaped[CHARACTER_BYTES];
    if (is_control(character)) {
        (void)snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)character);
        put_text(output, escaped);
    } else if (character == '"' || character == '\\') {
        put_text(output, character == '"' ? "\\\"" : "\\\\");
    } else {
        put(output, bytes, size);
    }
}

static void put_json_string(struct output *output, const char *text) {
    const size_t length = strlen(text);
    put_text(output, "\"");
    for (size_t at = 0, size = 0; at < length; at += size) {
        uint32_t character = 0;
        bool is_bad = false;
        size = next_character(text + at, length - at, &character, &is_bad);
        if (is_bad) {
            put_text(output, "\xEF\xBF\xBD");
        } else {
            put_json_character(output, text + at, size, character);
        }
    }
    put_text(output, "\"");
}

static void put_about(struct output *output, const struct log_about *about) {
    char number[STAMP_BYTES];
    if (about->session != 0) {
        (void)snprintf(number, sizeof number, ",\"session\":%u", (unsigned)about->session);
        put_text(output, number);
    }
    if (about->address != NULL && about->address[0] != '\0') {
        put_text(output, ",\"address\":");
        put_json_string(output, about->address);
    }
    if (about->code != NULL && about->code[0] != '\0') {
        put_text(output, ",\"code\":");
        put_json_string(output, about->code);
    }
}

static void put_json(struct output *output, const struct log_line *line) {
    put_text(output, "{\"ts\":\"");
    put_stamp(output, line->time);
    put_text(output, "\",\"level\":\"");
    put_text(output, log_level_names[line->level]);
    put_text(output, "\",\"module\":\"");
    put_text(output, line->module);
    put_text(output, "\",\"msg\":");
    put_json_string(output, line->text);
    if (line->about != NULL) {
        put_about(output, line->about);
    }
    put_text(output, "}");
}

/* ---- both ---- */

/* The numbers of syslog(3). */
static void put_priority(struct output *output, enum log_level level) {
    static const char *const priorities[] = {
        [LOG_ERROR] = "<3>", [LOG_WARN] = "<4>", [LOG_INFO] = "<6>", [LOG_DEBUG] = "<7>"};
    put_text(output, priorities[level]);
}

size_t log_line_write(const struct log_line *line, char out[LOG_LINE_BYTES]) {
    struct output output = {.bytes = out};
    if (line->has_priority) {
        put_priority(&output, line->level);
    }
    if (line->format == LOG_JSON) {
        put_json(&output, line);
    } else {
        put_plain(&output, line);
    }
    out[output.used] = '\n';
    return output.used + 1;
}
