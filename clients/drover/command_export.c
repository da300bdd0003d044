/* drover export: where the agents of a recording were, by simulating it again; or its scenario, or that of a server's world. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/drover/command.h"
#include "clients/drover/hdf5_file.h"
#include "clients/drover/live/live.h"
#include "clients/drover/player.h"
#include "common/json/json_text.h"
#include "common/json/json_writer.h"
#include "common/text/names.h"

/* What can be written about an agent. By default all but the world's number, which comes first when there is more than
 * one world. */
enum column { WORLD, TICK, ID, KIND, STATE, X, Y, VX, VY, HEADING, STAMINA, COLUMN_COUNT };
static const char *const column_names[COLUMN_COUNT + 1] = {"world", "tick", "id", "kind",    "state",   "x",
                                                           "y",     "vx",   "vy", "heading", "stamina", NULL};

struct export_options {
    bool is_csv, is_ndjson, is_trajectory, is_hdf5, is_scenario, is_now, is_tuned, is_in_meters, replaces;
    double scale, left, bottom;
    uint64_t every, from, to;
    uint32_t world;
    char fields[256];
    char out[1024];
    struct player_means means;
    struct live_options live; /* with --scenario */
};

#define LARGEST 9007199254740991.0
static const struct field export_table[] = {
    OPTION_FLAG(struct export_options, is_csv, "csv",
                "Lines of values with commas between them, the names in the first line; the default."),
    OPTION_FLAG(struct export_options, is_ndjson, "ndjson",
                "A JSON object for each agent and tick, one a line."),
    OPTION_FLAG(struct export_options, is_trajectory, "trajectory",
                "Lines \"id frame x y z\" in meters with y upwards, as PedPy reads them; ten frames a second "
                "unless --every says otherwise."),
    OPTION_FLAG(
        struct export_options, is_hdf5, "hdf5",
        "A file of HDF5 (-o FILE), a column each, compressed, and FILE.xdmf beside it, which ParaView "
        "opens; in px unless --meters says otherwise."),
    OPTION_FLAG(
        struct export_options, is_scenario, "scenario",
        "The scenario of the world as it was loaded, a file for drover-server and drover load; without FILE "
        "that of the world of a server."),
    OPTION_FLAG(
        struct export_options, is_now, "now",
        "With --scenario: as the world stands, with its agents where they are: the server's, or that of the "
        "recording at its end or at --to. What a scenario cannot say is named on standard error."),
    OPTION_FLAG(struct export_options, is_tuned, "tuned",
                "The same, but with the agents that the scenario begins with."),
    OPTION_FLAG(struct export_options, is_in_meters, "meters",
                "Positions in m and velocities in m/s; the names of the columns say so."),
    OPTION_NUMBER(struct export_options, scale, "scale", 0, LIMIT_WORLD_SIZE, 0, "PX",
                  "How many px a meter has, for --trajectory and --meters; 0: as the world says."),
    OPTION_NUMBER(struct export_options, left, "left", -LARGEST, LARGEST, 0, "M",
                  "Where the left border of the world is in a trajectory, in m, as drover import said."),
    OPTION_NUMBER(struct export_options, bottom, "bottom", -LARGEST, LARGEST, 0, "M",
                  "The same of the lower border."),
    OPTION_NUMBER(struct export_options, every, "every", 0, LARGEST, 0, "TICKS",
                  "From one tick that is written to the next; 0: a second."),
    OPTION_NUMBER(struct export_options, from, "from", 0, LARGEST, 0, "TICK",
                  "The first tick that is written."),
    OPTION_NUMBER(struct export_options, to, "to", 0, LARGEST, 0, "TICK",
                  "The last tick; 0: that of the recording."),
    OPTION_NUMBER(
        struct export_options, world, "world", 0, 1000000, 0, "N",
        "The world, counted from 1, of a recording in which scenarios were loaded; 0: all, with --scenario "
        "the last."),
    OPTION_TEXT(struct export_options, fields, "fields", "LIST",
                "What to write about an agent, with commas between: world, tick, id, kind, state, x, y (px), "
                "vx, vy (px/s), heading (degrees), stamina."),
    OPTION_TEXT(struct export_options, out, "output", "FILE",
                "Where to write, in place of standard output; -o FILE is the same."),
    OPTION_FLAG(struct export_options, replaces, "replace", "Replace the file that is there already."),
    PLAYER_MEANS_ROWS(struct export_options, means),
    LIVE_SERVER_ROWS(struct export_options, live),
    OPTIONS_END,
};

