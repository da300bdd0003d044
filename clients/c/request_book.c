/* The requests of a session, and what stays in force of them. */
#include "clients/c/handle.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/limits.h"
#include "common/json/json_check.h"
#include "common/json/json_writer.h"

/* The ids that the library gives begin so. */
#define OWN_ID "\"~%" PRIu64 "\""

void request_book_init(struct request_book *book) {
    *book = (struct request_book){0};
    buffer_init(&book->output, 2 * (size_t)REQUEST_BOOK_BYTES);
}

void request_entry_free(struct request_entry *entry) {
    if (entry != NULL) {
        free(entry->text);
        free(entry);
    }
}

void request_book_fini(struct request_book *book) {
    struct request_entry *entry;
    while ((entry = request_book_take(book)) != NULL) {
        request_entry_free(entry);
    }
    buffer_fini(&book->output);
}

/* ---- reading a request ---- */

static enum request_concern concern_of(const cJSON *json) {
    static const struct {
        const char *op;
        enum request_concern concern;
    } rows[] = {{"hello", CONCERN_HELLO},
                {"subscribe", CONCERN_SUBSCRIBE},
                {"set_region", CONCERN_REGION},
                {"unsubscribe", CONCERN_UNSUBSCRIBE}};
    const cJSON *op = cJSON_GetObjectItemCaseSensitive(json, "op");
    for (size_t i = 0; cJSON_IsString(op) && i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(op->valuestring, rows[i].op) == 0) {
            return rows[i].concern;
        }
    }
    return CONCERN_NONE;
}

/* Its id, or one that it gets. */
static int read_id(struct request_entry *entry, const cJSON *json, bool with_id, struct failure *failure) {
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(json, "id");
    entry->concern = concern_of(json);
    if (id != NULL && !id_text_read(id, entry->id)) {
        return failure_set(failure, FAILURE_INVALID, "id",
                           "not an id; expected an integer from 0 or a string of at most %d characters",
                           LIMIT_ID_CHARS);
    }
    if (id == NULL && (with_id || entry->concern != CONCERN_NONE)) {
        (void)snprintf(entry->id, sizeof entry->id, OWN_ID, entry->ticket);
    }
    return 0;
}

/* The line: on one line, with the id in it. */
static int write_line(struct request_entry *entry, const cJSON *json, const char *text,
                      struct failure *failure) {
    const bool gets_id = entry->id[0] != '\0' && cJSON_GetObjectItemCaseSensitive(json, "id") == NULL;
    const size_t size = strlen(text) + sizeof entry->id + 16;
    const char *rest = strchr(text, '{') + 1;
    entry->text = malloc(size);
    if (entry->text == NULL) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
    }
    const int length = snprintf(entry->text, size, "{%s%s%s%s\n", gets_id ? "\"id\":" : "",
                                gets_id ? entry->id : "", gets_id && json->child != NULL ? "," : "", rest);
    assert(length > 0 && (size_t)length < size);
    entry->length = (size_t)length;
    for (size_t i = 0; i + 1 < entry->length; i++) {
        if (entry->text[i] == '\n' || entry->text[i] == '\r') {
            entry->text[i] = ' '; /* between members: strings have none */
        }
    }
    return 0;
}

static int read_request(struct request_entry *entry, const char *text, bool with_id,
                        struct failure *failure) {
    const struct json_limits limits = json_limits_file();
    struct json_fault fault;
    if (json_check(text, strlen(text), &limits, &fault) != JSON_FINE) {
        return failure_set(failure, FAILURE_PARSE, NULL, "byte %zu: %s", fault.offset, fault.message);
    }
    cJSON *json = cJSON_Parse(text);
    int result = -1;
    if (json == NULL) {
        result = failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
    } else if (!cJSON_IsObject(json)) {
        result = failure_set(failure, FAILURE_INVALID, NULL, "a request is one JSON object");
    } else if (read_id(entry, json, with_id, failure) == 0) {
        result = write_line(entry, json, text, failure);
    }
    cJSON_Delete(json);
    return result;
}

/* ---- the list ---- */

static void append(struct request_book *book, struct request_entry *entry) {
    if (book->last != NULL) {
        book->last->next = entry;
    } else {
        book->first = entry;
    }
    book->last = entry;
    book->bytes += entry->length;
}

/* Takes out the entry behind `before`; the first one when that is NULL. */
static struct request_entry *take_behind(struct request_book *book, struct request_entry *before) {
    struct request_entry *entry = before != NULL ? before->next : book->first;
    if (before != NULL) {
        before->next = entry->next;
    } else {
        book->first = entry->next;
    }
    if (book->last == entry) {
        book->last = before;
    }
    book->bytes -= entry->length;
    entry->next = NULL;
    return entry;
}

