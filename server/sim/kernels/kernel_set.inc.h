/* The kernels of kernels.h, for LANES_WIDTH agents at once. The file that includes this defines LANES_WIDTH and
 * KERNEL_SET, the name that the kernels get.
 */
#include <math.h>
#include <string.h>

#include "server/sim/kernels/kernels_internal.h"
#include "server/sim/math/lanes.h"
#include "server/sim/math/pair.h"
#include "server/sim/math/rng.h"
#include "server/sim/scenery/scenery.h"
#include "server/sim/space/grid.h"
#include "server/sim/space/threat_rule.inc.h"
#include "server/sim/space/zone_sums.inc.h"
#include "server/sim/steering/half_planes.inc.h"
#include "server/sim/steering/locomotion_rules.inc.h"
#include "server/sim/steering/path_following.inc.h"
#include "server/sim/steering/steering_rules.inc.h"
#include "server/sim/steering/velocity_obstacles.h"

/* The sums of neighbors first: others use them. */
#include "server/sim/kernels/neighbor.inc.h"

#include "server/sim/kernels/flock.inc.h"
#include "server/sim/kernels/orca.inc.h"
#include "server/sim/kernels/sight.inc.h"
#include "server/sim/kernels/steering.inc.h"
#include "server/sim/kernels/threat.inc.h"

const struct kernel_set KERNEL_SET = {
    .neighbor = sum_neighbors,
    .threat = sum_threats,
    .sight = find_sights,
    .flock = step_flock,
    .orca = solve_orca,
    .steering = &steering,
};