const struct options_def command_export_options = {
    .program = "drover export",
    .summary = "Writes where the agents of a recording, or of a saved world, were; or its scenario.",
    .positional = "FILE...",
    .positional_help =
        "The recording, saved world or state folder, or files that continue each other, as for "
        "verify; - is standard input.",
    .takes_several = true,
    .table = export_table,
};

struct export {
    const struct export_options *options;
    struct player player;
    struct output output;
    struct hdf5_file *hdf5; /* with --hdf5 */
    struct hdf5_column hdf5_columns[COLUMN_COUNT];
    struct progress progress;
    double meter; /* px a meter; 1 where px are written */
    int column_count;
    enum column columns[COLUMN_COUNT];
    uint64_t ticks; /* done */
};

/* ---- what to write ---- */

static int add_column(struct export *export, const char *name, struct failure *failure) {
    struct nearest_name nearest = nearest_name_begin(name);
    char hint[NEAREST_HINT_BYTES];
    for (int column = 0; column < COLUMN_COUNT; column++) {
        nearest_name_offer(&nearest, column_names[column]);
        if (strcmp(column_names[column], name) == 0) {
            for (int i = 0; i < export->column_count; i++) {
                if (export->columns[i] == (enum column)column) {
                    return failure_set(failure, FAILURE_BAD_PARAM, "--fields", "--fields: %s twice", name);
                }
            }
            export->columns[export->column_count++] = (enum column)column;
            return 0;
        }
    }
    nearest_name_hint(&nearest, hint);
    return failure_set(
        failure, FAILURE_BAD_PARAM, "--fields",
        "--fields: no field \"%.60s\"%s; there are world, tick, id, kind, state, x, y, vx, vy, "
        "heading, stamina",
        name, hint);
}

static int read_columns(struct export *export, struct failure *failure) {
    char name[64];
    const char *rest = export->options->fields;
    while (*rest != '\0') {
        const size_t length = strcspn(rest, ",");
        (void)snprintf(name, sizeof name, "%.*s", length > 60 ? 60 : (int)length, rest);
        if (add_column(export, name, failure) != 0) {
            return -1;
        }
        rest += length;
        rest += *rest == ',' ? 1 : 0;
    }
    return 0;
}

static void choose_columns(struct export *export) {
    const bool has_worlds = export->player.facts->world_count > 1 && export->options->world == 0;
    if (export->column_count == 0) {
        for (int column = export->options->is_hdf5 ? ID
                          : has_worlds             ? WORLD
                                                   : TICK;
             column < COLUMN_COUNT; column++) {
            export->columns[export->column_count++] = (enum column)column;
        }
    }
}

static int check_options(struct export *export, struct failure *failure) {
    const struct export_options *options = export->options;
    const size_t length = strlen(options->out);
    if (options->is_csv + options->is_ndjson + options->is_trajectory + options->is_hdf5 > 1) {
        return failure_set(failure, FAILURE_BAD_PARAM, "--csv",
                           "--csv, --ndjson, --trajectory and --hdf5: only one of them is allowed");
    }
    if (options->is_hdf5 && (length == 0 || strcmp(options->out, "-") == 0 ||
                             (length > 4 && strcmp(options->out + length - 4, ".zst") == 0))) {
        return failure_set(failure, FAILURE_BAD_PARAM, "--hdf5",
                           "--hdf5: expected -o FILE, which is no pipe and is compressed by itself");
    }
    if (options->is_trajectory && options->fields[0] != '\0') {
        return failure_set(failure, FAILURE_BAD_PARAM, "--fields",
                           "--fields: a trajectory has id, frame, x, y and z");
    }
    if ((options->left != 0.0 || options->bottom != 0.0) && !options->is_trajectory) {
        return failure_set(failure, FAILURE_BAD_PARAM, "--left", "--left and --bottom: go with --trajectory");
    }
    if (options->scale > 0.0 && !options->is_trajectory && !options->is_in_meters) {
        return failure_set(failure, FAILURE_BAD_PARAM, "--scale",
                           "--scale: goes with --trajectory or --meters");
    }
    if (options->to != 0 && options->to < options->from) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "--to", "--to: %llu is before --from, %llu",
                           (unsigned long long)options->to, (unsigned long long)options->from);
    }
    if (read_columns(export, failure) != 0) {
        return -1;
    }
    for (int i = 0; i < export->column_count && options->is_hdf5; i++) {
        if (export->columns[i] < ID) {
            return failure_set(
                failure, FAILURE_BAD_PARAM, "--fields",
                "--fields: HDF5 has ticks by frame, and one world; allowed: id, kind, state, x, y, vx, vy, "
                "heading, stamina");
        }
    }
    return 0;
}

