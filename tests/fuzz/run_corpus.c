/* Runs a fuzz target without libFuzzer: on every file of the given directories, truncated at many
 * lengths, and on seeded mutations of it. The same files always give the same inputs. A target that finds
 * a fault aborts. DROVER_SLOW in the environment: other mutations, and many more of them.
 *
 * usage: fuzz_TARGET_corpus DIRECTORY...
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    FILE_BYTES = 1 << 20,
    MUTATIONS = 200,
    SLOW_MUTATIONS = 1000,
    CUTS = 50,
    PATH_CHARS = 1024,
    MOST_CHANGES = 4
};

static uint64_t state;
static int mutations = MUTATIONS; /* of each file */

/* splitmix64 */
static uint64_t next_random(void) {
    uint64_t z = (state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* In memory of exactly its size, so that a sanitizer sees one byte too far. */
static void try_input(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size == 0 ? 1 : size);
    if (copy == NULL) {
        abort();
    }
    memcpy(copy, data, size);
    (void)LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

/* Changes a byte, takes some out, or doubles some. Returns the new size; `data` has room for twice the old.
 */
static size_t mutate(uint8_t *data, size_t size) {
    static const char favorites[] = "{}[]\",:0123456789.eE+-\\u\n\r\t \x7f\xc3\xed\xf0tfn";
    const size_t at = next_random() % size;
    const size_t length = next_random() % (size - at < 16 ? size - at + 1 : 16);
    switch (next_random() % 4) {
    case 0:
        data[at] = (uint8_t)favorites[next_random() % (sizeof favorites - 1)];
        return size;
    case 1:
        data[at] = (uint8_t)next_random();
        return size;
    case 2:
        memmove(data + at, data + at + length, size - at - length);
        return size - length;
    default:
        memmove(data + at + length, data + at, size - at);
        return size + length;
    }
}

static void try_mutations(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size * 2 + 64 * MOST_CHANGES);
    if (copy == NULL) {
        abort();
    }
    for (int i = 0; i < mutations && size > 0; i++) {
        size_t now = size;
        memcpy(copy, data, size);
        for (uint64_t changes = 1 + next_random() % MOST_CHANGES; changes > 0 && now > 0; changes--) {
            now = mutate(copy, now);
        }
        try_input(copy, now);
    }
    free(copy);
}

static int run_file(const char *path) {
    static uint8_t data[FILE_BYTES];
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return -1;
    }
    const size_t size = fread(data, 1, sizeof data, file);
    (void)fclose(file);
    state = size + (uint64_t)(mutations - MUTATIONS);
    try_input(data, size);
    for (size_t cut = 0; cut < size; cut += size / CUTS + 1) {
        try_input(data, cut);
    }
    try_mutations(data, size);
    return 0;
}

static int run_directory(const char *name) {
    DIR *directory = opendir(name);
    int count = 0;
    if (directory == NULL) {
        perror(name);
        return 0;
    }
    const struct dirent *entry = NULL;
    while ((entry = readdir(directory)) != NULL) {
        char path[PATH_CHARS];
        (void)snprintf(path, sizeof path, "%s/%s", name, entry->d_name);
        if (entry->d_name[0] != '.' && run_file(path) == 0) {
            count++;
        }
    }
    closedir(directory);
    return count;
}

int main(int argc, char **argv) {
    if (getenv("DROVER_SLOW") != NULL) {
        mutations = SLOW_MUTATIONS;
    }
    for (int i = 1; i < argc; i++) {
        const int count = run_directory(argv[i]);
        (void)printf("%s: %d files\n", argv[i], count);
        if (count == 0) {
            return EXIT_FAILURE;
        }
    }
    return argc > 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
