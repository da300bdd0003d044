/* Flow fields: a velocity for every place, from a formula or a grid.
 *
 * Only + - * / and sqrt, so the same everywhere. Pure: the definition is all there is.
 */
#ifndef DROVER_SERVER_SIM_SCENERY_FLOW_FIELD_H
#define DROVER_SERVER_SIM_SCENERY_FLOW_FIELD_H

#include "server/sim/scenery/geometry_def.h"
#include "server/sim/space/edge.h"

/** The flow at a place.
 *
 * place    px
 * returns  px/s, finite. Vortex and towards fall to {0,0} within 20 px of their middle; a grid is
 * interpolated between the centers of its cells, round the edge of a wrapping world, and goes on outside as
 * at its border; noise repeats every world size, so it joins at a wrapping edge. Not above |strength|. source
 * noise: the curl of a smooth random height (Bridson 2007, "Curl-noise for procedural fluid flow"), here of
 * value noise
 */
vec2 flow_at(const struct flow_def *flow, const struct bounds *bounds, vec2 place);

#endif
