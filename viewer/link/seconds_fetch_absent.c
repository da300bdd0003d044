/* See seconds_fetch.h. */
#include <poll.h>
#include <stdlib.h>

#include "viewer/link/seconds_fetch.h"

struct seconds_fetch {
    struct buffer bytes;
};

struct seconds_fetch *seconds_fetch_create(const char *ca) {
    (void)ca;
    struct seconds_fetch *fetch = calloc(1, sizeof *fetch);
    if (fetch != NULL) {
        buffer_init(&fetch->bytes, 1);
    }
    return fetch;
}

void seconds_fetch_destroy(struct seconds_fetch *fetch) {
    free(fetch);
}

void seconds_fetch_begin(struct seconds_fetch *fetch, const char *url) {
    (void)fetch;
    (void)url;
}

void seconds_fetch_wait(struct seconds_fetch *fetch, int wake, int timeout_ms) {
    struct pollfd source = {.fd = wake, .events = POLLIN};
    (void)fetch;
    (void)poll(&source, 1, timeout_ms);
}

bool seconds_fetch_has_ended(struct seconds_fetch *fetch, const char **problem) {
    (void)fetch;
    *problem = "this viewer was built without libcurl, which fetches them";
    return true;
}

const struct buffer *seconds_fetch_bytes(const struct seconds_fetch *fetch) {
    return &fetch->bytes;
}