/* ---- writing ---- */

static void append_float(struct buffer *out, float value) {
    char text[JSON_NUMBER_TEXT];
    (void)json_float_text(text, value);
    buffer_append_text(out, text);
}

static bool is_length(enum column column) {
    return column == X || column == Y || column == VX || column == VY;
}

/* What a column is called, in px or in meters. */
static const char *column_title(const struct export *export, enum column column) {
    static const char *const in_meters[COLUMN_COUNT] = {
        [X] = "x_m", [Y] = "y_m", [VX] = "vx_m_s", [VY] = "vy_m_s"};
    return export->options->is_in_meters && is_length(column) ? in_meters[column] : column_names[column];
}

static float heading_degrees(vec2 heading) {
    return (float)(atan2((double)heading.y, (double)heading.x) * 57.29577951308232);
}

static void append_name(struct export *export, const char *name) {
    const char *quote = export->options->is_ndjson ? "\"" : ""; /* names are letters, digits, _ and - */
    buffer_printf(&export->output.buffer, "%s%s%s", quote, name, quote);
}

/* The columns that are numbers with a fraction. */
static float number_of(enum column column, const struct agent_view *agent) {
    switch (column) {
    case X:
        return agent->position.x;
    case Y:
        return agent->position.y;
    case VX:
        return agent->velocity.x;
    case VY:
        return agent->velocity.y;
    case HEADING:
        return heading_degrees(agent->heading);
    default:
        return agent->stamina;
    }
}

/* In px or in meters. */
static float length_of(const struct export *export, enum column column, const struct agent_view *agent) {
    const float number = number_of(column, agent);
    return is_length(column) && export->options->is_in_meters ? (float)((double)number / export->meter)
                                                              : number;
}

static void append_value(struct export *export, enum column column, const struct agent_view *agent) {
    struct buffer *out = &export->output.buffer;
    const struct world *world = export->player.state.world;
    switch (column) {
    case WORLD:
        buffer_printf(out, "%lu", (unsigned long)player_moment(&export->player).world);
        break;
    case TICK:
        buffer_printf(out, "%llu", (unsigned long long)world_tick(world));
        break;
    case ID:
        buffer_printf(out, "%lu", (unsigned long)agent->id);
        break;
    case KIND:
        append_name(export, world_kind(world, agent->kind)->name);
        break;
    case STATE:
        append_name(export, world_kind(world, agent->kind)->states[agent->state].name);
        break;
    default:
        append_float(out, length_of(export, column, agent));
    }
}

/* A line of a trajectory: tenths of a millimeter are finer than anything that is measured. */
static void append_place(struct export *export, const struct agent_view *agent, uint64_t frame) {
    const double height = (double)world_size(export->player.state.world).y;
    buffer_printf(&export->output.buffer, "%lu %llu %.4f %.4f 0\n", (unsigned long)agent->id,
                  (unsigned long long)frame,
                  export->options->left + (double)agent->position.x / export->meter,
                  export->options->bottom + (height - (double)agent->position.y) / export->meter);
}

static void append_agent(struct export *export, const struct agent_view *agent) {
    struct buffer *out = &export->output.buffer;
    for (int i = 0; i < export->column_count; i++) {
        if (export->options->is_ndjson) {
            buffer_printf(out, "%s\"%s\":", i == 0 ? "{" : ",", column_title(export, export->columns[i]));
        } else if (i > 0) {
            buffer_append_text(out, ",");
        }
        append_value(export, export->columns[i], agent);
    }
    buffer_append_text(out, export->options->is_ndjson ? "}\n" : "\n");
}

