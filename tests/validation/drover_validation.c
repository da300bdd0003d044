/* See validation.h. */
#include "tests/validation/validation.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/scenario/scenario.h"

enum { SEEDS = 3, TEXT_BYTES = 1 << 20 };
static const char usage[] = "usage: drover-validation [--cut] [--show] [CASE...]\n"
                            "  --cut   one seed, few points\n"
                            "  --show  the scenarios of the runs, one a line, instead of running them\n"
                            "In the top folder of the source. Without a CASE it lists them.\n";

static void fail(const char *what, const char *why) {
    fprintf(stderr, "drover-validation: %s: %s\n", what, why);
    exit(1);
}

/* ---- scenarios ---- */

static cJSON *read_template(const char *name) {
    static char text[TEXT_BYTES];
    char path[256];
    (void)snprintf(path, sizeof path, "scenarios/validation/%s.json", name);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        fail(path, "cannot be read");
    }
    const size_t length = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[length] = '\0';
    cJSON *json = cJSON_Parse(text);
    if (json == NULL) {
        fail(path, "is not JSON");
    }
    return json;
}

static cJSON *member(cJSON *json, const char *name) {
    return cJSON_IsArray(json) ? cJSON_GetArrayItem(json, (int)strtol(name, NULL, 10))
                               : cJSON_GetObjectItem(json, name);
}

/* Every member of the path must be there: a setting that changes nothing would be a mistake of the case. */
static void apply(cJSON *json, const struct setting *setting) {
    char path[128];
    (void)snprintf(path, sizeof path, "%s", setting->path);
    cJSON *parent = NULL;
    const char *last = "";
    for (char *rest = path, *name; (name = strtok_r(NULL, ".", &rest)) != NULL; last = name) {
        parent = json;
        json = member(parent, name);
        if (json == NULL) {
            fail(setting->path, "the scenario has no such member");
        }
    }
    cJSON *value = setting->text == NULL   ? cJSON_CreateNumber(setting->value)
                   : *setting->text == '{' ? cJSON_Parse(setting->text)
                                           : cJSON_CreateString(setting->text);
    if (cJSON_IsArray(parent)) {
        cJSON_ReplaceItemInArray(parent, (int)strtol(last, NULL, 10), value);
    } else {
        cJSON_ReplaceItemInObject(parent, last, value);
    }
}

struct world *validation_world(const struct plan *plan, const char *name, uint64_t seed,
                               const struct setting *settings, int count) {
    cJSON *json = read_template(name);
    apply(json, &(struct setting){"seed", (double)seed, NULL});
    for (int i = 0; i < count; i++) {
        apply(json, &settings[i]);
    }
    char *text = cJSON_PrintUnformatted(json);
    cJSON_Delete(json);
    if (text == NULL) {
        fail(name, "no memory");
    }
    struct world *world = NULL;
    if (plan->shows) {
        puts(text);
    } else {
        struct scenario scenario;
        struct failure failure;
        const char *what = "no memory";
        if (scenario_read(text, strlen(text), &scenario, &failure) != 0) {
            fail(name, failure.message);
        }
        if (world_create(&scenario.def, &world, &what) != WORLD_OK) {
            fail(name, what);
        }
        scenario_fini(&scenario);
    }
    cJSON_free(text);
    return world;
}

/* ---- runs ---- */

int validation_seeds(const struct plan *plan) {
    return plan->is_cut ? 1 : SEEDS;
}

void validation_step(struct world *world, double seconds) {
    const int ticks = (int)(seconds * world_tick_hz(world) + 0.5);
    for (int tick = 0; tick < ticks; tick++) {
        world_step(world);
    }
}

void validation_end_row(struct world *world) {
    printf(",%016" PRIx64 "\n", world_hash(world));
    (void)fflush(stdout);
    world_destroy(world);
}

/* ---- the program ---- */

static const struct validation_case *const tables[] = {flock_cases, crowd_cases, building_cases};
enum { TABLES = sizeof tables / sizeof *tables };

static const struct validation_case *find(const char *name) {
    for (int t = 0; t < TABLES; t++) {
        for (const struct validation_case *row = tables[t]; row->name != NULL; row++) {
            if (strcmp(row->name, name) == 0) {
                return row;
            }
        }
    }
    return NULL;
}

static void list(void) {
    for (int t = 0; t < TABLES; t++) {
        for (const struct validation_case *row = tables[t]; row->name != NULL; row++) {
            puts(row->name);
        }
    }
}

int main(int argc, char **argv) {
    struct plan plan = {0};
    int given = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            (void)fputs(usage, stdout);
            return 0;
        }
        if (strcmp(argv[i], "--cut") == 0) {
            plan.is_cut = true;
        } else if (strcmp(argv[i], "--show") == 0) {
            plan.shows = true;
        } else if (find(argv[i]) == NULL) {
            fprintf(stderr, "drover-validation: no case \"%s\"\n%s", argv[i], usage);
            return 2;
        } else {
            given++;
        }
    }
    for (int i = 1; i < argc; i++) {
        const struct validation_case *row = find(argv[i]);
        if (row != NULL) {
            row->run(&plan);
        }
    }
    if (given == 0) {
        list();
    }
    return 0;
}
