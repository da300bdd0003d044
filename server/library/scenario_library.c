/* See scenario_library.h. Owns nothing. */
#include "server/library/scenario_library.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/system/clock.h"
#include "common/system/log.h"
#include "common/system/regular_file.h"
#include "common/text/names.h"

static bool name_of_entry(const char *entry, char name[LIMIT_NAME_CHARS + 1]);

static bool is_directory(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* DIRECTORY/drover/scenarios, where DIRECTORY is what the environment says or, without it, that place in the
 * home directory. */
static void find_own(char *out, size_t size) {
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    out[0] = '\0';
    if (data != NULL && data[0] == '/') { /* its specification: others are not looked at */
        (void)snprintf(out, size, "%s/drover/scenarios", data);
    } else if (home != NULL && home[0] == '/') {
        (void)snprintf(out, size, "%s/.local/share/drover/scenarios", home);
    }
}

/* ../share/drover/scenarios beside the program: where it is installed, and where a build folder has a link.
 */
static void find_beside(char *out, size_t size) {
    char program[SCENARIO_LIBRARY_PATH / 2];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(program, '/');
    out[0] = '\0';
    if (slash != NULL) {
        *slash = '\0';
        (void)snprintf(out, size, "%s/../share/drover/scenarios", program);
    }
}

enum { PLACES = 4 };

static void find_places(char places[PLACES][SCENARIO_LIBRARY_PATH]) {
    find_own(places[0], sizeof places[0]);
    find_beside(places[1], sizeof places[1]);
    memcpy(places[2], "/usr/local/share/drover/scenarios", sizeof "/usr/local/share/drover/scenarios");
    memcpy(places[3], "/usr/share/drover/scenarios", sizeof "/usr/share/drover/scenarios");
}

/* The first that is there; otherwise the failure names them all. */
static int find_default(char directory[SCENARIO_LIBRARY_PATH], struct failure *failure) {
    char places[PLACES][SCENARIO_LIBRARY_PATH];
    char looked[sizeof failure->message] = "";
    find_places(places);
    for (int i = 0; i < PLACES; i++) {
        if (places[i][0] == '\0') {
            continue;
        }
        if (is_directory(places[i])) {
            memcpy(directory, places[i], sizeof places[i]);
            return 0;
        }
        const size_t used = strlen(looked);
        (void)snprintf(looked + used, sizeof looked - used, "%s%.100s", used == 0 ? "" : ", ", places[i]);
    }
    return failure_set(failure, FAILURE_NO_SCENARIO, NULL,
                       "no scenarios in %.300s; --scenarios DIR says where they are", looked);
}

int scenario_library_init(struct scenario_library *library, const char *directory, struct failure *failure) {
    *library = (struct scenario_library){0};
    if (directory == NULL || directory[0] == '\0') {
        return find_default(library->directory, failure);
    }
    const int length = snprintf(library->directory, sizeof library->directory, "%s", directory);
    if (length < 0 || (size_t)length >= sizeof library->directory || !is_directory(library->directory)) {
        return failure_set(failure, FAILURE_NO_SCENARIO, NULL, "no directory of scenarios at \"%s\"",
                           directory);
    }
    return 0;
}

static void clear_list(struct scenario_library *library) {
    free(library->list.rows);
    library->list = (struct scenario_list){0};
    library->has_list = false;
}

void scenario_library_fini(struct scenario_library *library) {
    clear_list(library);
}

/* The path that was given, or DIRECTORY/NAME.json; false when that is too long. */
static bool file_path(const struct scenario_library *library, const char *name,
                      char out[SCENARIO_LIBRARY_PATH + 64]) {
    if (strcmp(name, library->given_name) == 0) {
        memcpy(out, library->given_path, sizeof library->given_path);
        return true;
    }
    const int length = snprintf(out, SCENARIO_LIBRARY_PATH + 64, "%s/%s.json", library->directory, name);
    return length > 0 && length < SCENARIO_LIBRARY_PATH + 64;
}

/* The scenario that was probably meant, as a hint. */
static void hint_scenario(const struct scenario_library *library, const char *name,
                          char hint[NEAREST_HINT_BYTES]) {
    struct nearest_name nearest = nearest_name_begin(name);
    DIR *directory = opendir(library->directory);
    const struct dirent *entry = NULL;
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        char candidate[LIMIT_NAME_CHARS + 1];
        if (name_of_entry(entry->d_name, candidate)) {
            nearest_name_offer(&nearest, candidate);
        }
    }
    if (directory != NULL) {
        closedir(directory);
    }
    nearest_name_offer(&nearest, library->given_name);
    nearest_name_hint(&nearest, hint);
}