/* Ticks from one that is written to the next: a second, or a tenth of one of a trajectory, unless it was said. */
static uint64_t stride(const struct export *export) {
    const struct export_options *options = export->options;
    const double hz = world_tick_hz(export->player.state.world);
    const uint64_t usual = (uint64_t)llround(options->is_trajectory ? hz / 10.0 : hz);
    return options->every > 0 ? options->every : usual > 0 ? usual : 1;
}

/* The first tick that is written of the present world. */
static uint64_t first_tick(const struct export *export) {
    const struct recording_world *facts =
        player_find_world(&export->player, player_moment(&export->player).world);
    const uint64_t first = facts == NULL ? 0 : facts->first_tick;
    return export->options->from > first ? export->options->from : first;
}

/* ---- HDF5 ---- */

static const char *units_of(const struct export *export, enum column column) {
    static const char *const in_px[COLUMN_COUNT] = {
        [X] = "px", [Y] = "px", [VX] = "px/s", [VY] = "px/s", [HEADING] = "degrees"};
    static const char *const in_meters[COLUMN_COUNT] = {
        [X] = "m", [Y] = "m", [VX] = "m/s", [VY] = "m/s", [HEADING] = "degrees"};
    return (export->options->is_in_meters ? in_meters : in_px)[column];
}

/* What the numbers of kinds, and of the states of each kind, mean. */
static void note_names(struct export *export) {
    const struct world *world = export->player.state.world;
    struct buffer kinds, states;
    char name[LIMIT_NAME_CHARS + 16];
    buffer_init(&kinds, LIMIT_KINDS * (LIMIT_NAME_CHARS + 1) + 1);
    buffer_init(&states, LIMIT_KINDS * LIMIT_STATES * (LIMIT_NAME_CHARS + 1) + 1);
    for (int i = 0; i < world_kind_count(world); i++) {
        const struct kind_def *kind = world_kind(world, i);
        buffer_append(&kinds, kind->name, strlen(kind->name) + 1);
        buffer_clear(&states);
        for (int s = 0; s < kind->state_count; s++) {
            buffer_append(&states, kind->states[s].name, strlen(kind->states[s].name) + 1);
        }
        buffer_append(&states, "", 1);
        (void)snprintf(name, sizeof name, "states of %s", kind->name);
        hdf5_file_note_names(export->hdf5, "state", name, states.data);
    }
    buffer_append(&kinds, "", 1);
    hdf5_file_note_names(export->hdf5, "kind", "names", kinds.data);
    buffer_fini(&kinds);
    buffer_fini(&states);
}

static int begin_hdf5(struct export *export, struct failure *failure) {
    const struct world *world = export->player.state.world;
    const struct recording_world *facts =
        player_find_world(&export->player, player_moment(&export->player).world);
    const double hz = world_tick_hz(world), meter = (double)world_meter(world);
    const double size[2] = {(double)world_size(world).x, (double)world_size(world).y};
    for (int i = 0; i < export->column_count; i++) {
        const enum column column = export->columns[i];
        export->hdf5_columns[i] = (struct hdf5_column){column_names[column], units_of(export, column),
                                                       column == ID || column == KIND || column == STATE};
    }
    export->hdf5 =
        hdf5_file_create(export->output.unfinished, export->hdf5_columns, export->column_count, failure);
    if (export->hdf5 == NULL) {
        return -1;
    }
    hdf5_file_note_text(export->hdf5, "format", "drover agents 1");
    hdf5_file_note_text(export->hdf5, "program", "drover " DROVER_VERSION);
    hdf5_file_note_text(export->hdf5, "scenario", facts == NULL ? "" : facts->scenario);
    hdf5_file_note_whole(export->hdf5, "seed", world_seed(world));
    hdf5_file_note_whole(export->hdf5, "core", facts == NULL ? 0 : facts->core);
    hdf5_file_note_numbers(export->hdf5, "tick_hz", &hz, 1);
    hdf5_file_note_numbers(export->hdf5, "size_px", size, 2);
    hdf5_file_note_numbers(export->hdf5, "px_per_meter", &meter, 1); /* 0: the world has no scale */
    note_names(export);
    return 0;
}

