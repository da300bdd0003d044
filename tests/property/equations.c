/* The equations that the viewer shows, against the world: every scenario runs, agents are inspected as a client
 * does it, the lines of viewer/explain/formula.h are made from the reply, and then only their text counts.
 *
 * 1. The right side of every line of numbers, computed from its text, is its left side, to the digits shown.
 * 2. What the terms get, read from the text and added up, is the net force of the text, digit by digit, and that is
 *    inspect's `steering`. What a term gets is a part of what it wants.
 * 3. Every behavior comes up, and so does every line of its formula but those named in `rare`.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "common/protocol/message.h"
#include "server/commands/command_apply.h"
#include "server/library/scenario_library.h"
#include "server/sim/steering/behavior.h"
#include "tests/property/each_scenario.h"
#include "viewer/explain/formula.h"

/* ---- the value of a line's text ---- */

struct number {
    bool is_vector;
    double x, y;
};

/* Reads an expression. The number with index `moved` is taken half a digit higher or lower than it stands there,
 * which says how far rounding alone can take the result. */
struct reader {
    const char *at;
    int count, moved;
    double half; /* +-0.5 */
    float dt;    /* s, of a tick: for stopping() */
    bool is_bad;
};

static struct number scalar(double value) {
    return (struct number){false, value, 0.0};
}
static double length_of(struct number a) {
    return a.is_vector ? hypot(a.x, a.y) : fabs(a.x);
}
static struct number times(struct number a, double factor) {
    return (struct number){a.is_vector, a.x * factor, a.y * factor};
}
static struct number truncated(struct number a, double limit) {
    const double length = length_of(a), most = limit > 0.0 ? limit : 0.0;
    return length > most ? times(a, most / length) : a;
}

static bool accept(struct reader *reader, const char *text) {
    const size_t length = strlen(text);
    while (*reader->at == ' ') {
        reader->at++;
    }
    if (strncmp(reader->at, text, length) != 0) {
        return false;
    }
    reader->at += length;
    return true;
}

static void expect(struct reader *reader, const char *text) {
    if (!accept(reader, text)) {
        reader->is_bad = true;
    }
}

/* "12 600", "308.7", "0.35": thousands are apart. */
static double read_number(struct reader *reader) {
    double value = 0.0, unit = 1.0;
    bool is_apart = false, has_point = false;
    const char *from = reader->at;
    for (;; reader->at++) {
        const char *c = reader->at;
        const bool is_group = *c == ' ' && !has_point && isdigit((unsigned char)c[1]) &&
                              isdigit((unsigned char)c[2]) && isdigit((unsigned char)c[3]);
        if (is_group) {
            is_apart = true;
        } else if (*c == '.' && !has_point) {
            has_point = true;
        } else if (!isdigit((unsigned char)*c)) {
            break;
        } else if (has_point) {
            unit *= 0.1;
            value += (*c - '0') * unit;
        } else {
            value = value * 10.0 + (*c - '0');
        }
    }
    reader->is_bad = reader->is_bad || reader->at == from;
    /* Whole numbers of inspect may have been rounded to hundredths; a constant of a formula, 0.9, is exact. */
    const bool is_constant = has_point && unit > 0.09 && value < 1.0;
    const double step = is_constant ? 0.0 : has_point || is_apart ? unit : 0.01;
    return reader->count++ == reader->moved ? value + step * reader->half : value;
}

static struct number read_sum(struct reader *reader);

static struct number read_call(struct reader *reader, const char *name) {
    struct number a = read_sum(reader), b = {0};
    struct number more = {0};
    const bool has_second = accept(reader, ",");
    if (has_second) {
        b = read_sum(reader);
    }
    const bool has_third = has_second && accept(reader, ",");
    if (has_third) {
        more = read_sum(reader);
    }
    expect(reader, ")");
    if (strcmp(name, "norm(") == 0) {
        const double length = length_of(a);
        return length > 1e-15 ? times(a, 1.0 / length) : a;
    }
    if (strcmp(name, "truncate(") == 0) {
        return truncated(a, b.x);
    }
    if (strcmp(name, "min(") == 0) {
        const double least = a.x < b.x ? a.x : b.x;
        return scalar(has_third && more.x < least ? more.x : least);
    }
    if (strcmp(name, "max(") == 0) {
        return scalar(a.x > b.x ? a.x : b.x);
    }
    if (strcmp(name, "clamp(") == 0) {
        return scalar(a.x > b.x ? b.x : a.x < -b.x ? -b.x : a.x);
    }
    if (strcmp(name, "root(") == 0) {
        const double rest = a.x * a.x - b.x * b.x;
        return scalar(rest > 0.0 ? sqrt(rest) : 0.0);
    }
    return scalar((double)behavior_stopping_speed((float)(a.x > 0.0 ? a.x : 0.0), (float)b.x, reader->dt));
}

