/* Where an agent is and how it moves. */
#ifndef DROVER_SERVER_SIM_MATH_MOTION_H
#define DROVER_SERVER_SIM_MATH_MOTION_H

/** An agent's motion: the hot record, 16 bytes. px, px/s. */
struct motion {
    float x, y, vx, vy;
};

#endif
