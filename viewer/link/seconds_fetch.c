/* See seconds_fetch.h. */
#include "viewer/link/seconds_fetch.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>

enum { TIMEOUT_MS = 20000, CONNECT_MS = 5000, MOST_BYTES = 256 * 1024 * 1024, HTTP_ERRORS = 400 };

struct seconds_fetch {
    CURLM *multi;
    CURL *easy;
    struct buffer bytes;
    bool is_running;
    char problem[2 * CURL_ERROR_SIZE];
};

static size_t take(char *bytes, size_t size, size_t count, void *context) {
    struct seconds_fetch *fetch = context;
    buffer_append(&fetch->bytes, bytes, size * count);
    return fetch->bytes.failed ? 0 : size * count;
}

struct seconds_fetch *seconds_fetch_create(const char *ca) {
    struct seconds_fetch *fetch = calloc(1, sizeof *fetch);
    if (fetch == NULL || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        free(fetch);
        return NULL;
    }
    buffer_init(&fetch->bytes, MOST_BYTES);
    fetch->multi = curl_multi_init();
    fetch->easy = curl_easy_init();
    if (fetch->multi == NULL || fetch->easy == NULL) {
        seconds_fetch_destroy(fetch);
        return NULL;
    }
    CURL *easy = fetch->easy;
    (void)curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https,file");
    (void)curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    (void)curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 1L);
    (void)curl_easy_setopt(easy, CURLOPT_MAXREDIRS, 5L);
    (void)curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    (void)curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
    (void)curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)TIMEOUT_MS);
    (void)curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    (void)curl_easy_setopt(easy, CURLOPT_USERAGENT, "drover-viewer");
    (void)curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, fetch->problem);
    (void)curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take);
    (void)curl_easy_setopt(easy, CURLOPT_WRITEDATA, fetch);
    if (ca[0] != '\0') {
        (void)curl_easy_setopt(easy, CURLOPT_CAINFO, ca);
    }
    return fetch;
}

static void end(struct seconds_fetch *fetch) {
    if (fetch->is_running) {
        (void)curl_multi_remove_handle(fetch->multi, fetch->easy);
        fetch->is_running = false;
    }
}

void seconds_fetch_destroy(struct seconds_fetch *fetch) {
    if (fetch != NULL) {
        end(fetch);
        curl_easy_cleanup(fetch->easy);
        (void)curl_multi_cleanup(fetch->multi);
        buffer_fini(&fetch->bytes);
        curl_global_cleanup();
        free(fetch);
    }
}

void seconds_fetch_begin(struct seconds_fetch *fetch, const char *url) {
    buffer_clear(&fetch->bytes);
    buffer_append(&fetch->bytes, "", 0);
    fetch->problem[0] = '\0';
    (void)curl_easy_setopt(fetch->easy, CURLOPT_URL, url);
    fetch->is_running = curl_multi_add_handle(fetch->multi, fetch->easy) == CURLM_OK;
}

void seconds_fetch_wait(struct seconds_fetch *fetch, int wake, int timeout_ms) {
    struct curl_waitfd extra = {.fd = wake, .events = CURL_WAIT_POLLIN};
    int running = 0;
    (void)curl_multi_perform(fetch->multi, &running);
    if (!fetch->is_running || running > 0) {
        (void)curl_multi_poll(fetch->multi, &extra, 1, timeout_ms, NULL);
    }
}

/* What to do about a certificate. */
static void name_certificate(struct seconds_fetch *fetch, CURLcode result) {
    char why[CURL_ERROR_SIZE];
    if (result == CURLE_PEER_FAILED_VERIFICATION || result == CURLE_SSL_CACERT_BADFILE) {
        (void)snprintf(why, sizeof why, "%.*s", (int)sizeof why - 1, fetch->problem);
        (void)snprintf(fetch->problem, sizeof fetch->problem, "%s; %s", why,
                       result == CURLE_SSL_CACERT_BADFILE
                           ? "--ca takes a file of certificates (PEM)"
                           : "expected one that this system trusts, or that --ca FILE has");
    }
}

static const char *problem_of(struct seconds_fetch *fetch, CURLcode result) {
    long status = 0;
    (void)curl_easy_getinfo(fetch->easy, CURLINFO_RESPONSE_CODE, &status);
    if (result != CURLE_OK) {
        if (fetch->problem[0] == '\0') {
            (void)snprintf(fetch->problem, sizeof fetch->problem, "%s", curl_easy_strerror(result));
        }
        name_certificate(fetch, result);
        return fetch->problem;
    }
    if (status >= HTTP_ERRORS) {
        (void)snprintf(fetch->problem, sizeof fetch->problem, "the web server answered %ld%s", status,
                       status == 404 ? " (not found)" : "");
        return fetch->problem;
    }
    return NULL;
}

bool seconds_fetch_has_ended(struct seconds_fetch *fetch, const char **problem) {
    int left = 0;
    const CURLMsg *message = NULL;
    while ((message = curl_multi_info_read(fetch->multi, &left)) != NULL) {
        if (message->msg == CURLMSG_DONE) {
            const CURLcode result = message->data.result;
            end(fetch);
            *problem = problem_of(fetch, result);
            return true;
        }
    }
    *problem = "out of memory";
    return !fetch->is_running;
}

const struct buffer *seconds_fetch_bytes(const struct seconds_fetch *fetch) {
    return &fetch->bytes;
}
