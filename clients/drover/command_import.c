/* drover import: a floor plan in WKT as a scenario. GEOS reads and checks the shapes; without it the command says that it
 * is not there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clients/drover/command.h"
#include "common/base/limits.h"
#include "common/json/json_writer.h"
#include "common/system/regular_file.h"
#include "common/text/names.h"

struct import_options {
    bool is_solid, replaces;
    double scale, margin, simplify;
    char out[1024];
};

static const struct field import_table[] = {
    OPTION_NUMBER(struct import_options, scale, "scale", 0.001, LIMIT_WORLD_SIZE, 25, "PX",
                  "How many px a meter has."),
    OPTION_NUMBER(struct import_options, margin, "margin", 0, LIMIT_WORLD_SIZE, 0.5, "M",
                  "Room around the shapes."),
    OPTION_NUMBER(struct import_options, simplify, "simplify", 0, LIMIT_WORLD_SIZE, 0, "M",
                  "Leaves out points that are nearer than this to the line without them; 0: none."),
    OPTION_FLAG(struct import_options, is_solid, "solid",
                "The polygons of the first file are solid, with floor around them; without it they are the "
                "floor, and their holes are solid."),
    OPTION_TEXT(struct import_options, out, "output", "FILE",
                "Where to write the scenario, in place of standard output; -o FILE is the same."),
    OPTION_FLAG(struct import_options, replaces, "replace", "Replace the file that is there already."),
    OPTIONS_END,
};

const struct options_def command_import_options = {
    .program = "drover import",
    .summary = "Makes a scenario of a floor plan in WKT.",
    .positional = "FILE...",
    .positional_help =
        "The plan: POLYGON, MULTIPOLYGON, LINESTRING or a GEOMETRYCOLLECTION of them, in meters with y "
        "upwards. Each further file is an area, which gets the file's name.",
    .takes_several = true,
    .table = import_table,
};

#ifdef DROVER_GEOS
#define GEOS_USE_ONLY_R_API
#include <geos_c.h>

#include "server/scenario/scenario.h"

enum { WKT_BYTES = 16 * 1024 * 1024, IMPORT_FILES = 65, NOTE_BYTES = 200 };

struct import {
    const struct import_options *options;
    GEOSContextHandle_t geos;
    char note[NOTE_BYTES]; /* what GEOS said last */
    int count;
    char **paths;
    GEOSGeometry *shapes[IMPORT_FILES]; /* owned */
    double left, bottom, right, top;    /* m, of the world */
    int wall_count, obstacle_count;
    struct buffer walls, obstacles, areas; /* the members, with commas between */
};

static void keep_note(const char *message, void *context) {
    struct import *import = context;
    (void)snprintf(import->note, sizeof import->note, "%s", message);
}

/* ---- reading ---- */

static int read_shape(struct import *import, int index, struct failure *failure) {
    const char *path = import->paths[index];
    char *text = NULL;
    size_t length = 0;
    char reason[REGULAR_FILE_REASON];
    if (regular_file_read(path, WKT_BYTES, &text, &length, reason) != REGULAR_FILE_OK) {
        return failure_set(failure, FAILURE_IO, NULL, "import: %.200s: %s", path, reason);
    }
    GEOSWKTReader *reader = GEOSWKTReader_create_r(import->geos);
    GEOSGeometry *shape = reader != NULL ? GEOSWKTReader_read_r(import->geos, reader, text) : NULL;
    GEOSWKTReader_destroy_r(import->geos, reader);
    free(text);
    if (shape == NULL) {
        return failure_set(failure, FAILURE_PARSE, NULL, "import: %.200s is no WKT: %s", path, import->note);
    }
    import->shapes[index] = shape;
    if (GEOSisEmpty_r(import->geos, shape) != 0) {
        return failure_set(failure, FAILURE_BAD_PARAM, NULL, "import: %.200s is empty; expected a shape",
                           path);
    }
    if (GEOSisValid_r(import->geos, shape) != 1) {
        char *fault = GEOSisValidReason_r(import->geos, shape);
        (void)failure_set(failure, FAILURE_BAD_PARAM, NULL,
                          "import: %.200s: %.100s; allowed: polygons that do not cross "
                          "themselves",
                          path, fault != NULL ? fault : "not valid");
        GEOSFree_r(import->geos, fault);
        return -1;
    }
    if (import->options->simplify > 0.0) {
        shape = GEOSTopologyPreserveSimplify_r(import->geos, shape, import->options->simplify);
        if (shape == NULL) {
            return failure_set(failure, FAILURE_BUSY, NULL, "import: %.200s: %s", path, import->note);
        }
        GEOSGeom_destroy_r(import->geos, import->shapes[index]);
        import->shapes[index] = shape;
    }
    return 0;
}

