/* The address of a server as text. Pure. */
#ifndef DROVER_COMMON_TEXT_SERVER_ADDRESS_H
#define DROVER_COMMON_TEXT_SERVER_ADDRESS_H

#include "common/base/failure.h"

/** Where a server listens. */
struct address {
    char host[256]; /* a name, an IPv4 or an IPv6 address without brackets */
    char port[6];   /* decimal digits */
};

/** Reads HOST, HOST:PORT, [IPV6], [IPV6]:PORT or a bare IPv6 address. The port stays as it is when the text
 * has none. 0, or -1 with *failure. */
NODISCARD int address_parse(const char *text, struct address *address, struct failure *failure);

#endif