static void add_agent(struct export *export, const struct agent_view *agent) {
    unsigned char values[COLUMN_COUNT * 4];
    for (int i = 0; i < export->column_count; i++) {
        const enum column column = export->columns[i];
        const uint32_t whole = column == ID     ? agent->id
                               : column == KIND ? (uint32_t)agent->kind
                                                : (uint32_t)agent->state;
        const float number = length_of(export, column, agent);
        memcpy(values + (size_t)i * 4,
               export->hdf5_columns[i].is_whole ? (const void *)&whole : (const void *)&number, 4);
    }
    hdf5_file_add(export->hdf5, values);
}

static bool write_hdf5(struct export *export) {
    const struct world *world = export->player.state.world;
    const struct hdf5_frame frame = {.tick = world_tick(world),
                                     .hash = simulation_state_hash(&export->player.state),
                                     .time_s = (double)world_tick(world) / world_tick_hz(world)};
    const bool is_good = hdf5_file_begin_frame(export->hdf5, &frame);
    for (int32_t row = 0; row < world_agent_count(world) && is_good; row++) {
        const struct agent_view agent = world_agent(world, row);
        add_agent(export, &agent);
    }
    return is_good && !interrupt_is_set(export->player.interrupt);
}

/* FILE.xdmf, once FILE is in its place. */
static int write_xdmf(struct export *export, const struct buffer *text, struct failure *failure) {
    char path[sizeof export->options->out + 8];
    struct output xdmf;
    (void)snprintf(path, sizeof path, "%s.xdmf", export->options->out);
    if (text->failed) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    if (output_begin(&xdmf, export->player.interrupt, path, export->options->replaces, failure) != 0) {
        return -1;
    }
    buffer_append(&xdmf.buffer, text->data, text->length);
    return output_finish(&xdmf, failure);
}

static bool write_tick(struct export *export) {
    const struct world *world = export->player.state.world;
    if (export->options->is_hdf5) {
        return write_hdf5(export);
    }
    const uint64_t frame = (world_tick(world) - first_tick(export)) / stride(export);
    for (int32_t row = 0; row < world_agent_count(world); row++) {
        const struct agent_view agent = world_agent(world, row);
        if (export->options->is_trajectory) {
            append_place(export, &agent, frame);
        } else {
            append_agent(export, &agent);
        }
        if (!output_flush(&export->output)) {
            return false;
        }
    }
    return true;
}

static void write_head(struct export *export) {
    if (export->options->is_trajectory) {
        buffer_printf(&export->output.buffer, "# framerate: %.6f\n# id frame x/m y/m z/m\n",
                      world_tick_hz(export->player.state.world) / (double)stride(export));
        return;
    }
    for (int i = 0; i < export->column_count && !export->options->is_ndjson; i++) {
        buffer_printf(&export->output.buffer, "%s%s", i == 0 ? "" : ",",
                      column_title(export, export->columns[i]));
    }
    if (!export->options->is_ndjson) {
        buffer_append_text(&export->output.buffer, "\n");
    }
}

/* ---- the way through the recording ---- */

static bool is_wanted(const struct export *export) {
    const struct export_options *options = export->options;
    const struct recording_moment at = player_moment(&export->player);
    const uint64_t from = first_tick(export);
    return (options->world == 0 || options->world == at.world) && at.tick >= from &&
           (options->to == 0 || at.tick <= options->to) && (at.tick - from) % stride(export) == 0;
}

/* Whether nothing more will be wanted. */
static bool is_past(const struct export *export) {
    const struct recording_facts *facts = export->player.facts;
    const struct recording_moment at = player_moment(&export->player);
    const uint32_t last =
        export->options->world == 0 ? facts->worlds[facts->world_count - 1].number : export->options->world;
    return at.world > last ||
           (at.world == last && export->options->to != 0 && at.tick >= export->options->to);
}

static int go_through(struct export *export, struct failure *failure) {
    for (;;) {
        const enum player_result result = player_settle(&export->player, failure);
        if (result == PLAYER_FAILED) {
            return -1;
        }
        if (is_wanted(export) && !write_tick(export)) {
            return 0; /* output_finish says why */
        }
        if (result == PLAYER_END || is_past(export)) {
            return 0;
        }
        if (player_tick(&export->player, failure) == PLAYER_FAILED) {
            return -1;
        }
        progress_show(&export->progress, ++export->ticks);
    }
}