static void measure(struct import *import, const GEOSGeometry *shape, bool is_first) {
    double left, bottom, right, top;
    if (GEOSGeom_getXMin_r(import->geos, shape, &left) == 0 ||
        GEOSGeom_getYMin_r(import->geos, shape, &bottom) == 0 ||
        GEOSGeom_getXMax_r(import->geos, shape, &right) == 0 ||
        GEOSGeom_getYMax_r(import->geos, shape, &top) == 0) {
        return;
    }
    const double margin = import->options->margin;
    import->left = is_first ? left - margin : fmin(import->left, left - margin);
    import->bottom = is_first ? bottom - margin : fmin(import->bottom, bottom - margin);
    import->right = is_first ? right + margin : fmax(import->right, right + margin);
    import->top = is_first ? top + margin : fmax(import->top, top + margin);
}

/* ---- shapes as members of a scenario ---- */

/* A point in px, in hundredths, with y downwards. */
static void append_point(struct buffer *out, const struct import *import, double x, double y) {
    const double scale = import->options->scale;
    buffer_printf(out, "%.10g, %.10g", round((x - import->left) * scale * 100.0) / 100.0,
                  round((import->top - y) * scale * 100.0) / 100.0);
}

static void begin_item(struct buffer *out) {
    buffer_append_text(out, out->length > 0 ? ",\n      " : "\n      ");
}

static bool point_at(const struct import *import, const GEOSCoordSequence *points, unsigned index,
                     double at[2]) {
    return GEOSCoordSeq_getXY_r(import->geos, points, index, &at[0], &at[1]) != 0;
}

static void add_walls(struct import *import, const GEOSGeometry *line) {
    const GEOSCoordSequence *points = GEOSGeom_getCoordSeq_r(import->geos, line);
    unsigned count = 0;
    double from[2], to[2];
    if (points == NULL || GEOSCoordSeq_getSize_r(import->geos, points, &count) == 0) {
        return;
    }
    for (unsigned i = 1; i < count; i++) {
        if (point_at(import, points, i - 1, from) && point_at(import, points, i, to)) {
            begin_item(&import->walls);
            buffer_append_text(&import->walls, "[");
            append_point(&import->walls, import, from[0], from[1]);
            buffer_append_text(&import->walls, ", ");
            append_point(&import->walls, import, to[0], to[1]);
            buffer_append_text(&import->walls, "]");
            import->wall_count++;
        }
    }
}

/* "[[x, y], ...]" of a ring, without the point that closes it. Returns how many points it has. */
static int append_ring(struct buffer *out, const struct import *import, const GEOSGeometry *ring) {
    const GEOSCoordSequence *points = GEOSGeom_getCoordSeq_r(import->geos, ring);
    unsigned count = 0;
    double at[2];
    (void)(points != NULL && GEOSCoordSeq_getSize_r(import->geos, points, &count) != 0);
    buffer_append_text(out, "[");
    for (unsigned i = 0; i + 1 < count; i++) {
        if (point_at(import, points, i, at)) {
            buffer_append_text(out, i == 0 ? "[" : ", [");
            append_point(out, import, at[0], at[1]);
            buffer_append_text(out, "]");
        }
    }
    buffer_append_text(out, "]");
    return (int)count - 1;
}

/* A ring as a solid: a polygon where it has as many points as one may have, otherwise its sides. */
static void add_solid(struct import *import, const GEOSGeometry *ring) {
    const GEOSCoordSequence *points = GEOSGeom_getCoordSeq_r(import->geos, ring);
    unsigned count = 0;
    if (points == NULL || GEOSCoordSeq_getSize_r(import->geos, points, &count) == 0) {
        return;
    }
    if (count - 1 > LIMIT_OBSTACLE_POINTS) {
        add_walls(import, ring);
        return;
    }
    begin_item(&import->obstacles);
    buffer_append_text(&import->obstacles, "{\"polygon\": ");
    (void)append_ring(&import->obstacles, import, ring);
    buffer_append_text(&import->obstacles, "}");
    import->obstacle_count++;
}

