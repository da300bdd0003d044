/* A growable byte buffer with a mandatory cap. Owns its bytes; the invariants stand in buffer.h. */
#include "common/base/buffer.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_FIRST_BYTES = 256 };

void buffer_init(struct buffer *buffer, size_t limit_bytes) {
    assert(limit_bytes > 0 && limit_bytes < SIZE_MAX);
    *buffer = (struct buffer){.limit = limit_bytes};
}

void buffer_fini(struct buffer *buffer) {
    free(buffer->data);
    buffer_init(buffer, buffer->limit);
}

void buffer_clear(struct buffer *buffer) {
    buffer->length = 0;
    buffer->failed = false;
    if (buffer->data != NULL) {
        buffer->data[0] = '\0';
    }
}

/* Doubles, so that n appends cost O(n); never beyond the cap and its NUL. */
static size_t grown_capacity(const struct buffer *buffer, size_t needed) {
    const size_t most = buffer->limit + 1;
    size_t capacity = buffer->capacity > most / 2 ? most : buffer->capacity * 2;
    if (capacity < BUFFER_FIRST_BYTES) {
        capacity = BUFFER_FIRST_BYTES;
    }
    if (capacity > most) {
        capacity = most;
    }
    return capacity < needed ? needed : capacity;
}

char *buffer_reserve(struct buffer *buffer, size_t bytes) {
    if (buffer->failed || bytes > buffer->limit - buffer->length) {
        buffer->failed = true;
        return NULL;
    }
    const size_t needed = buffer->length + bytes + 1;
    if (needed > buffer->capacity) {
        const size_t capacity = grown_capacity(buffer, needed);
        char *data = realloc(buffer->data, capacity);
        if (data == NULL) {
            buffer->failed = true;
            return NULL;
        }
        buffer->data = data;
        buffer->capacity = capacity;
        data[buffer->length] = '\0';
    }
    return buffer->data + buffer->length;
}

void buffer_commit(struct buffer *buffer, size_t bytes) {
    assert(buffer->data != NULL && bytes < buffer->capacity - buffer->length);
    buffer->length += bytes;
    buffer->data[buffer->length] = '\0';
}

void buffer_append(struct buffer *buffer, const void *bytes, size_t length) {
    char *out = buffer_reserve(buffer, length);
    if (out != NULL) {
        if (length > 0) {
            memcpy(out, bytes, length);
        }
        buffer_commit(buffer, length);
    }
}

void buffer_append_text(struct buffer *buffer, const char *text) {
    buffer_append(buffer, text, strlen(text));
}

void buffer_printf(struct buffer *buffer, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    char *out = length < 0 ? NULL : buffer_reserve(buffer, (size_t)length);
    if (out != NULL) {
        (void)vsnprintf(out, (size_t)length + 1, format, again);
        buffer_commit(buffer, (size_t)length);
    } else {
        buffer->failed = true;
    }
    va_end(again);
    va_end(arguments);
}

char *buffer_take(struct buffer *buffer, size_t *length) {
    char *data = NULL;
    size_t taken = 0;
    if (!buffer->failed && buffer->data != NULL) {
        data = buffer->data;
        taken = buffer->length;
        buffer->data = NULL;
    }
    if (length != NULL) {
        *length = taken;
    }
    buffer_fini(buffer);
    return data;
}
