/* See access.h. */
#include "server/sessions/access.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/system/regular_file.h"
#include "common/text/names.h"

/* Addresses that count as one: 4 and the IPv4 address, or 6 and the first half of the IPv6 address. An IPv4
 * address that came through an IPv6 socket is one all the same. */
static void network_of(const char *address, uint8_t network[TOKEN_GUARD_NETWORK]) {
    static const uint8_t mapped[12] = {[10] = 0xFF, [11] = 0xFF};
    uint8_t bytes[16] = {0};
    memset(network, 0, TOKEN_GUARD_NETWORK);
    if (inet_pton(AF_INET, address, bytes) == 1) {
        network[0] = 4;
        memcpy(network + 1, bytes, 4);
    } else if (inet_pton(AF_INET6, address, bytes) == 1) {
        const int is_mapped = memcmp(bytes, mapped, sizeof mapped) == 0;
        network[0] = is_mapped ? 4 : 6;
        memcpy(network + 1, is_mapped ? bytes + 12 : bytes, is_mapped ? 4 : 8);
    }
}

static bool is_row_of(const struct token_guard *guard, int row, const uint8_t network[TOKEN_GUARD_NETWORK]) {
    return guard->rows[row].wrong > 0 && memcmp(guard->rows[row].network, network, TOKEN_GUARD_NETWORK) == 0;
}

/* The row of the network: its own, or else the one with the oldest wrong token, emptied. */
static int row_of(struct token_guard *guard, const uint8_t network[TOKEN_GUARD_NETWORK]) {
    int oldest = 0;
    for (int i = 0; i < TOKEN_GUARD_ROWS; i++) {
        if (is_row_of(guard, i, network)) {
            return i;
        }
        oldest = guard->rows[i].heard_ms < guard->rows[oldest].heard_ms ? i : oldest;
    }
    memset(&guard->rows[oldest], 0, sizeof guard->rows[oldest]);
    memcpy(guard->rows[oldest].network, network, TOKEN_GUARD_NETWORK);
    return oldest;
}

uint64_t token_guard_wrong(struct token_guard *guard, const char *address, uint64_t now_ms) {
    uint8_t network[TOKEN_GUARD_NETWORK];
    network_of(address, network);
    const int row = row_of(guard, network);
    uint32_t *wrong = &guard->rows[row].wrong;
    uint64_t *next_ms = &guard->rows[row].next_ms;
    if (now_ms - guard->rows[row].heard_ms >= TOKEN_GUARD_FORGET_MS) {
        *wrong = 0;
    }
    guard->unreported++;
    guard->rows[row].heard_ms = now_ms;
    if (*wrong < LIMIT_TOKEN_FREE) {
        ++*wrong;
        *next_ms = now_ms;
        return now_ms;
    }
    assert(*wrong == LIMIT_TOKEN_FREE);
    const uint64_t latest_ms = now_ms + TOKEN_GUARD_MOST_MS;
    *next_ms = (*next_ms > now_ms ? *next_ms : now_ms) + TOKEN_GUARD_EACH_MS;
    *next_ms = *next_ms < latest_ms ? *next_ms : latest_ms;
    return *next_ms;
}

bool token_guard_is_full(const struct token_guard *guard, const char *address, uint64_t now_ms) {
    uint8_t network[TOKEN_GUARD_NETWORK];
    network_of(address, network);
    for (int i = 0; i < TOKEN_GUARD_ROWS; i++) {
        if (is_row_of(guard, i, network)) {
            return guard->rows[i].next_ms + TOKEN_GUARD_EACH_MS >= now_ms + TOKEN_GUARD_MOST_MS;
        }
    }
    return false;
}

uint32_t token_guard_report(struct token_guard *guard, uint64_t now_ms) {
    if (guard->unreported == 0 ||
        (guard->reported_ms > 0 && now_ms - guard->reported_ms < TOKEN_GUARD_REPORT_MS)) {
        return 0;
    }
    const uint32_t count = guard->unreported;
    guard->unreported = 0;
    guard->reported_ms = now_ms;
    return count;
}

/* ---- access ---- */

enum { LINE_CHARS = 512, LINES = 65536, WORDS = 3 };

struct access access_open(void) {
    return (struct access){.needs_token = false};
}

void access_fini(struct access *access) {
    free(access->entries);
    *access = access_open();
}

static int fail_line(const char *path, int line, const char *what, struct failure *failure) {
    return failure_set(failure, FAILURE_BAD_PARAM, "--token-file", "%s:%d: %s", path, line, what);
}

/* Cuts a line into words in place. Returns how many there are, at most WORDS + 1. */
static int split(char *line, char *words[WORDS + 1]) {
    int count = 0;
    char *at = line;
    for (;;) {
        at += strspn(at, " \t\r\n");
        if (*at == '\0' || count > WORDS) {
            return count;
        }
        words[count++] = at;
        at += strcspn(at, " \t\r\n");
        if (*at != '\0') {
            *at++ = '\0';
        }
    }
}

static bool is_token(const char *text) {
    const size_t length = strlen(text);
    for (size_t i = 0; i < length; i++) {
        if (text[i] <= 0x20 || text[i] >= 0x7F) {
            return false;
        }
    }
    return length >= ACCESS_TOKEN_LEAST && length <= LIMIT_TOKEN_CHARS;
}