static void add_polygon(struct import *import, const GEOSGeometry *polygon) {
    const bool is_solid = import->options->is_solid;
    const GEOSGeometry *ring = GEOSGetExteriorRing_r(import->geos, polygon);
    void (*const outside)(struct import *, const GEOSGeometry *) = is_solid ? add_solid : add_walls;
    void (*const inside)(struct import *, const GEOSGeometry *) = is_solid ? add_walls : add_solid;
    outside(import, ring);
    for (int i = 0; i < GEOSGetNumInteriorRings_r(import->geos, polygon); i++) {
        inside(import, GEOSGetInteriorRingN_r(import->geos, polygon, i));
    }
}

/* Calls add for each polygon, and add_walls for each line, of a shape. */
static void add_parts(struct import *import, const GEOSGeometry *shape) {
    for (int i = 0; i < GEOSGetNumGeometries_r(import->geos, shape); i++) {
        const GEOSGeometry *part = GEOSGetGeometryN_r(import->geos, shape, i);
        switch (GEOSGeomTypeId_r(import->geos, part)) {
        case GEOS_POLYGON:
            add_polygon(import, part);
            break;
        case GEOS_LINESTRING:
        case GEOS_LINEARRING:
            add_walls(import, part);
            break;
        case GEOS_MULTIPOLYGON:
        case GEOS_MULTILINESTRING:
        case GEOS_GEOMETRYCOLLECTION:
            add_parts(import, part);
            break;
        default: /* points are no part of a plan */
            break;
        }
    }
}

/* The name of a file without its folder and what follows the first dot. */
static int name_of(const char *path, char name[LIMIT_NAME_CHARS + 1], struct failure *failure) {
    const char *last = strrchr(path, '/');
    last = last != NULL ? last + 1 : path;
    (void)snprintf(name, LIMIT_NAME_CHARS + 1, "%.*s", (int)strcspn(last, "."), last);
    return name_is_valid(name, strlen(name))
               ? 0
               : failure_set(
                     failure, FAILURE_BAD_PARAM, NULL,
                     "import: %.200s: \"%s\" is no name of an area; allowed: letters, digits, _ and -", path,
                     name);
}

static int add_area(struct import *import, int index, struct failure *failure) {
    const GEOSGeometry *shape = import->shapes[index];
    char name[LIMIT_NAME_CHARS + 1];
    if (name_of(import->paths[index], name, failure) != 0) {
        return -1;
    }
    if (GEOSGeomTypeId_r(import->geos, shape) != GEOS_POLYGON ||
        GEOSGetNumInteriorRings_r(import->geos, shape) != 0) {
        return failure_set(failure, FAILURE_BAD_PARAM, NULL,
                           "import: %.200s is no area; expected one POLYGON without holes",
                           import->paths[index]);
    }
    begin_item(&import->areas);
    buffer_printf(&import->areas, "\"%s\": {\"polygon\": ", name);
    (void)append_ring(&import->areas, import, GEOSGetExteriorRing_r(import->geos, shape));
    buffer_append_text(&import->areas, "}");
    return 0;
}

/* ---- the scenario ---- */

static void append_member(struct buffer *out, const char *name, const char *open, const struct buffer *items,
                          const char *close) {
    if (items->length > 0) {
        buffer_printf(out, ",\n    \"%s\": %s", name, open);
        buffer_append(out, items->data, items->length);
        buffer_printf(out, "\n    %s", close);
    }
}