static int begin(struct export *export, struct failure *failure) {
    const struct export_options *options = export->options;
    struct recording_moment moment = player_first(&export->player);
    const struct recording_world *world =
        player_find_world(&export->player, options->world == 0 ? moment.world : options->world);
    const bool is_one = export->player.facts->world_count == 1 || options->world != 0;
    if (world == NULL) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "--world",
                           "--world: the recording has no world %lu; drover info lists them",
                           (unsigned long)options->world);
    }
    moment.world = world->number;
    moment.tick = is_one && options->from > world->first_tick ? options->from : world->first_tick;
    if (player_begin(&export->player, &moment, failure) != 0) {
        return -1;
    }
    const struct recording_moment at = player_moment(&export->player);
    const uint64_t ticks = player_ticks(&export->player, &at);
    const uint64_t wanted = options->to > at.tick ? options->to - at.tick : ticks;
    progress_begin(&export->progress, "export", is_one && wanted < ticks ? wanted : ticks);
    return 0;
}

/* The scale, of the world or as it was said. */
static int find_scale(struct export *export, struct failure *failure) {
    const struct export_options *options = export->options;
    const char *option = options->is_trajectory ? "--trajectory" : options->is_hdf5 ? "--hdf5" : "--meters";
    const bool is_of_one = options->is_trajectory || options->is_hdf5;
    if (is_of_one && options->world == 0 && export->player.facts->world_count > 1) {
        return failure_set(failure, FAILURE_BAD_PARAM, option,
                           "%s: the recording has %d worlds; --world says which", option,
                           (int)export->player.facts->world_count);
    }
    if (!options->is_trajectory && !options->is_in_meters) {
        return 0;
    }
    export->meter = options->scale > 0.0 ? options->scale : (double)world_meter(export->player.state.world);
    if (!(export->meter > 0.0)) {
        return failure_set(
            failure, FAILURE_BAD_PARAM, option,
            "%s: the world has no scale; \"meter\" in the \"world\" of its scenario gives it one, and so "
            "does --scale PX",
            option);
    }
    return 0;
}

/* Bytes of FILE.xdmf: of more than a million frames. */
enum { XDMF_MOST = 1 << 30 };

static int export_recording(struct export *export, struct failure *failure) {
    choose_columns(export);
    if (begin(export, failure) != 0 || find_scale(export, failure) != 0) {
        return -1;
    }
    if (output_begin(&export->output, export->player.interrupt, export->options->out,
                     export->options->replaces, failure) != 0) {
        return -1;
    }
    const char *slash = strrchr(export->options->out, '/');
    const char *name = slash == NULL ? export->options->out : slash + 1;
    struct buffer xdmf;
    buffer_init(&xdmf, XDMF_MOST);
    int result = 0;
    if (export->options->is_hdf5) {
        result = begin_hdf5(export, failure);
    } else {
        write_head(export);
    }
    result = result == 0 ? go_through(export, failure) : result;
    progress_end(&export->progress);
    struct failure closing = {0};
    if (hdf5_file_close(export->hdf5, &xdmf, name, &closing) != 0 && result == 0) {
        *failure = closing;
        result = -1;
    }
    if (result != 0) {
        output_abandon(&export->output);
    } else if ((result = output_finish(&export->output, failure)) == 0 && export->options->is_hdf5) {
        result = write_xdmf(export, &xdmf, failure);
    }
    buffer_fini(&xdmf);
    return result;
}

/* ---- the scenario ---- */

/* A text in lines is as a person laid it out; what came in one line is laid out here. */
static void append_document(const char *text, size_t length, struct buffer *out) {
    if (memchr(text, '\n', length) != NULL) {
        buffer_append(out, text, length);
        buffer_append_text(out, text[length - 1] == '\n' ? "" : "\n");
        return;
    }
    char *line = malloc(length + 1);
    if (line == NULL) {
        out->failed = true;
        return;
    }
    line[json_compact(text, length, line)] = '\0';
    json_layout(line, out);
    free(line);
}

