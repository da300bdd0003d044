/* The address of a server as text. Pure. */
#ifndef DROVER_COMMON_TEXT_SERVER_ADDRESS_H
#define DROVER_COMMON_TEXT_SERVER_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/failure.h"

/** Where a server listens. */
struct address {
    char host[256]; /* a name, an IPv4 or an IPv6 address without brackets; or all of mqtt://HOST/NAME */
    char port[6];   /* decimal digits; "" for mqtt:// */
};

/** Whether a text begins with mqtt://: it is a world at a broker. */
bool address_is_mqtt(const char *text);
/** The address for people: a user and a password are left out. */
void address_show(const struct address *address, char *out, size_t size);

/** Reads HOST, HOST:PORT, [IPV6], [IPV6]:PORT or a bare IPv6 address. The port stays as it is when the text
 * has none. 0, or -1 with *failure. */
NODISCARD int address_parse(const char *text, struct address *address, struct failure *failure);

#endif