static void append_scenario(const struct import *import, struct buffer *out) {
    const double scale = import->options->scale;
    buffer_printf(
        out,
        "{\n  \"name\": \"Imported\",\n  \"description\": \"A floor plan; its lower left corner is at "
        "%.10g, %.10g m.\",\n  \"world\": {\n    \"size\": [%.10g, %.10g], \"edge\": \"contain\", \"meter\": "
        "%.10g",
        import->left, import->bottom, ceil((import->right - import->left) * scale),
        ceil((import->top - import->bottom) * scale), scale);
    append_member(out, "walls", "[", &import->walls, "]");
    append_member(out, "obstacles", "[", &import->obstacles, "]");
    append_member(out, "areas", "{", &import->areas, "}");
    buffer_printf(
        out,
        "\n  },\n  \"kinds\": {\n    \"walker\": {\"radius\": %.10g, \"max_speed\": [%.10g, %.10g], "
        "\"max_force\": %.10g,\n      \"behaviors\": [{\"wander\": {}}, {\"orca\": {}}]}\n  }\n}\n",
        0.2 * scale, 1.08 * scale, 1.6 * scale, 4.0 * scale);
}

/* Whether the scenario that came out is one: the limits of walls and points are those of its reader. */
static int check_scenario(const struct import *import, const struct buffer *text, struct failure *failure) {
    struct scenario scenario;
    struct failure inner = {0};
    if (text->failed) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    if (scenario_read(text->data, text->length, &scenario, &inner) != 0) {
        return failure_set(failure, inner.code, NULL, "import: %d walls, %d obstacles: %s: %s%s",
                           import->wall_count, import->obstacle_count, inner.field, inner.message,
                           import->options->simplify > 0.0 ? "" : " (--simplify M leaves points out)");
    }
    scenario_fini(&scenario);
    return 0;
}

static int import_files(struct import *import, const struct command_context *context,
                        struct failure *failure) {
    for (int i = 0; i < import->count; i++) {
        if (read_shape(import, i, failure) != 0) {
            return -1;
        }
        measure(import, import->shapes[i], i == 0);
    }
    add_parts(import, import->shapes[0]);
    if (import->walls.length == 0 && import->obstacles.length == 0) {
        return failure_set(failure, FAILURE_BAD_PARAM, NULL,
                           "import: %.200s has no floor; expected polygons or lines", import->paths[0]);
    }
    for (int i = 1; i < import->count; i++) {
        if (add_area(import, i, failure) != 0) {
            return -1;
        }
    }
    struct output output;
    if (output_begin(&output, context->interrupt, import->options->out, import->options->replaces, failure) !=
        0) {
        return -1;
    }
    append_scenario(import, &output.buffer);
    if (check_scenario(import, &output.buffer, failure) != 0) {
        output_abandon(&output);
        return -1;
    }
    return output_finish(&output, failure);
}

static int import_plan(struct import *import, const struct command_context *context,
                       struct failure *failure) {
    import->geos = GEOS_init_r();
    if (import->geos == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    (void)GEOSContext_setErrorMessageHandler_r(import->geos, keep_note, import);
    struct buffer *const parts[] = {&import->walls, &import->obstacles, &import->areas};
    for (int i = 0; i < 3; i++) {
        buffer_init(parts[i], WKT_BYTES);
    }
    const int result = import_files(import, context, failure);
    for (int i = 0; i < 3; i++) {
        buffer_fini(parts[i]);
    }
    for (int i = 0; i < import->count; i++) {
        GEOSGeom_destroy_r(import->geos, import->shapes[i]);
    }
    GEOS_finish_r(import->geos);
    return result;
}
#endif

enum exit_code command_import(const struct command_context *context, int argc, char **argv) {
    struct import_options options = {.scale = 25.0, .margin = 0.5};
    struct failure failure = {0};
    enum exit_code code = EXIT_WELL;
    int count = 0;
    if (!command_options(&command_import_options, argc, argv, &options, 1, argc, &count, &code)) {
        return code;
    }
#ifdef DROVER_GEOS
    struct import import = {.options = &options, .paths = argv + 1, .count = count};
    if (count > IMPORT_FILES) {
        (void)failure_set(&failure, FAILURE_BAD_PARAM, NULL, "import: %d files; at most %d are allowed",
                          count, IMPORT_FILES);
        return command_complain(context, &failure, EXIT_USAGE);
    }
    return import_plan(&import, context, &failure) == 0 ? EXIT_WELL
                                                        : command_complain(context, &failure, EXIT_DIFFERS);
#else
    (void)failure_set(&failure, FAILURE_UNSUPPORTED, NULL,
                      "import: this drover was built without GEOS (libgeos-dev), which reads WKT");
    return command_complain(context, &failure, EXIT_DIFFERS);
#endif
}
