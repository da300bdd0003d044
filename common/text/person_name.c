/* See person_name.h. Owns nothing. */
#include "common/text/person_name.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/base/utf8.h"

struct span {
    uint32_t first, last; /* code points */
};

static const struct span hidden[] = {
    {0x00, 0x1F},       {0x7F, 0x9F},       {0xAD, 0xAD},       {0x034F, 0x034F}, {0x061C, 0x061C},
    {0x115F, 0x1160},   {0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x200B, 0x200F}, {0x2028, 0x202E},
    {0x2060, 0x206F},   {0x3164, 0x3164},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB},
    {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
};
/* The last is the choice of a character's form, which emoji need behind them. */
static const struct span blank[] = {
    {0x20, 0x20},     {0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A}, {0x202F, 0x202F},
    {0x205F, 0x205F}, {0x2800, 0x2800}, {0x3000, 0x3000}, {0xFE00, 0xFE0F},
};

static bool is_in(const struct span *spans, size_t count, uint32_t code_point) {
    for (size_t i = 0; i < count; i++) {
        if (code_point >= spans[i].first && code_point <= spans[i].last) {
            return true;
        }
    }
    return false;
}

static bool is_blank(uint32_t code_point) {
    return is_in(blank, sizeof blank / sizeof *blank, code_point);
}

int person_name_read(const char *text, const char *field, char out[LIMIT_PERSON_BYTES + 1],
                     struct failure *failure) {
    static const char allowed[] = "a name has 1 to 31 bytes of UTF-8 that can be seen";
    const size_t length = strlen(text);
    size_t begin = length, end = 0; /* of what is not blank */
    memset(out, 0, LIMIT_PERSON_BYTES + 1);
    for (size_t i = 0; i < length;) {
        const size_t size = utf8_character(text + i, length - i);
        if (size == 0) {
            return failure_set(failure, FAILURE_BAD_PARAM, field, "byte %zu is not UTF-8; %s", i + 1,
                               allowed);
        }
        const uint32_t code_point = utf8_code_point(text + i, size);
        if (is_in(hidden, sizeof hidden / sizeof *hidden, code_point)) {
            return failure_set(failure, FAILURE_BAD_PARAM, field, "U+%04X cannot be seen; %s",
                               (unsigned)code_point, allowed);
        }
        if (!is_blank(code_point)) {
            begin = begin < i ? begin : i;
            end = i + size;
        }
        i += size;
    }
    if (end == 0 && length > 0) {
        return failure_set(failure, FAILURE_BAD_PARAM, field, "nothing but blanks; %s", allowed);
    }
    const size_t kept = end > begin ? end - begin : 0;
    if (kept > LIMIT_PERSON_BYTES) {
        return failure_set(failure, FAILURE_BAD_PARAM, field, "%zu bytes are too many; %s", kept, allowed);
    }
    memcpy(out, text + (kept > 0 ? begin : 0), kept);
    return 0;
}
