/* struct drover_frame: a view of a decoded snapshot, and of a grid. Pure; owns both. */
#ifndef DROVER_CLIENTS_C_CLIENT_FRAME_H
#define DROVER_CLIENTS_C_CLIENT_FRAME_H

#include "clients/c/client_decoder.h"
#include "clients/c/include/drover/drover.h"

struct client_frame {
    struct drover_frame shown; /* the first member: a pointer to it is one to the whole */
    struct snapshot *snapshot; /* owned; NULL in one that was never filled */
    struct density *density;   /* owned; NULL as well */
};

/** Takes the event's frame (CLIENT_FRAME) out of the decoder, which gets the former memory of *frame for it. arrival_ms and missed: as
 * in struct drover_frame. */
void client_frame_fill(struct client_frame *frame, struct client_decoder *decoder,
                       const struct client_event *event, double arrival_ms, uint32_t missed);

#endif
