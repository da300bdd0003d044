/* libdrover-sim by its header alone, as another system has it: prints for scenario files what must be the same everywhere.
 *
 *     cross_sim_hashes scenarios/seek.json ...
 *
 * "SCENARIO TICK HASH ANSWERS SAVE": the hash of the world, and digests of what requests were answered and of the save. First "numbers": a
 * digest of numbers as texts; exit code 1 when one reads back as another.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <drover/sim.h>

enum { TEXT_BYTES = 1 << 20, NUMBERS = 200000, LAST_TICK = 120, TICKS_A_LINE = 60 };

static const char *const requests[] = {
    "{\"op\":\"set_target\",\"name\":\"mouse\",\"x\":123.45,\"y\":1e-3}",
    "{\"op\":\"spawn\",\"kind\":\"prey\",\"count\":3,\"x\":200.1,\"y\":150.7}",
    "{\"op\":\"set_param\",\"kind\":\"prey\",\"param\":\"max_speed\",\"value\":133.337}",
    "{\"op\":\"get_params\"}",
    "{\"op\":\"inspect\",\"agents\":[1,2]}",
};
enum { REQUESTS = sizeof requests / sizeof *requests };

/* FNV-1a, continued. */
static uint64_t digest(uint64_t sum, const char *text) {
    for (; *text != '\0'; text++) {
        sum = (sum ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    }
    return sum;
}
static const uint64_t start = UINT64_C(0xcbf29ce484222325);

/* Any bits, so that subnormal numbers and the halves between two floats take part. Returns how many read back as others. */
static int print_numbers(void) {
    uint64_t bits = 1, sum = start;
    int wrong = 0;
    for (int i = 0; i < NUMBERS; i++) {
        char text[64];
        double value = 0.0, back = 0.0;
        bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint64_t pattern = bits ^ bits >> 29;
        if ((pattern >> 52 & 0x7ff) == 0x7ff) {
            continue; /* no number */
        }
        memcpy(&value, &pattern, sizeof value);
        (void)snprintf(text, sizeof text, "%.17g", value);
        sum = digest(sum, text);
        back = strtod(text, NULL);
        uint64_t found;
        memcpy(&found, &back, sizeof found);
        wrong += found != pattern;
        (void)snprintf(text, sizeof text, "%.9g %.2f %g", value, (double)(int32_t)(pattern >> 32) / 4096.0,
                       value);
        sum = digest(sum, text);
        const float narrow = strtof(text, NULL);
        (void)snprintf(text, sizeof text, "%.9g", (double)narrow);
        sum = digest(sum, text);
    }
    printf("numbers %d %016" PRIx64 "\n", wrong, sum);
    return wrong;
}

static uint64_t save_digest(const struct drover_sim *sim) {
    size_t length = 0;
    char *save = drover_sim_save(sim, &length);
    const uint64_t sum = save != NULL ? digest(start, save) : 0;
    drover_sim_free(save);
    return sum;
}

static int run(const char *path) {
    static char text[TEXT_BYTES];
    struct drover_sim_error error;
    const char *slash = strrchr(path, '/');
    FILE *file = fopen(path, "rb");
    const size_t length = file != NULL ? fread(text, 1, sizeof text, file) : 0;
    struct drover_sim *sim = drover_sim_create(text, length, NULL, &error);
    uint64_t answers = start;
    if (file != NULL) {
        (void)fclose(file);
    }
    if (sim == NULL) {
        (void)fprintf(stderr, "%s: %s: %s\n", path, error.field, error.message);
        return 1;
    }
    while (drover_sim_tick(sim) < LAST_TICK) {
        for (int i = 0; i < REQUESTS; i++) {
            answers = digest(answers, drover_sim_request(sim, requests[i]));
        }
        drover_sim_step(sim, TICKS_A_LINE);
        printf("%s %" PRIu64 " %016" PRIx64 " %016" PRIx64 " %016" PRIx64 "\n",
               slash != NULL ? slash + 1 : path, drover_sim_tick(sim), drover_sim_hash(sim), answers,
               save_digest(sim));
    }
    drover_sim_destroy(sim);
    return 0;
}

int main(int argc, char **argv) {
    int failed = print_numbers() != 0;
    for (int i = 1; i < argc; i++) {
        failed |= run(argv[i]);
    }
    return failed;
}