struct request_entry *request_book_add(struct request_book *book, const char *text, bool with_id,
                                       struct failure *failure) {
    if (book->bytes + strlen(text) > (size_t)REQUEST_BOOK_BYTES) {
        (void)failure_set(failure, FAILURE_FULL, NULL, "requests of %d bytes wait already",
                          REQUEST_BOOK_BYTES);
        return NULL;
    }
    struct request_entry *entry = calloc(1, sizeof *entry);
    if (entry == NULL) {
        (void)failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
        return NULL;
    }
    entry->ticket = ++book->tickets;
    entry->has_ticket = with_id;
    entry->deadline_ms = HUGE_VAL;
    if (read_request(entry, text, with_id, failure) != 0) {
        request_entry_free(entry);
        return NULL;
    }
    append(book, entry);
    return entry;
}

struct request_entry *request_book_take(struct request_book *book) {
    return book->first != NULL ? take_behind(book, NULL) : NULL;
}

struct request_entry *request_book_answer(struct request_book *book, const char *id) {
    struct request_entry *before = NULL;
    for (struct request_entry *entry = book->first; entry != NULL; before = entry, entry = entry->next) {
        if (entry->is_out && id[0] != '\0' && strcmp(entry->id, id) == 0) {
            return take_behind(book, before);
        }
    }
    return NULL;
}

struct request_entry *request_book_expire(struct request_book *book, double now_ms) {
    struct request_entry *before = NULL;
    for (struct request_entry *entry = book->first; entry != NULL; before = entry, entry = entry->next) {
        if (entry->deadline_ms <= now_ms) {
            return take_behind(book, before);
        }
    }
    return NULL;
}

double request_book_deadline(const struct request_book *book) {
    double least = HUGE_VAL;
    for (const struct request_entry *entry = book->first; entry != NULL; entry = entry->next) {
        least = fmin(least, entry->deadline_ms);
    }
    return least;
}

/* ---- sending ---- */

void request_book_pump(struct request_book *book) {
    for (struct request_entry *entry = book->first;
         entry != NULL && book->output.length < (size_t)REQUEST_BOOK_AHEAD; entry = entry->next) {
        if (!entry->is_out) {
            const uint64_t begin = book->sent + book->output.length;
            buffer_append(&book->output, entry->text, entry->length);
            if (book->output.failed) {
                book->output.failed = false; /* nothing was appended: later */
                return;
            }
            entry->is_out = true;
            entry->begin = begin;
        }
    }
}

void request_book_sent(struct request_book *book, size_t length) {
    struct buffer *output = &book->output;
    assert(length <= output->length);
    book->sent += length;
    memmove(output->data, output->data + length, output->length - length);
    output->length -= length;
    struct request_entry *before = NULL, *entry = book->first;
    while (entry != NULL && entry->is_out) {
        struct request_entry *next = entry->next;
        if (entry->id[0] == '\0' && entry->begin + entry->length <= book->sent) {
            request_entry_free(take_behind(book, before));
        } else {
            before = entry;
        }
        entry = next;
    }
}

struct request_entry *request_book_lose(struct request_book *book) {
    struct request_entry *before = NULL;
    for (struct request_entry *entry = book->first; entry != NULL; before = entry, entry = entry->next) {
        if (entry->is_out && entry->begin < book->sent) {
            return take_behind(book, before);
        }
    }
    for (struct request_entry *entry = book->first; entry != NULL; entry = entry->next) {
        entry->is_out = false;
    }
    buffer_clear(&book->output);
    book->sent = 0;
    return NULL;
}

bool request_book_changes_stream(const struct request_book *book) {
    for (const struct request_entry *entry = book->first; entry != NULL; entry = entry->next) {
        if (entry->concern != CONCERN_NONE && entry->concern != CONCERN_HELLO) {
            return true;
        }
    }
    return false;
}

bool request_book_is_sent(const struct request_book *book) {
    for (const struct request_entry *entry = book->first; entry != NULL; entry = entry->next) {
        if (!entry->is_out) {
            return false;
        }
    }
    return book->output.length == 0;
}

/* ---- standing ---- */

enum { HELLO_BYTES = 65536 };

