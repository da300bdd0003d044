/* Finding a name by a few of its letters, in order, as one types them. Pure. */
#ifndef DROVER_VIEWER_PANELS_FUZZY_H
#define DROVER_VIEWER_PANELS_FUZZY_H

#ifdef __cplusplus
extern "C" {
#endif

/** How well the letters of `wanted` are found in `text`, in their order: 0 not at all; more is better.
 * Letters at the start of words and side by side count more; case and spaces in `wanted` do not count. An
 * empty wish fits everything alike. */
int fuzzy_score(const char *wanted, const char *text);

#ifdef __cplusplus
}
#endif

#endif