/* The number of the world that is asked for, 0 when there is none. */
static uint32_t find_world(const struct recording_facts *facts, uint32_t wanted) {
    for (int i = facts->world_count - 1; i >= 0; i--) {
        if (wanted == 0 || facts->worlds[i].number == wanted) {
            return facts->worlds[i].number;
        }
    }
    return 0;
}

static int read_document(const struct export_options *options, const char *argument,
                         struct interrupt *interrupt, struct buffer *out, struct failure *failure) {
    char path[INPUT_PATH];
    struct scenario scenario;
    struct recording *recording = input_find(argument, interrupt, path, failure) == 0
                                      ? input_open(argument, path, options->means.more, failure)
                                      : NULL;
    if (recording == NULL) {
        return -1;
    }
    scenario_init(&scenario);
    const struct recording_facts *facts = recording_facts(recording);
    const uint32_t world = find_world(facts, options->world);
    (void)input_print_damage(argument, facts, stderr);
    const int result = world != 0
                           ? recording_read_scenario(recording, world, &scenario, failure)
                           : failure_set(failure, FAILURE_OUT_OF_RANGE, "--world",
                                         "--world: the recording has no world %lu; drover info lists them",
                                         (unsigned long)options->world);
    if (result == 0) {
        append_document(scenario.text, scenario.text_length, out);
    }
    scenario_fini(&scenario);
    recording_close(recording);
    return result;
}

/* Names what the scenario does not say of the world: an array of texts, without escapes in them. */
static void print_lost(const char *lost) {
    const char *at = lost == NULL ? "]" : lost + strcspn(lost, "\"]");
    while (*at == '"') {
        char words[512];
        const size_t length = strcspn(at + 1, "\"");
        (void)snprintf(words, sizeof words, "not in the scenario: %.*s", (int)(length < 400 ? length : 400),
                       at + 1);
        live_say(words);
        at += 1 + length + (at[1 + length] == '"');
        at += strcspn(at, "\"]");
    }
}

static int write_now(const struct player *player, bool with_agents, struct buffer *out,
                     struct failure *failure) {
    const struct simulation_state *state = &player->state;
    struct buffer document, lost;
    buffer_init(&document, LIMIT_SCENARIO_BYTES);
    buffer_init(&lost, COMMAND_LINE_BYTES);
    const int result = scenario_write_now(state->text, state->text_length, state->world, with_agents,
                                          &document, &lost, failure);
    if (result == 0) {
        append_document(document.data, document.length, out);
        print_lost(lost.data);
    }
    buffer_fini(&document);
    buffer_fini(&lost);
    return result;
}

/* The world as it was at the end, or at --to: the recording is simulated from its last checkpoint before that. */
static int read_now(const struct export_options *options, const char *argument, struct interrupt *interrupt,
                    struct buffer *out, struct failure *failure) {
    char path[INPUT_PATH];
    struct player player;
    if (input_find(argument, interrupt, path, failure) != 0 ||
        player_open(&player, argument, path, &options->means, interrupt, failure) != 0) {
        return -1;
    }
    (void)input_print_damage(argument, player.facts, stderr);
    const struct recording_world *world =
        player_find_world(&player, find_world(player.facts, options->world));
    int result = -1;
    if (world == NULL) {
        (void)failure_set(failure, FAILURE_OUT_OF_RANGE, "--world",
                          "--world: the recording has no world %lu; drover info lists them",
                          (unsigned long)options->world);
    } else {
        const struct recording_moment moment = {.world = world->number,
                                                .tick = options->to > 0 ? options->to : world->last_tick};
        result = player_begin(&player, &moment, failure) == 0 ? player_go(&player, &moment, failure) : -1;
        result = result == 0 ? write_now(&player, options->is_now, out, failure) : -1;
    }
    player_close(&player);
    return result;
}