static struct number read_factor(struct reader *reader) {
    static const char *const names[] = {"norm(", "truncate(", "min(", "max(", "clamp(", "root(", "stopping("};
    if (accept(reader, "-")) {
        return times(read_factor(reader), -1.0);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (accept(reader, names[i])) {
            return read_call(reader, names[i]);
        }
    }
    if (accept(reader, "|")) {
        const struct number inner = read_sum(reader);
        expect(reader, "|");
        return scalar(length_of(inner));
    }
    if (!accept(reader, "(")) {
        return scalar(read_number(reader));
    }
    struct number first = read_sum(reader);
    if (accept(reader, ",")) {
        first = (struct number){true, first.x, read_sum(reader).x};
    }
    expect(reader, ")");
    return first;
}

static struct number read_product(struct reader *reader) {
    struct number left = read_factor(reader);
    for (;;) {
        const bool is_product = accept(reader, "·");
        if (!is_product && !accept(reader, "/")) {
            return left;
        }
        const struct number right = read_factor(reader);
        left = !is_product      ? times(left, 1.0 / right.x)
               : left.is_vector ? times(left, right.x)
                                : times(right, left.x);
    }
}

static struct number read_sum(struct reader *reader) {
    struct number left = read_product(reader);
    while (!reader->is_bad) {
        const bool is_plus = accept(reader, "+ ");
        if (!is_plus && !accept(reader, "- ")) {
            return left;
        }
        const struct number right = read_product(reader);
        const double sign = is_plus ? 1.0 : -1.0;
        reader->is_bad = reader->is_bad || left.is_vector != right.is_vector;
        left = (struct number){left.is_vector, left.x + sign * right.x, left.y + sign * right.y};
    }
    return left;
}

/* The differences that a world which wraps does not see. */
static struct number wrapped(struct number a, const vec2 *size) {
    if (size != NULL && a.is_vector) {
        a.x -= (double)size->x * nearbyint(a.x / (double)size->x);
        a.y -= (double)size->y * nearbyint(a.y / (double)size->y);
    }
    return a;
}

/* Left side less right side. */
static struct number difference(const char *text, int moved, double half, float dt, int *count,
                                bool *is_bad) {
    struct reader reader = {.at = text, .moved = moved, .half = half, .dt = dt};
    const struct number left = read_sum(&reader);
    expect(&reader, "=");
    const struct number right = read_sum(&reader);
    *is_bad = reader.is_bad || *reader.at != '\0' || left.is_vector != right.is_vector;
    *count = reader.count;
    return (struct number){left.is_vector, left.x - right.x, left.y - right.y};
}

/* How far the two sides of an equation are apart, beyond what the digits shown explain; 0 when they agree, INFINITY
 * when the text cannot be read. wraps: the size of a world in which places differ by multiples of it, or NULL. */
static double excess(const char *text, float dt, const vec2 *wraps) {
    int count, ignored;
    bool is_bad;
    const struct number off = difference(text, -1, 0.0, dt, &count, &is_bad);
    if (is_bad) {
        return (double)INFINITY;
    }
    double slack = 1e-3;
    for (int i = 0; i < count; i++) {
        const struct number up = difference(text, i, 0.56, dt, &ignored, &is_bad);
        const struct number down = difference(text, i, -0.56, dt, &ignored, &is_bad);
        const double more = hypot(up.x - off.x, up.y - off.y), less = hypot(down.x - off.x, down.y - off.y);
        slack += more > less ? more : less;
    }
    const double apart = length_of(wrapped(off, wraps));
    return apart > slack ? apart - slack : 0.0;
}

/* ---- what came up ---- */

enum { TYPES_MAX = 32, VALUES_MAX = 32, TICKS = 8 };

