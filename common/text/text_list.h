/* Lists of names for people: a, b, c ... Owns nothing. */
#ifndef DROVER_COMMON_TEXT_TEXT_LIST_H
#define DROVER_COMMON_TEXT_TEXT_LIST_H

#include <stdbool.h>
#include <stddef.h>

/** Appends one more name to a list, ", " before it when it is not the first. Where it has no room, " ..."
 * ends the list and nothing follows any more. list: a text, "" at first, in `size` bytes. */
void text_list_add(char *list, size_t size, const char *name, bool is_quoted);

#endif
