/* The handlers of what is kept of worlds: save, remove_save, record, seek, speed. */
#include "server/commands/command_handlers.h"

/* Saved worlds are the builder's: their requests are answered without coming here. */
int apply_save(struct apply *apply) {
    return failure_set(&apply->failure, FAILURE_INTERNAL, "name", "the request was not given to the builder");
}

int apply_record(struct apply *apply) {
    const struct state_services *services = &apply->state->services;
    if (services->record == NULL) {
        return failure_set(&apply->failure, FAILURE_IO, NULL,
                           "this server keeps nothing; start it with --state or --record");
    }
    return services->record(services->context, &apply->request->body.record, apply->json, &apply->failure);
}

static int fail_live(struct apply *apply) {
    return failure_set(&apply->failure, FAILURE_NOT_REPLAYING, NULL,
                       "the server plays no recording; %s is for a server started with --replay",
                       request_op_name(apply->request->op));
}

int apply_seek(struct apply *apply) {
    const struct state_services *services = &apply->state->services;
    return services->seek == NULL
               ? fail_live(apply)
               : services->seek(services->context, &apply->request->body.seek, apply->json, &apply->failure);
}

int apply_speed(struct apply *apply) {
    const struct state_services *services = &apply->state->services;
    const struct request_speed *speed = &apply->request->body.speed;
    if (services->speed == NULL) {
        return failure_set(&apply->failure, FAILURE_INTERNAL, NULL, "this world has no clock");
    }
    if (services->speed(services->context, speed, apply->json)) {
        apply_tell(apply, "speed", EVENT_HAS_SPEED)->speed = speed->max ? 0.0 : speed->factor;
    }
    return 0;
}