static struct {
    const char *type;
    long terms;                    /* how often it was inspected while it had a force */
    long lines[FORMULA_TEMPLATES]; /* how often each equation stood */
    struct {
        char name[LIMIT_NAME_CHARS + 1];
        long seen, caught; /* how often it stood; how often a wrong one was caught */
    } values[VALUES_MAX];
} seen[TYPES_MAX];

static int failures;

static int type_of(const char *type) {
    int i = 0;
    while (seen[i].type != NULL && strcmp(seen[i].type, type) != 0) {
        i++;
    }
    assert_true(i < TYPES_MAX - 1);
    seen[i].type = formula_row_of(type)->type;
    return i;
}

static void complain(const char *scenario, const struct message_agent *agent, const char *what,
                     const char *line) {
    if (failures++ < 20) {
        print_error("%s, agent %u: %s: %s\n", scenario, agent->id, what, line);
    }
}

/* Whether a line of words is the template. */
static bool is_template(const char *line, const char *text) {
    for (; *text != '\0'; text++) {
        if (*text != '{' && *text != '}' && *text != *line++) {
            return false;
        }
    }
    return *line == '\0';
}

static void note_line(int type, const char *words) {
    const struct formula_template *rows = formula_row_of(seen[type].type)->lines;
    for (int i = 0; rows[i].text != NULL; i++) {
        seen[type].lines[i] += is_template(words, rows[i].text);
    }
}

/* ---- one agent ---- */

enum { LINE_TEXT = 1024 };
static struct formula formula;

struct place {
    const char *scenario;
    float dt;
    const vec2 *wraps; /* NULL in a world that does not */
};

/* The first wrong equation of a term, "" when all are right. */
static void check_term(const struct message_agent *agent, int term, const struct place *place, bool notes,
                       char wrong[LINE_TEXT]) {
    char text[LINE_TEXT];
    wrong[0] = '\0';
    formula_of_term(agent, term, &formula);
    assert_true(formula.line_count > 0 && formula.line_count < FORMULA_LINES);
    for (int i = 0; i < formula.line_count; i++) {
        assert_true(formula.lines[i].token_count < FORMULA_TOKENS);
        formula_line_text(&formula.lines[i], text, sizeof text);
        assert_true(strlen(text) + 1 < sizeof text && strpbrk(text, "{}") == NULL);
        if (notes && formula.lines[i].kind == FORMULA_SYMBOLS) {
            note_line(type_of(agent->terms[term].type), text);
        }
        if (formula.lines[i].kind == FORMULA_NUMBERS && excess(text, place->dt, place->wraps) > 0.0) {
            memcpy(wrong, text, sizeof text);
            return;
        }
    }
}

/* Each number of the term made wrong in turn: some equation no longer holds. */
static void spoil(const struct message_agent *agent, int term, const struct place *place) {
    struct message_agent *copy = malloc(sizeof *copy);
    char wrong[LINE_TEXT];
    assert_non_null(copy);
    const int type = type_of(agent->terms[term].type);
    for (int i = 0; i < agent->terms[term].value_count; i++) {
        *copy = *agent;
        struct message_agent_value *value = &copy->terms[term].values[i];
        const vec2 old = value->vector;
        value->vector = value->is_vector
                            ? vec2_make(1.05f * old.x - 0.1f * old.y, 1.05f * old.y + 0.1f * old.x)
                            : vec2_make(1.05f * old.x, 0.0f);
        check_term(copy, term, place, false, wrong);
        int row = 0;
        while (seen[type].values[row].name[0] != '\0' &&
               strcmp(seen[type].values[row].name, value->name) != 0) {
            row++;
        }
        assert_true(row < VALUES_MAX);
        memcpy(seen[type].values[row].name, value->name, sizeof value->name);
        seen[type].values[row].seen++;
        seen[type].values[row].caught += wrong[0] != '\0';
    }
    free(copy);
}

/* The vector at the end of a line, in hundredths. */
static void last_vector(const char *text, long *x, long *y) {
    const char *open = strrchr(text, '(');
    assert_non_null(open);
    struct reader reader = {.at = open, .moved = -1};
    const struct number vector = read_factor(&reader);
    assert_true(!reader.is_bad && vector.is_vector && *reader.at == '\0');
    *x += lround(vector.x * 100.0);
    *y += lround(vector.y * 100.0);
}