/* A line with another value of a member. NULL when out of memory. */
static char *with_member(const char *line, const char *name, const char *value) {
    cJSON *json = cJSON_Parse(line);
    char *text = NULL, *copy = NULL;
    cJSON_DeleteItemFromObjectCaseSensitive(json, name);
    if (json != NULL && cJSON_AddRawToObject(json, name, value) != NULL) {
        text = cJSON_PrintUnformatted(json);
    }
    cJSON_Delete(json);
    if (text != NULL) {
        const size_t length = strlen(text);
        copy = malloc(length + 2);
        if (copy != NULL) {
            memcpy(copy, text, length);
            memcpy(copy + length, "\n", 2);
        }
        cJSON_free(text);
    }
    return copy;
}

static int check_line(const struct buffer *line, struct failure *failure) {
    const struct json_limits limits = json_limits_line();
    struct json_fault fault;
    if (line->failed) {
        return failure_set(failure, FAILURE_TOO_LONG, NULL, "the hello of the options is too long");
    }
    if (json_check(line->data, line->length, &limits, &fault) != JSON_FINE) {
        return failure_set(failure, FAILURE_PARSE, "options.hello", "not members of an object: %s",
                           fault.message);
    }
    return 0;
}

int standing_init(struct standing *standing, const char *name, const char *token, const char *members,
                  struct failure *failure) {
    struct buffer line;
    *standing = (struct standing){0};
    if (name == NULL && token == NULL && members == NULL) {
        return 0;
    }
    buffer_init(&line, HELLO_BYTES);
    struct json_writer json = json_writer_begin(&line);
    json_object(&json);
    json_key_string(&json, "op", "hello");
    json_key_unsigned(&json, "protocol", DROVER_PROTOCOL);
    if (name != NULL) {
        json_key_string(&json, "name", name);
    }
    if (token != NULL) {
        json_key_string(&json, "token", token);
    }
    buffer_printf(&line, "%s%s}", members != NULL ? "," : "", members != NULL ? members : "");
    int result = check_line(&line, failure);
    if (result == 0) {
        standing->hello = with_member(line.data, "id", STANDING_HELLO_ID);
        result = standing->hello != NULL ? 0 : failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
    }
    buffer_fini(&line);
    return result;
}

void standing_fini(struct standing *standing) {
    free(standing->hello);
    free(standing->subscribe);
    free(standing->region);
}

static int replace(char **text, const struct request_entry *entry, const char *id) {
    char *line = with_member(entry->text, "id", id);
    if (line != NULL) {
        free(*text);
        *text = line;
    }
    return line != NULL ? 0 : -1;
}

static double hz_of(const char *line) {
    cJSON *json = cJSON_Parse(line);
    const cJSON *hz = cJSON_GetObjectItemCaseSensitive(json, "hz");
    const double value = cJSON_IsNumber(hz) && hz->valuedouble > 0.0 ? hz->valuedouble : USUAL_FRAME_HZ;
    cJSON_Delete(json);
    return value;
}

static void forget(char **text) {
    free(*text);
    *text = NULL;
}

int standing_take(struct standing *standing, const struct request_entry *entry) {
    int result = 0;
    switch (entry->concern) {
    case CONCERN_HELLO:
        return replace(&standing->hello, entry, STANDING_HELLO_ID);
    case CONCERN_SUBSCRIBE:
        result = replace(&standing->subscribe, entry, STANDING_RENEW_ID);
        if (result == 0) {
            standing->hz = hz_of(standing->subscribe);
            forget(&standing->region);
        }
        return result;
    case CONCERN_REGION:
        return replace(&standing->region, entry, STANDING_RENEW_ID);
    case CONCERN_UNSUBSCRIBE:
        forget(&standing->subscribe);
        forget(&standing->region);
        standing->hz = 0.0;
        return 0;
    default:
        return 0;
    }
}

void standing_write(const struct standing *standing, bool with_subscription, struct buffer *out) {
    const char *const lines[] = {standing->hello, standing->subscribe, standing->region};
    for (size_t i = 0; i < (with_subscription ? sizeof lines / sizeof lines[0] : 1); i++) {
        if (lines[i] != NULL) {
            buffer_append_text(out, lines[i]);
        }
    }
}

void standing_write_paced(const struct standing *standing, double hz, struct buffer *out) {
    char number[32];
    (void)snprintf(number, sizeof number, "%.2f", hz);
    char *line = with_member(standing->subscribe, "hz", number);
    if (line != NULL) {
        buffer_append_text(out, line);
        buffer_append_text(out, standing->region != NULL ? standing->region : "");
    }
    free(line);
}

bool standing_has_token(const struct standing *standing) {
    return standing->hello != NULL && strstr(standing->hello, "\"token\":") != NULL;
}
