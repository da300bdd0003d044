/* Saves that are refused for their hash alone get the hash that their world has, so that tests get behind that check. */
#ifndef DROVER_TESTS_FUZZ_SAVE_HASH_H
#define DROVER_TESTS_FUZZ_SAVE_HASH_H

#include <stdbool.h>
#include <string.h>

#include "common/base/failure.h"
#include "server/recording/recording_line.h"

enum { SAVE_HASH_CHARS = 16 };

/** Takes the sums of its lines away, so that what was changed is not refused for them. Returns the length without them. */
static inline size_t save_take_sums(char *text, size_t size) {
    size_t length = 0;
    for (size_t at = 0, begin = 0; at < size; at++) {
        uint32_t unused = 0;
        text[length++] = text[at];
        if (text[at] == '\n') {
            const size_t plain = line_sum_find(text + begin, length - 1 - begin, &unused);
            if (plain > 0) {
                length = begin + plain;
                text[length++] = '}';
                text[length++] = '\n';
            }
            begin = length;
        }
    }
    return length;
}

/** The last text of this form; NULL when there is none. */
static inline char *save_find_last(char *text, size_t size, const char *wanted) {
    const size_t length = strlen(wanted);
    char *found = NULL;
    for (size_t at = 0; at + length <= size; at++) {
        if (memcmp(text + at, wanted, length) == 0) {
            found = text + at;
        }
    }
    return found;
}

/** Whether the hash that the save states is now the one in the message: "... the world has HASH, not ...". */
static inline bool save_put_hash(char *text, size_t size, const struct failure *failure) {
    static const char before[] = "the world has ", key[] = "\"hash\":\"";
    const char *hash = strstr(failure->message, before);
    char *stated = save_find_last(text, size, key);
    if (hash == NULL || stated == NULL || (size_t)(text + size - stated) < sizeof key - 1 + SAVE_HASH_CHARS) {
        return false;
    }
    memcpy(stated + sizeof key - 1, hash + sizeof before - 1, SAVE_HASH_CHARS);
    return true;
}

#endif