static void check_sum(const struct message_agent *agent, const struct place *place) {
    char text[LINE_TEXT];
    long x = 0, y = 0, net_x = 0, net_y = 0;
    bool has_net = false;
    formula_of_sum(agent, &formula);
    assert_true(formula.line_count < FORMULA_LINES);
    for (int i = 0; i < formula.line_count; i++) {
        formula_line_text(&formula.lines[i], text, sizeof text);
        if (formula.lines[i].kind == FORMULA_SUMMAND) {
            last_vector(text, &x, &y);
        } else if (formula.lines[i].kind == FORMULA_TOTAL && !has_net) {
            last_vector(text, &net_x, &net_y);
            has_net = true;
        }
    }
    const double half = agent->max_force >= 100.0f ? 5.1 : 0.51;
    if (!has_net || x != net_x || y != net_y ||
        fabs((double)net_x - 100.0 * (double)agent->steering.x) > half ||
        fabs((double)net_y - 100.0 * (double)agent->steering.y) > half) {
        (void)snprintf(text, sizeof text, "(%ld, %ld) instead of (%g, %g)", x, y, (double)agent->steering.x,
                       (double)agent->steering.y);
        complain(place->scenario, agent, "what the terms get does not add up", text);
    }
}

/* What a term gets is a part of what it wants, to some hundredths. */
static void check_gets(const struct message_agent *agent, int term, const struct place *place) {
    const struct message_agent_term *of = &agent->terms[term];
    const double wants = hypot((double)of->wants.x, (double)of->wants.y);
    const double along = (double)of->wants.x * (double)of->gets.x + (double)of->wants.y * (double)of->gets.y;
    const double across = (double)of->wants.x * (double)of->gets.y - (double)of->wants.y * (double)of->gets.x;
    const double slack = 0.02 + 1e-5 * (double)vec2_length(of->gets);
    const double more =
        wants > 0.0 ? 0.01 / wants * (double)vec2_length(of->gets) : 0.0; /* of the wants' rounding */
    if (wants > 0.0 ? fabs(across) > (slack + more) * wants || along < -slack * wants
                    : vec2_length(of->gets) > 0.05f) {
        char text[LINE_TEXT];
        (void)snprintf(text, sizeof text, "%s wants (%g, %g), gets (%g, %g)", of->behavior,
                       (double)of->wants.x, (double)of->wants.y, (double)of->gets.x, (double)of->gets.y);
        complain(place->scenario, agent, "no part of what it wants", text);
    }
}

static void check_agent(const struct message_agent *agent, const struct place *place) {
    char wrong[LINE_TEXT];
    assert_true(agent->term_count >= agent->share_count);
    for (int i = 0; i < agent->term_count; i++) {
        const struct message_agent_term *term = &agent->terms[i];
        seen[type_of(term->type)].terms += vec2_length_squared(term->wants) > 0.0f;
        check_gets(agent, i, place);
        check_term(agent, i, place, true, wrong);
        if (wrong[0] != '\0') {
            complain(place->scenario, agent, term->behavior, wrong);
        } else {
            spoil(agent, i, place);
        }
    }
    check_sum(agent, place);
}

/* ---- one world ---- */

static void inspect(struct simulation_state *state, const uint32_t *ids, int count,
                    const struct place *place) {
    struct request *request = calloc(1, sizeof *request);
    struct message *message = calloc(1, sizeof *message);
    struct buffer reply;
    struct failure failure;
    assert_non_null(request);
    assert_non_null(message);
    buffer_init(&reply, 1 << 21);
    request->op = REQUEST_INSPECT;
    memcpy(request->id, "1", 2);
    request->body.inspect.agent_count = count;
    memcpy(request->body.inspect.agents, ids, (size_t)count * sizeof *ids);
    const uint64_t hash = world_hash(state->world);
    (void)command_apply(state, request, 1, &reply);
    assert_true(world_hash(state->world) == hash);
    assert_false(reply.failed);
    if (message_decode(reply.data, reply.length, message, &failure) != 0) {
        fail_msg("%s: %s %s", place->scenario, failure.field, failure.message);
    }
    assert_int_equal(message->body.reply.agent_count, count);
    for (int i = 0; i < count; i++) {
        check_agent(&message->body.reply.agents[i], place);
    }
    message_fini(message);
    buffer_fini(&reply);
    free(message);
    free(request);
}

