/* Refusals: filling them, and the wire names of their codes. Owns nothing.
 *
 * Invariant: whatever goes in (a file name in Latin-1, a key of a hostile client), field and message come out
 * as NUL-terminated valid UTF-8, so that an error line never breaks the stream of the client that reads it.
 */
#include "common/base/failure.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "common/base/utf8.h"

static const char *const code_names[FAILURE_CODE_COUNT] = {[FAILURE_NONE] = "none",
#define FAILURE_NAME(name, wire, when) [FAILURE_##name] = wire,
                                                           FAILURE_CODES(FAILURE_NAME)
#undef FAILURE_NAME
};

/* Replaces what is not UTF-8 by '?'. A character that snprintf cut in two at the very end is dropped instead.
 */
static void make_valid(char *text, bool is_cut) {
    size_t left = strlen(text);
    while (left > 0) {
        const size_t size = utf8_character(text, left);
        if (size > 0) {
            text += size;
            left -= size;
        } else if (is_cut && left < 4 && ((unsigned char)text[0] & 0xC0) == 0xC0) {
            text[0] = '\0';
            return;
        } else {
            *text++ = '?';
            left--;
        }
    }
}

int failure_set(struct failure *failure, enum failure_code code, const char *field, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    /* Built aside: a caller may wrap a failure, passing its old field or message as arguments. */
    char message[sizeof failure->message] = "";
    const int length = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (length < 0) {
        message[0] = '\0';
    }
    char place[sizeof failure->field] = "";
    const int place_length = snprintf(place, sizeof place, "%s", field == NULL ? "" : field);
    make_valid(message, length >= (int)sizeof message);
    make_valid(place, place_length >= (int)sizeof place);
    failure->code = code;
    failure->line = failure->column = 0;
    failure->has_index = false;
    failure->index = 0;
    failure->has_tick = false;
    failure->tick = 0;
    memcpy(failure->message, message, sizeof message);
    memcpy(failure->field, place, sizeof place);
    return -1;
}

void failure_hide_folder(struct failure *failure) {
    char *reason = NULL, *name = NULL;
    for (char *at = strstr(failure->message, ": "); at != NULL; at = strstr(at + 1, ": ")) {
        reason = at; /* the last: a folder's name may have a colon */
    }
    for (char *at = failure->message; reason != NULL && at < reason; at++) {
        name = *at == '/' ? at + 1 : name;
    }
    if (name != NULL) {
        memmove(failure->message, name, strlen(name) + 1);
    }
}

const char *failure_code_name(enum failure_code code) {
    return (unsigned)code < FAILURE_CODE_COUNT ? code_names[code] : code_names[FAILURE_NONE];
}

enum failure_code failure_code_from_name(const char *name) {
    for (int code = FAILURE_NONE + 1; code < FAILURE_CODE_COUNT; code++) {
        if (strcmp(name, code_names[code]) == 0) {
            return (enum failure_code)code;
        }
    }
    return FAILURE_NONE;
}