static int read_line(char *line, struct access_entry *entry, const char **what) {
    char *words[WORDS + 1] = {NULL};
    const int count = split(line, words);
    if (count < 2 || count > WORDS) {
        *what = "expected ROLE TOKEN [NAME]";
        return -1;
    }
    *entry = (struct access_entry){.role = role_from_name(words[0])};
    if (entry->role == ROLE_COUNT) {
        *what = "unknown role; the first word is viewer, operator or admin";
        return -1;
    }
    if (!is_token(words[1])) {
        *what = "a token has 8 to 128 printable ASCII characters without blanks";
        return -1;
    }
    struct failure failure;
    if (count == WORDS && person_name_read(words[2], "", entry->name, &failure) != 0) {
        *what = "a name has at most 31 bytes of visible UTF-8";
        return -1;
    }
    memcpy(entry->token, words[1], strlen(words[1]));
    return 0;
}

static int add(struct access *access, const struct access_entry *entry, const char **what) {
    if (access_find(access, entry->token) != NULL) {
        *what = "duplicate token; an earlier line has it";
        return -1;
    }
    struct access_entry *entries =
        access->count == ACCESS_ENTRIES
            ? NULL
            : realloc(access->entries, ((size_t)access->count + 1) * sizeof *entries);
    if (entries == NULL) {
        *what = "too many tokens";
        return -1;
    }
    access->entries = entries;
    entries[access->count++] = *entry;
    return 0;
}

static int read_lines(FILE *file, const char *path, struct access *access, struct failure *failure) {
    char line[LINE_CHARS];
    for (int number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        const char *what = NULL;
        const char *first = line + strspn(line, " \t\r\n");
        struct access_entry entry;
        if (strlen(line) == sizeof line - 1) {
            what = "the line is too long";
        } else if (number > LINES) {
            what = "too many lines";
        } else if (*first != '\0' && *first != '#' && read_line(line, &entry, &what) == 0) {
            (void)add(access, &entry, &what);
        }
        if (what != NULL) {
            memset(line, 0, sizeof line);
            return fail_line(path, number, what, failure);
        }
    }
    memset(line, 0, sizeof line);
    if (ferror(file) || access->count == 0) {
        return failure_set(failure, FAILURE_BAD_PARAM, "--token-file", "%s: %s", path,
                           ferror(file) ? "cannot be read" : "it has no token");
    }
    return 0;
}

/* A secret that other users can read is none. */
static int check_file(FILE *file, const char *path, struct failure *failure) {
    struct stat status;
    if (fstat(fileno(file), &status) != 0) {
        return failure_set(failure, FAILURE_BAD_PARAM, "--token-file", "%s: %s", path, strerror(errno));
    }
    if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        return failure_set(failure, FAILURE_BAD_PARAM, "--token-file",
                           "%s: users other than its owner have access (mode %03o); chmod 600 it", path,
                           (unsigned)(status.st_mode & 0777));
    }
    if (status.st_uid != geteuid() && status.st_uid != 0) {
        return failure_set(failure, FAILURE_BAD_PARAM, "--token-file", "%s: it belongs to another user",
                           path);
    }
    return 0;
}

int access_load(const char *path, struct access *out, struct failure *failure) {
    int descriptor = -1;
    char reason[REGULAR_FILE_REASON];
    if (regular_file_open(path, &descriptor, reason) != REGULAR_FILE_OK) {
        return failure_set(failure, FAILURE_BAD_PARAM, "--token-file", "%s: %s", path, reason);
    }
    FILE *file = fdopen(descriptor, "r");
    if (file == NULL) {
        close(descriptor);
        return failure_set(failure, FAILURE_BAD_PARAM, "--token-file", "%s: %s", path, strerror(errno));
    }
    struct access access = {.needs_token = true};
    int result = check_file(file, path, failure);
    if (result == 0) {
        result = read_lines(file, path, &access, failure);
    }
    (void)fclose(file);
    if (result != 0) {
        access_fini(&access);
        return -1;
    }
    *out = access;
    return 0;
}

/* Whether two padded tokens are the same, in a time that does not depend on where they differ. */
static bool is_same(const char a[LIMIT_TOKEN_CHARS + 1], const char b[LIMIT_TOKEN_CHARS + 1]) {
    volatile unsigned char difference = 0;
    for (int i = 0; i <= LIMIT_TOKEN_CHARS; i++) {
        difference = (unsigned char)(difference | ((unsigned char)a[i] ^ (unsigned char)b[i]));
    }
    return difference == 0;
}

const struct access_entry *access_find(const struct access *access, const char *token) {
    char padded[LIMIT_TOKEN_CHARS + 1] = "";
    const size_t length = strnlen(token, sizeof padded);
    if (length >= sizeof padded) {
        return NULL;
    }
    memcpy(padded, token, length);
    const struct access_entry *found = NULL;
    for (int i = 0; i < access->count; i++) {
        if (is_same(access->entries[i].token, padded)) {
            found = &access->entries[i];
        }
    }
    return length == 0 ? NULL : found;
}