/* A client drives some agents of each kind that can be driven: a third of them, now too fast, now too slowly. */
static void drive(struct world *world, int round) {
    for (int kind = 0; kind < world_kind_count(world); kind++) {
        float x[64], y[64];
        const int32_t third = world_kind_population(world, kind) / 3;
        const struct drive_def drive = {.kind = kind, .count = third < 64 ? third : 64, .x = x, .y = y};
        int32_t gone = 0;
        for (int32_t i = 0; i < drive.count; i++) {
            const float speed = round % 2 == 0 ? 37.5f : 137.5f;
            x[i] = speed * (float)((i + 3 * round) % 11 - 5);
            y[i] = speed * (float)((2 * i + round) % 7 - 3);
        }
        if (world_heeds_drive(world, kind)) {
            assert_int_equal(world_drive(world, &drive, &gone), WORLD_OK);
        }
    }
}

static void run(const char *name, const struct scenario *scenario, const uint64_t *ticks) {
    struct simulation_state state;
    struct built_world built;
    struct failure failure = {0};
    const struct world_overrides overrides = {0};
    simulation_state_init(&state);
    if (built_world_make(scenario, &overrides, NULL, NULL, &built, &failure) != 0) {
        fail_msg("%s: %s", name, failure.message);
    }
    simulation_state_change(&state, &built);
    built_world_fini(&built);
    const vec2 size = world_size(state.world);
    const struct place place = {name, (float)(1.0 / world_tick_hz(state.world)),
                                world_edge(state.world) == EDGE_WRAP ? &size : NULL};
    for (int i = 0; i < TICKS; i++) {
        while (world_tick(state.world) < ticks[i]) {
            simulation_state_step(&state);
        }
        uint32_t ids[LIMIT_INSPECT_IDS];
        drive(state.world, i);
        const int32_t agents = world_agent_count(state.world);
        const int count = agents < LIMIT_INSPECT_IDS ? (int)agents : LIMIT_INSPECT_IDS;
        for (int k = 0; k < count; k++) {
            ids[k] = world_agent(state.world, (int32_t)((int64_t)k * agents / count)).id;
        }
        inspect(&state, ids, count, &place);
    }
    simulation_state_fini(&state);
}

static const uint64_t some_ticks[TICKS] = {0, 1, 10, 30, 90, 180, 300, 480};

static int failures_of(const char *name) {
    static const char *const large[] = {"million", "murmuration_100k", "murmuration_10k", "throng",
                                        "great_hunt"};
    char path[128];
    struct scenario *scenario = malloc(sizeof *scenario);
    struct failure failure;
    assert_non_null(scenario);
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        if (strcmp(name, large[i]) == 0) {
            free(scenario);
            return 0;
        }
    }
    (void)snprintf(path, sizeof path, "scenarios/%s.json", name);
    assert_int_equal(scenario_file_read(path, scenario, &failure), 0);
    run(name, scenario, some_ticks);
    scenario_fini(scenario);
    free(scenario);
    return 0;
}

/* What the scenarios of the project do not show. */
/* With ' for ". */
/* clang-format off */
#define BODY(force) "'radius':4,'max_speed':100,'max_force':" force ",'behaviors':"

