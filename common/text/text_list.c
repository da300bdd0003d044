/* See text_list.h. */
#include "common/text/text_list.h"

#include <stdio.h>
#include <string.h>

static const char ellipsis[] = " ...";

static bool is_ended(const char *list, size_t used) {
    const size_t length = sizeof ellipsis - 1;
    return used >= length && memcmp(list + used - length, ellipsis, length) == 0;
}

void text_list_add(char *list, size_t size, const char *name, bool is_quoted) {
    const size_t used = strlen(list);
    const char *separator = used == 0 ? "" : ", ";
    const char *quote = is_quoted ? "\"" : "";
    const size_t more = strlen(separator) + strlen(name) + 2 * strlen(quote);
    if (is_ended(list, used)) {
        return;
    }
    if (used + more + sizeof ellipsis <= size) { /* with room for an end */
        (void)snprintf(list + used, size - used, "%s%s%s%s", separator, quote, name, quote);
    } else {
        (void)snprintf(list + used, size - used, "%s", ellipsis);
    }
}
