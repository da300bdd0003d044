/* Finding a name by a few of its letters, in order, as one types them, and a text by its words. Pure. */
#ifndef DROVER_VIEWER_PANELS_FUZZY_H
#define DROVER_VIEWER_PANELS_FUZZY_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How well the letters of `wanted` are found in `text`, in their order: 0 not at all; more is better.
 * Letters at the start of words and side by side count more; case and spaces in `wanted` do not count. An
 * empty wish fits everything alike. */
int fuzzy_score(const char *wanted, const char *text);

/** How well the words of `wanted` are found in a sentence: each must be there as it is typed, at the start of a word or
 * inside one, since in a long text nearly any letters are found in order. 0 when one is not; more for more letters and
 * for those at the start of words. Case does not count. An empty wish gives 1. */
int fuzzy_words_score(const char *wanted, const char *text);

/** Whether each word of `wanted` begins a word of the text, with three letters of it at least. Case does not count. */
bool fuzzy_has_words(const char *wanted, const char *text);

#ifdef __cplusplus
}
#endif

#endif
