/* See peer_socket.h. In a file of its own because <linux/tcp.h> and <netinet/tcp.h> exclude each other. */
#include "server/net/peer_socket.h"

#ifdef DROVER_HAS_SEND_WINDOW
#include <stddef.h>

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

enum { STATE_CLOSE_WAIT = 8 }; /* TCP_CLOSE_WAIT of <netinet/tcp.h> */
#endif

void peer_window_note_skip(struct peer_window *window, uint64_t now_ms) {
    window->watch_until_ms = now_ms + PEER_WINDOW_WATCH_MS;
}

bool peer_window_is_watched(const struct peer_window *window, uint64_t now_ms) {
    return now_ms < window->watch_until_ms;
}

bool peer_window_allows(struct peer_window *window, uint32_t open_bytes, uint64_t now_ms) {
    if (open_bytes > window->widest_bytes) {
        window->widest_bytes = open_bytes;
    }
    if (open_bytes >= window->widest_bytes / 2) {
        window->is_holding = false;
        return true;
    }
    if (!window->is_holding) {
        window->is_holding = true;
        window->held_since_ms = now_ms;
    }
    if (now_ms - window->held_since_ms < PEER_WINDOW_HOLD_MS) {
        return false;
    }
    window->is_holding = false;
    window->widest_bytes = open_bytes;
    return true;
}

int peer_window_read(int socket, uint32_t *open_bytes) {
#ifdef DROVER_HAS_SEND_WINDOW
    struct tcp_info info;
    socklen_t length = sizeof info;
    const socklen_t needed = (socklen_t)(offsetof(struct tcp_info, tcpi_snd_wnd) + sizeof info.tcpi_snd_wnd);
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 || length < needed) {
        return -1;
    }
    /* Bytes under way, or still in the kernel, will fill the window that the peer announced. */
    const uint64_t flying = info.tcpi_bytes_sent - info.tcpi_bytes_retrans - info.tcpi_bytes_acked;
    const uint64_t coming = (flying <= UINT32_MAX ? flying : 0) + info.tcpi_notsent_bytes;
    *open_bytes = coming < info.tcpi_snd_wnd ? info.tcpi_snd_wnd - (uint32_t)coming : 0;
    return 0;
#else
    (void)socket;
    (void)open_bytes;
    return -1;
#endif
}

bool peer_window_is_closed(int socket) {
#ifdef DROVER_HAS_SEND_WINDOW
    struct tcp_info info = {0};
    socklen_t length = sizeof info;
    return getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 &&
           info.tcpi_state == STATE_CLOSE_WAIT;
#else
    (void)socket;
    return false;
#endif
}
