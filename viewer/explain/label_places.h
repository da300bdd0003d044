/* Places for the names of markers, so that no name covers another, the selected agent or a panel. Pure.
 *
 * A name lies to one side of its marker. It keeps its side from frame to frame for as long as that is free, so names
 * do not flicker. All lengths are picture px.
 */
#ifndef DROVER_VIEWER_EXPLAIN_LABEL_PLACES_H
#define DROVER_VIEWER_EXPLAIN_LABEL_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/vec2.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LABEL_PLACES_MOST = 64 };

/** The side at which a name is wanted most. */
enum label_side { LABEL_RIGHT, LABEL_ABOVE };

/** A rectangle, edges included. */
struct label_box {
    vec2 low, high;
};

/** A name that wants a place. */
struct label_wish {
    uint32_t key;         /* the same from frame to frame: label_places_key */
    vec2 at;              /* the middle of its marker */
    float reach;          /* from there to the edge of the marker, or of the ring that is named */
    vec2 size;            /* of the words */
    enum label_side side; /* tried first */
};

/** The space that names keep clear of. */
struct label_room {
    vec2 picture;                   /* size */
    const struct label_box *covers; /* panels, the selected agent: no name lies over them */
    int cover_count;
    const struct label_box *markers; /* a name lies over one of them only when there is no better place */
    int marker_count;
};

/** The choices of the frame before. Zeroed memory has none. */
struct label_places {
    struct {
        uint32_t key;
        int place; /* -1: there was none */
    } rows[LABEL_PLACES_MOST];
    int count;
};

/** A key for a name of a sort ('t' for targets ...). */
uint32_t label_places_key(char sort, const char *words);
/** Finds places for the names, those of the first first, and remembers them.
 *
 * wishes  at most LABEL_PLACES_MOST
 * corner  for each wish: the top left corner of its words
 * shown   for each wish: whether there is a place */
void label_places_find(struct label_places *places, const struct label_room *room,
                       const struct label_wish *wishes, int count, vec2 *corner, bool *shown);

#ifdef __cplusplus
}
#endif

#endif
