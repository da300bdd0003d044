/* In place of the door, in a build without its libraries. See web_door.h. */
#include <stddef.h>

#include "server/web/web_door.h"

struct web_door *web_door_open(struct loop_context *loop, struct failure *failure) {
    (void)loop;
    (void)failure_set(failure, FAILURE_BAD_PARAM, "--web",
                      "--web: this server was built without it; it needs libmicrohttpd, libwslay and nettle "
                      "(Debian: libmicrohttpd-dev libwslay-dev nettle-dev)");
    return NULL;
}

int web_door_start(struct web_door *door) {
    (void)door;
    return 0;
}

const char *web_door_address(const struct web_door *door) {
    (void)door;
    return NULL;
}

void web_door_shut(struct web_door *door) {
    (void)door;
}

void web_door_close(struct web_door *door) {
    (void)door;
}

void web_door_free(struct web_door *door) {
    (void)door;
}