static int fail_no_scenario(const struct scenario_library *library, const char *name,
                            struct failure *failure) {
    char hint[NEAREST_HINT_BYTES];
    hint_scenario(library, name, hint);
    return failure_set(failure, FAILURE_NO_SCENARIO, "scenario", "no scenario \"%.80s\"%s; `list` names them",
                       name, hint);
}

/* The message for a client names the file alone; the log has the whole path. */
static int fail_file(const char *path, const struct failure *reason, struct failure *failure) {
    const char *slash = strrchr(path, '/');
    (void)scenario_file_fail(path, reason, failure);
    log_write(LOG_WARN, "scenario", "%s", failure->message);
    return scenario_file_fail(slash == NULL ? path : slash + 1, reason, failure);
}

int scenario_library_load(struct scenario_library *library, const char *name, struct scenario *out,
                          struct failure *failure) {
    char path[SCENARIO_LIBRARY_PATH + 64];
    struct failure reason = {0};
    scenario_init(out);
    if (!name_is_valid(name, strlen(name)) || !file_path(library, name, path)) {
        return fail_no_scenario(library, name, failure);
    }
    if (scenario_file_read(path, out, &reason) == 0) {
        return 0;
    }
    return reason.code == FAILURE_NO_SCENARIO ? fail_no_scenario(library, name, failure)
                                              : fail_file(path, &reason, failure);
}

static bool is_path(const char *argument) {
    const size_t length = strlen(argument);
    return strchr(argument, '/') != NULL || (length >= 5 && strcmp(argument + length - 5, ".json") == 0);
}

/* What was given by its path has a name from now on. */
static void remember(struct scenario_library *library, const char *path, const char *name) {
    char other[SCENARIO_LIBRARY_PATH + 64];
    struct stat given, found;
    if (strlen(path) >= sizeof library->given_path) {
        log_write(LOG_WARN, "scenario", "%.60s...: the path is too long to load it again by name", path);
        return;
    }
    if (file_path(library, name, other) && stat(path, &given) == 0 && stat(other, &found) == 0 &&
        (given.st_dev != found.st_dev || given.st_ino != found.st_ino)) {
        log_write(LOG_WARN, "scenario", "\"%s\" is %s while this server runs, not %s", name, path, other);
    }
    memcpy(library->given_path, path, strlen(path) + 1);
    memcpy(library->given_name, name, strlen(name) + 1);
}

int scenario_library_load_argument(struct scenario_library *library, const char *argument,
                                   struct scenario *out, struct failure *failure) {
    if (is_path(argument)) {
        const int result = scenario_file_load(argument, out, failure);
        if (result == 0) {
            remember(library, argument, out->name);
        }
        return result;
    }
    if (scenario_library_load(library, argument, out, failure) == 0) {
        return 0;
    }
    if (failure->code == FAILURE_NO_SCENARIO) {
        char hint[NEAREST_HINT_BYTES];
        hint_scenario(library, argument, hint);
        return failure_set(failure, FAILURE_NO_SCENARIO, "scenario", "no scenario \"%.80s\"%s in %s",
                           argument, hint, library->directory);
    }
    return -1;
}

/* ---- the list ---- */

static int compare_rows(const void *a, const void *b) {
    const struct message_scenario_row *left = a;
    const struct message_scenario_row *right = b;
    return strcmp(left->name, right->name);
}