/* What a server sends is made fit for a terminal first: the values stay what they are. */
static enum exit_code ask_document(const struct command_context *context,
                                   const struct export_options *options, struct buffer *out) {
    struct live live;
    struct buffer line;
    enum exit_code code = EXIT_WELL;
    buffer_init(&line, COMMAND_LINE_BYTES);
    if (live_begin(&live, context, &options->live, &code) == 0 &&
        live_connect(&live, DROVER_RECONNECT_NEVER, &code) == 0) {
        struct drover_message *reply =
            live_ask(&live,
                     options->is_now     ? "{\"op\":\"export\",\"id\":1,\"what\":\"now\"}"
                     : options->is_tuned ? "{\"op\":\"export\",\"id\":1,\"what\":\"tuned\"}"
                                         : "{\"op\":\"export\",\"id\":1}",
                     &code);
        size_t length = 0;
        const char *text = reply == NULL ? NULL : drover_message_text(reply, &length);
        if (text != NULL) {
            shown_json_append(&line, text, length);
            const char *document = line.failed ? NULL : json_value_find(line.data, "document");
            if (document != NULL) {
                json_layout(document, out);
                print_lost(json_value_find(line.data, "lost"));
            } else {
                live_say("the server's answer has no document");
                code = EXIT_DIFFERS;
            }
        }
        drover_message_free(reply);
    }
    buffer_fini(&line);
    return live_end(&live, code);
}

static enum exit_code export_scenario(const struct command_context *context,
                                      const struct export_options *options, const char *argument) {
    struct failure failure = {0};
    struct buffer text;
    struct output output;
    enum exit_code code = EXIT_WELL;
    buffer_init(&text, COMMAND_LINE_BYTES);
    if (argument == NULL) {
        code = ask_document(context, options, &text);
    } else if ((options->is_now || options->is_tuned ? read_now : read_document)(
                   options, argument, context->interrupt, &text, &failure) != 0) {
        code = command_complain(context, &failure, EXIT_DIFFERS);
    }
    int result = code == EXIT_WELL
                     ? output_begin(&output, context->interrupt, options->out, options->replaces, &failure)
                     : 0;
    if (code == EXIT_WELL && result == 0) {
        output.buffer.failed = output.buffer.failed || text.failed;
        buffer_append(&output.buffer, text.data == NULL ? "" : text.data, text.length);
        result = output_finish(&output, &failure);
    }
    buffer_fini(&text);
    return result == 0 ? code : command_complain(context, &failure, EXIT_DIFFERS);
}

enum exit_code command_export(const struct command_context *context, int argc, char **argv) {
    struct export_options options = {.means = {.threads = 1}, .live = {.timeout = LIVE_TIMEOUT_S}};
    struct failure failure = {0};
    enum exit_code code = EXIT_WELL;
    char path[INPUT_PATH];
    int count = 0;
    if (!command_options(&command_export_options, argc, argv, &options, 0, argc, &count, &code)) {
        return code;
    }
    if (count == 0 && !options.is_scenario) {
        (void)failure_set(
            &failure, FAILURE_BAD_PARAM, NULL,
            "export: expected FILE..., or --scenario for that of a server; --help shows the usage");
        return command_complain(context, &failure, EXIT_USAGE);
    }
    if ((options.is_now || options.is_tuned) &&
        (!options.is_scenario || options.is_now == options.is_tuned)) {
        (void)failure_set(&failure, FAILURE_BAD_PARAM, NULL,
                          "export: --now and --tuned go with --scenario, one of them");
        return command_complain(context, &failure, EXIT_USAGE);
    }
    if (options.is_scenario) {
        options.means.more = count > 1 ? argv + 2 : NULL;
        return export_scenario(context, &options, count == 0 ? NULL : argv[1]);
    }
    struct export export = {.options = &options};
    if (check_options(&export, &failure) != 0) {
        return command_complain(context, &failure, EXIT_USAGE);
    }
    const int joined = input_group(argv + 1, count);
    if (joined < count) {
        (void)failure_set(&failure, FAILURE_BAD_PARAM, NULL,
                          "export: %.200s does not continue %.200s; allowed: the files of one run",
                          argv[1 + joined], argv[joined]);
        return command_complain(context, &failure, EXIT_USAGE);
    }
    options.means.more = argv + 2;
    if (input_find(argv[1], context->interrupt, path, &failure) != 0 ||
        player_open(&export.player, argv[1], path, &options.means, context->interrupt, &failure) != 0) {
        return command_complain(context, &failure, EXIT_DIFFERS);
    }
    (void)input_print_damage(argv[1], export.player.facts, stderr);
    input_print_gaps(argv[1], export.player.facts, stderr);
    const int result = export_recording(&export, &failure);
    player_close(&export.player);
    return result == 0 ? EXIT_WELL : command_complain(context, &failure, EXIT_DIFFERS);
}
