/* See web_route.h. */
#include "server/web/web_route.h"

#include <stdlib.h>
#include <string.h>

static const char plain_text[] = "text/plain; charset=utf-8";

const struct web_route *web_route_find(const struct web_route *table, size_t count, const char *path,
                                       const char **rest) {
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(table[i].path);
        const bool is_folder = length > 1 && table[i].path[length - 1] == '/';
        const bool matches = is_folder ? strncmp(path, table[i].path, length) == 0 && path[length] != '\0'
                                       : strcmp(path, table[i].path) == 0;
        if (matches) {
            *rest = path + length;
            return &table[i];
        }
    }
    return NULL;
}

void web_answer_static(struct web_answer *answer, const char *type, const void *bytes, size_t length) {
    answer->type = type;
    answer->bytes = bytes;
    answer->length = length;
}

void web_answer_buffer(struct web_answer *answer, const char *type, struct buffer *body) {
    const bool failed = body->failed;
    size_t length = 0;
    char *bytes = buffer_take(body, &length);
    if (failed) {
        free(bytes);
        web_answer_refusal(answer, 500, "the server is out of memory\n");
        return;
    }
    web_answer_static(answer, type, bytes == NULL ? "" : bytes, length);
    answer->owned = bytes;
}

void web_answer_refusal(struct web_answer *answer, unsigned status, const char *text) {
    answer->status = status;
    web_answer_static(answer, plain_text, text, strlen(text));
}