/* "seek.json" -> "seek" when that is a name. */
static bool name_of_entry(const char *entry, char name[LIMIT_NAME_CHARS + 1]) {
    const size_t length = strlen(entry);
    if (length <= 5 || strcmp(entry + length - 5, ".json") != 0 || !name_is_valid(entry, length - 5)) {
        return false;
    }
    memcpy(name, entry, length - 5);
    name[length - 5] = '\0';
    return true;
}

static int add_row(struct scenario_list *list, const struct scenario *scenario, struct failure *failure) {
    struct message_scenario_row *rows = realloc(list->rows, ((size_t)list->count + 1) * sizeof *rows);
    if (rows == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    list->rows = rows;
    struct message_scenario_row *row = &rows[list->count++];
    *row = (struct message_scenario_row){0};
    memcpy(row->name, scenario->name, sizeof row->name);
    memcpy(row->title, scenario->title, sizeof row->title);
    memcpy(row->description, scenario->description, sizeof row->description);
    memcpy(row->group, scenario->about.group, sizeof row->group);
    memcpy(row->caption, scenario->about.caption, sizeof row->caption);
    return 0;
}

/* A file with a mistake is left out, and the log says why. 0, or -1 with *failure when it is the server that
 * is short of something: a list that left out everything would be wrong. */
static int add_named(struct scenario_library *library, const char *name, struct failure *failure) {
    struct scenario scenario;
    struct failure reason;
    if (scenario_library_load(library, name, &scenario, &reason) != 0) {
        return reason.code == FAILURE_BUSY ? failure_set(failure, FAILURE_BUSY, NULL, "%s", reason.message)
                                           : 0;
    }
    const int result = add_row(&library->list, &scenario, failure);
    scenario_fini(&scenario);
    return result;
}

static int fail_directory(const struct scenario_library *library, int error, struct failure *failure) {
    const bool is_short = error == EMFILE || error == ENFILE || error == ENOMEM;
    log_write(LOG_WARN, "scenario", "%s: %s", library->directory, strerror(error));
    return failure_set(failure, is_short ? FAILURE_BUSY : FAILURE_NO_SCENARIO, NULL,
                       "the scenarios cannot be listed: %s", strerror(error));
}

static int read_directory(struct scenario_library *library, struct failure *failure) {
    DIR *directory = opendir(library->directory);
    if (directory == NULL) {
        return fail_directory(library, errno, failure);
    }
    int result = library->given_name[0] != '\0' ? add_named(library, library->given_name, failure) : 0;
    const struct dirent *entry = NULL;
    while (result == 0 && library->list.count < MESSAGE_SCENARIOS && (entry = readdir(directory)) != NULL) {
        char name[LIMIT_NAME_CHARS + 1];
        if (name_of_entry(entry->d_name, name) && strcmp(name, library->given_name) != 0) {
            result = add_named(library, name, failure);
        }
    }
    closedir(directory);
    return result;
}

const struct scenario_list *scenario_library_list(struct scenario_library *library, struct failure *failure) {
    const uint64_t now_ns = clock_now_ns();
    if (library->has_list && now_ns - library->listed_ns < SCENARIO_LIBRARY_FRESH_MS * UINT64_C(1000000)) {
        return &library->list;
    }
    clear_list(library);
    if (read_directory(library, failure) != 0) {
        clear_list(library);
        return NULL;
    }
    if (library->list.count > 1) {
        qsort(library->list.rows, (size_t)library->list.count, sizeof *library->list.rows, compare_rows);
    }
    library->has_list = true;
    library->listed_ns = now_ns;
    return &library->list;
}

static int is_named(const struct dirent *entry) {
    char name[LIMIT_NAME_CHARS + 1];
    return name_of_entry(entry->d_name, name) ? 1 : 0;
}

int scenario_library_names(const struct scenario_library *library, char *out, size_t size) {
    struct dirent **entries = NULL;
    const int count = scandir(library->directory, &entries, is_named, alphasort);
    out[0] = '\0';
    for (int i = 0; i < count; i++) {
        char name[LIMIT_NAME_CHARS + 1];
        if (name_of_entry(entries[i]->d_name, name)) {
            text_list_add(out, size, name, false);
        }
        free(entries[i]);
    }
    free(entries);
    return count > 0 ? count : 0;
}
