/* A page has no sockets. */
#ifndef DROVER_WEB_SERVER_SYSTEM_UN_H
#define DROVER_WEB_SERVER_SYSTEM_UN_H

struct sockaddr_un {
    unsigned short sun_family;
    char sun_path[108];
};

#endif