#define WHEELS "'locomotion':'wheeled','turn_radius':60,'max_speed':80,'behaviors':"
#define AT(kind) "{'kind':'" kind "','at':[500,500],'heading':0},"
static const char *const small[] = {
    "{'name':'On the spot','seed':1,'world':{'size':[2000,1000],'edge':'open'},'targets':{'home':[500,500]},'kinds':{"
    "'post':{" BODY("10") "[]},"
    "'shy':{" BODY("300") "[{'flee':{'target':'home'}}]},"
    "'meek':{" BODY("300") "[{'evade':{'kind':'post'}}]},"
    "'far':{" BODY("300") "[{'evade':{'kind':'post','max_prediction':0.1}}]},"
    "'wing':{" BODY("300") "[{'offset_pursuit':{'kind':'post','offset':[-20,0],'slowing_distance':50}}]},"
    "'goose':{" BODY("300") "[{'formation':{'kind':'post','shape':'column','spacing':25,'slowing_distance':50}}]},"
    "'tail':{" BODY("300") "[{'follow_leader':{'kind':'post','distance':40,'radius':5,'slowing_distance':0,'kinds':['post']}}]},"
    "'hare':{" BODY("300") "[{'hide':{'kind':'post'}}]},"
    "'guard':{" BODY("300") "[{'interpose':{'kind':'wing','second_target':'home','max_prediction':0.1,'slowing_distance':30}}]},"
    "'strong':{" BODY("10000") "[{'alignment':{'radius':50}}]},"
    "'tight':{" BODY("10000") "[{'flock':{'alignment_radius':50,'kinds':['strong']}}]}},"
    "'agents':[{'kind':'post','at':[600,500],'velocity':[5,0]},{'kind':'shy','at':[500,500]},{'kind':'meek','at':[600,500]},"
    "{'kind':'far','at':[900,500]},{'kind':'wing','at':[580,500]},{'kind':'goose','at':[575,500]},{'kind':'tail','at':[560,500]},"
    "{'kind':'hare','at':[600,500]},{'kind':'hare','at':[650,520]},{'kind':'tail','at':[200,300]},{'kind':'goose','at':[300,300]},"
    "{'kind':'guard','at':[300,700]},{'kind':'strong','at':[1500,500],'velocity':[90,0]},"
    "{'kind':'strong','at':[1510,505],'velocity':[50,40]},{'kind':'tight','at':[1500,490],'velocity':[90,0]},"
    "{'kind':'wing','at':[300,520]}]}",

    "{'name':'Ends and edges','seed':1,'world':{'size':[600,400],'edge':'contain','obstacles':[{'circle':[300,200,30]}],"
    "'paths':{'road':{'points':[[100,100],[500,100]],'radius':10}}},"
    "'targets':{'home':[598,398],'mouse':[300,300]},'kinds':{"
    "'quick':{" BODY("50000") "[{'seek':{'target':'home'}}]},"
    "'cart':{" BODY("20") "[{'follow_path':{'path':'road','prediction':0.1}}]},"
    "'hare':{" BODY("300") "[{'hide':{'target':'mouse'}}]},"
    "'blind':{" BODY("300") "[{'avoid_obstacles':{}}]},"
    "'fickle':{'max_speed':90,'max_force':150,'states':[{'name':'go','combine':'dithered','behaviors':["
    "{'wander':{'probability':0.4}},{'seek':{'target':'mouse','probability':0.8}}]}]}},"
    "'agents':[{'kind':'blind','at':[257,200],'velocity':[100,0]},{'kind':'quick','at':[300,380]},{'kind':'cart','at':[440,104]},"
    "{'kind':'cart','at':[200,100]},{'kind':'hare','at':[200,300]},{'kind':'fickle','count':6,'in':{'rect':[50,50,200,200]}}]}",

    /* Cars beside which it is, nearer than they can turn. */
    "{'name':'Wheels','seed':1,'world':{'size':[1000,1000],'edge':'open','paths':{'road':{'points':[[100,590],[500,590]]}}},"
    "'targets':{'home':[500,590]},'kinds':{'post':{" BODY("10") "[]},"
    "'a':{" WHEELS "[{'seek':{'target':'home'}}]},'b':{" WHEELS "[{'arrive':{'target':'home'}}]},"
    "'c':{" WHEELS "[{'pursue':{'kind':'post'}}]},'d':{" WHEELS "[{'offset_pursuit':{'kind':'post'}}]},"
    "'e':{" WHEELS "[{'formation':{'kind':'post','shape':'column','spacing':1}}]},"
    "'f':{" WHEELS "[{'interpose':{'kind':'post','second_target':'home'}}]},"
    "'g':{" WHEELS "[{'follow_leader':{'kind':'post','distance':1}}]},'h':{" WHEELS "[{'queue':{'target':'home'}}]},"
    "'i':{" WHEELS "[{'follow_path':{'path':'road'}}]}},'agents':[{'kind':'post','at':[500,590],'heading':0},"
    AT("a") AT("b") AT("c") AT("d") AT("e") AT("f") AT("g") AT("h") "{'kind':'i','at':[500,500],'heading':0}]}",

    /* People on top of each other, and a queue that keeps its distance in time. */
    "{'name':'People','seed':1,'world':{'size':[300,200],'edge':'contain'},'targets':{'door':[280,100],'out':[290,190]},'kinds':{"
    "'walker':{" BODY("40") "[{'seek':{'target':'door'}},{'walk':{}}]},'waiter':{" BODY("400") "[{'queue':{'target':'out','time_gap':0.5}}]}},"
    "'agents':[{'kind':'walker','count':20,'in':{'rect':[40,80,30,30]}},{'kind':'waiter','count':30,'in':{'rect':[150,20,60,80]}}]}",
    NULL};
