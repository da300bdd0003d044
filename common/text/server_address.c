/* See server_address.h. */
#include "common/text/server_address.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char mqtt[] = "mqtt://";

bool address_is_mqtt(const char *text) {
    return strncmp(text, mqtt, sizeof mqtt - 1) == 0;
}

void address_show(const struct address *address, char *out, size_t size) {
    const char *at = strrchr(address->host, '@');
    if (address_is_mqtt(address->host)) {
        (void)snprintf(out, size, "%s%s", mqtt, at != NULL ? at + 1 : address->host + sizeof mqtt - 1);
    } else {
        (void)snprintf(out, size, strchr(address->host, ':') != NULL ? "[%s]:%s" : "%s:%s", address->host,
                       address->port);
    }
}

static bool is_port(const char *text) {
    const size_t length = strlen(text);
    unsigned value = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || i >= 5) {
            return false;
        }
        value = value * 10u + (unsigned)(text[i] - '0');
    }
    return length > 0 && value >= 1 && value <= 65535;
}

int address_parse(const char *text, struct address *address, struct failure *failure) {
    const char *host = text, *port = NULL;
    size_t host_length = strlen(text);
    const char *colon = strrchr(text, ':');
    if (text[0] == '[') {
        const char *end = strchr(text, ']');
        if (end == NULL || (end[1] != '\0' && end[1] != ':')) {
            return failure_set(failure, FAILURE_BAD_PARAM, "HOST",
                               "invalid address \"%s\"; expected HOST[:PORT] or [IPV6]:PORT", text);
        }
        host = text + 1;
        host_length = (size_t)(end - host);
        port = end[1] == ':' ? end + 2 : NULL;
    } else if (colon != NULL && colon == strchr(text, ':')) { /* two colons or more: an IPv6 address */
        host_length = (size_t)(colon - text);
        port = colon + 1;
    }
    if (host_length == 0 || host_length >= sizeof address->host) {
        return failure_set(failure, FAILURE_BAD_PARAM, "HOST",
                           "\"%s\" has no host: expected HOST or HOST:PORT", text);
    }
    if (port != NULL && !is_port(port)) {
        return failure_set(failure, FAILURE_BAD_PARAM, "HOST", "invalid port \"%s\"; expected 1 to 65535",
                           port);
    }
    memcpy(address->host, host, host_length);
    address->host[host_length] = '\0';
    if (port != NULL) {
        (void)snprintf(address->port, sizeof address->port, "%s", port);
    }
    return 0;
}