/* clang-format on */

static void run_small(const char *quoted) {
    struct scenario *scenario = malloc(sizeof *scenario);
    struct failure failure;
    char text[8192];
    assert_true(strlen(quoted) < sizeof text);
    memcpy(text, quoted, strlen(quoted) + 1);
    for (char *c = strchr(text, '\''); c != NULL; c = strchr(c, '\'')) {
        *c = '"';
    }
    assert_non_null(scenario);
    if (scenario_read(text, strlen(text), scenario, &failure) != 0) {
        fail_msg("%s: %s: %s", text, failure.field, failure.message);
    }
    run(scenario->title, scenario, some_ticks);
    scenario_fini(scenario);
    free(scenario);
}

/* ---- the tests ---- */

/* Equations that no run of these shows, and numbers that only sentences have. */
static const char *const rare[] = {"{desired} = {out} · {max_speed}", NULL};
static const char *const only_told[] = {"arrived",
                                        "furthest",
                                        "gathered",
                                        "course",
                                        "calm_beyond",
                                        "threats",
                                        "avoid_agents/time",
                                        "miss",
                                        "rank",
                                        "group",
                                        "preferred",
                                        "half_planes",
                                        "lean",
                                        "look_ahead",
                                        "prediction",
                                        "path_distance",
                                        "path_radius",
                                        "rest",
                                        "hold",
                                        "ticks_ago",
                                        "end",
                                        "probability",
                                        "flee/distance",
                                        "evade/distance",
                                        "hide/calm_beyond",
                                        NULL};

static bool is_listed(const char *const *list, const char *name) {
    while (*list != NULL && strcmp(*list, name) != 0) {
        list++;
    }
    return *list != NULL;
}

static void every_equation_holds(void **state) {
    (void)each_scenario(getenv("ONLY"), failures_of);
    for (const char *const *text = small; *text != NULL; text++) {
        run_small(*text);
    }
    assert_int_equal(failures, 0);
}

static void every_behavior_and_every_equation_comes_up(void **state) {
    int missing = 0;
    for (const struct formula_row *row = formula_rows; row->type != NULL; row++) {
        const int type = type_of(row->type);
        if (seen[type].terms == 0) {
            print_error("%s never had a force\n", row->type);
            missing++;
        }
        for (int i = 0; row->lines[i].text != NULL; i++) {
            if (strstr(row->lines[i].text, " = ") != NULL && seen[type].lines[i] == 0 &&
                !is_listed(rare, row->lines[i].text)) {
                print_error("%s: never seen: %s\n", row->type, row->lines[i].text);
                missing++;
            }
        }
    }
    for (int type = 0; behavior_type_name((enum behavior_type)type) != NULL; type++) {
        assert_non_null(formula_row_of(behavior_type_name((enum behavior_type)type))->type);
    }
    assert_int_equal(missing, 0);
}

static void a_wrong_number_is_caught(void **state) {
    int missed = 0;
    for (int i = 0; seen[i].type != NULL; i++) {
        for (int k = 0; seen[i].values[k].name[0] != '\0'; k++) {
            char full[80];
            (void)snprintf(full, sizeof full, "%s/%s", seen[i].type, seen[i].values[k].name);
            if (seen[i].values[k].caught == 0 && !is_listed(only_told, seen[i].values[k].name) &&
                !is_listed(only_told, full)) {
                print_error("%s: %s: wrong %ld times, never caught\n", seen[i].type, seen[i].values[k].name,
                            seen[i].values[k].seen);
                missed++;
            }
        }
    }
    assert_int_equal(missed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_equation_holds),
        cmocka_unit_test(every_behavior_and_every_equation_comes_up),
        cmocka_unit_test(a_wrong_number_is_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
