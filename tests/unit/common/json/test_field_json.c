/* JSON by tables of fields, and the writer. */

#include "tests/unit/common/test_support.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>

#include "common/base/limits.h"
#include "common/json/field_json.h"
#include "common/json/json_writer.h"
#include "common/text/digits.h"

/* ==== field_json: types, ranges, words of refusals, tables, writing back ==== */

struct sample {
    float speed;
    double weight;
    float turn;
    struct field_range mass;
    float place[2];
    uint32_t count;
    uint64_t seed;
    bool on;
    int edge;
    char name[LIMIT_NAME_CHARS + 1];
    char text[8];
};

static const char *const edges[] = {"wrap", "bounce", NULL};

static const struct field table[] = {
    {.name = "max_speed",
     .type = FIELD_FLOAT,
     FIELD_MEMBER(struct sample, speed),
     .flags = FIELD_PARAM,
     .max = 20000,
     .initial = 240,
     .unit = "px/s"},
    {.name = "weight",
     .type = FIELD_DOUBLE,
     FIELD_MEMBER(struct sample, weight),
     .max = 1000,
     .initial = 1,
     .unit = "1"},
    {.name = "turn",
     .type = FIELD_ANGLE,
     FIELD_MEMBER(struct sample, turn),
     .min = -360,
     .max = 36000,
     .initial = 90,
     .unit = "deg/s"},
    {.name = "mass",
     .type = FIELD_RANGE,
     FIELD_MEMBER(struct sample, mass),
     .min = 0.01,
     .max = 100,
     .initial = 2,
     .unit = "mass"},
    {.name = "place",
     .type = FIELD_POINT,
     FIELD_MEMBER(struct sample, place),
     .min = -10,
     .max = 10,
     .unit = "px"},
    {.name = "count",
     .type = FIELD_UINT32,
     FIELD_MEMBER(struct sample, count),
     .flags = FIELD_REQUIRED,
     .min = 1,
     .max = 100000,
     .initial = 1},
    {.name = "seed",
     .type = FIELD_UINT64,
     FIELD_MEMBER(struct sample, seed),
     .max = LIMIT_ID_INTEGER,
     .initial = 5},
    {.name = "on", .type = FIELD_BOOL, FIELD_MEMBER(struct sample, on)},
    {.name = "edge", .type = FIELD_CHOICE, FIELD_MEMBER(struct sample, edge), .initial = 1, .choices = edges},
    {.name = "name", .type = FIELD_NAME, FIELD_MEMBER(struct sample, name)},
    {.name = "text", .type = FIELD_TEXT, FIELD_MEMBER(struct sample, text)},
    {.name = NULL, .type = FIELD_END},
};

static struct sample fresh(void) {
    struct sample sample;
    memset(&sample, 0xAA, sizeof sample);
    fields_set_initial(table, &sample);
    return sample;
}

static int read_text(const char *text, const char *path, const char *const *known, struct sample *sample,
                     uint64_t *present, struct failure *failure) {
    cJSON *json = cJSON_Parse(text);
    assert_non_null(json);
    const int result = fields_read(table, json, path, known, sample, present, failure);
    cJSON_Delete(json);
    return result;
}

static void reads_every_type(void **state) {
    struct sample sample = fresh();
    struct failure failure;
    uint64_t present = 0;
    assert_int_equal(
        read_text("{\"max_speed\":0.1,\"weight\":0.25,\"turn\":180,\"mass\":[1,3],\"place\":[1,-2.5],"
                  "\"count\":7,\"seed\":9007199254740991,\"on\":true,\"edge\":\"wrap\",\"name\":\"a-b_9\","
                  "\"text\":\"1234567\",\"other\":[]}",
                  "", NULL, &sample, &present, &failure),
        0);
    assert_int_equal(present, 0x7FF);
    assert_true(sample.speed == 0.1f && sample.weight == 0.25);
    assert_true(sample.turn > 3.1415925f && sample.turn < 3.1415929f);
    assert_true(sample.mass.low == 1.0f && sample.mass.high == 3.0f);
    assert_true(sample.place[0] == 1.0f && sample.place[1] == -2.5f);
    assert_int_equal(sample.count, 7);
    assert_true(sample.seed == UINT64_C(9007199254740991));
    assert_true(sample.on);
    assert_int_equal(sample.edge, 0);
    assert_string_equal(sample.name, "a-b_9");
    assert_string_equal(sample.text, "1234567");
}

static void leaves_the_absent_alone(void **state) {
    struct sample sample = fresh();
    struct failure failure;
    uint64_t present = 0;
    assert_true(sample.speed == 240.0f && sample.mass.high == 2.0f && sample.seed == 5 && sample.edge == 1);
    assert_true(!sample.on && sample.name[0] == '\0');
    assert_int_equal(read_text("{\"count\":2}", "", NULL, &sample, &present, &failure), 0);
    assert_int_equal(present, 1u << 5);
    assert_true(sample.speed == 240.0f);
}

static void assert_refused(const char *text, enum failure_code code, const char *field, const char *message) {
    static const char *const known[] = {"kinds", NULL};
    struct sample sample = fresh();
    struct failure failure;
    assert_int_equal(read_text(text, "", known, &sample, NULL, &failure), -1);
    assert_string_equal(failure.message, message);
    assert_string_equal(failure.field, field);
    assert_int_equal(failure.code, code);
}

static void says_what_was_found_and_what_is_allowed(void **state) {
    assert_refused("{\"count\":0}", FAILURE_OUT_OF_RANGE, "count", "0 is out of range: 1 to 100000");
    assert_refused("{\"count\":1.5}", FAILURE_BAD_PARAM, "count", "expected an integer, found 1.5");
    assert_refused("{\"count\":1e300}", FAILURE_OUT_OF_RANGE, "count", "1e+300 is out of range: 1 to 100000");
    assert_refused("{\"count\":\"1\"}", FAILURE_BAD_PARAM, "count", "expected an integer, found a string");
    assert_refused("{}", FAILURE_BAD_PARAM, "count", "missing; expected an integer: 1 to 100000");
    assert_refused("{\"max_speed\":-1}", FAILURE_OUT_OF_RANGE, "max_speed",
                   "-1 is out of range: 0 to 20000 px/s");
    assert_refused("{\"max_speed\":null}", FAILURE_BAD_PARAM, "max_speed", "expected a number, found null");
    assert_refused("{\"weight\":1001}", FAILURE_OUT_OF_RANGE, "weight", "1001 is out of range: 0 to 1000");
    assert_refused("{\"turn\":36000.5}", FAILURE_OUT_OF_RANGE, "turn",
                   "36000.5 is out of range: -360 to 36000 deg/s");
    assert_refused("{\"mass\":[3,1]}", FAILURE_BAD_PARAM, "mass",
                   "invalid range [3, 1]; the minimum must come first");
    assert_refused("{\"mass\":[1,1000]}", FAILURE_OUT_OF_RANGE, "mass[1]",
                   "1000 is out of range: 0.01 to 100 mass");
    assert_refused("{\"mass\":true}", FAILURE_BAD_PARAM, "mass",
                   "expected a number or [low, high], found a bool");
    assert_refused("{\"place\":[1]}", FAILURE_BAD_PARAM, "place",
                   "expected a point [x, y], found an array of 1");
    assert_refused("{\"place\":[1,{}]}", FAILURE_BAD_PARAM, "place[1]", "expected a number, found an object");
    assert_refused("{\"place\":3}", FAILURE_BAD_PARAM, "place", "expected a point [x, y], found a number");
    assert_refused("{\"on\":1}", FAILURE_BAD_PARAM, "on", "expected true or false, found a number");
    assert_refused("{\"edge\":\"foo\"}", FAILURE_BAD_PARAM, "edge",
                   "\"foo\" is not one of \"wrap\", \"bounce\"");
    assert_refused("{\"name\":\"a b\"}", FAILURE_BAD_PARAM, "name",
                   "\"a b\" is not a name: 1 to 31 characters of A-Z a-z 0-9 _ -");
    assert_refused("{\"text\":\"12345678\"}", FAILURE_BAD_PARAM, "text",
                   "a text of 8 bytes is too long: at most 7");
    assert_refused("{\"cuont\":3}", FAILURE_BAD_PARAM, "cuont",
                   "unknown key \"cuont\" (did you mean \"count\"?); allowed: max_speed, weight, turn, mass, "
                   "place, count, seed, on, edge, name, "
                   "text, kinds");
    assert_refused("[]", FAILURE_BAD_PARAM, "", "expected an object, found an array");
}

static void paths_are_joined(void **state) {
    struct sample sample = fresh();
    struct failure failure;
    assert_int_equal(read_text("{\"count\":1,\"mass\":[0,1]}", "kinds.prey", NULL, &sample, NULL, &failure),
                     -1);
    assert_string_equal(failure.field, "kinds.prey.mass[0]");
    assert_int_equal(read_text("{\"kinds\":1}", "a", NULL, &sample, NULL, &failure), -1);
    assert_string_equal(failure.field, "a.count");
}

static void sets_and_gets_numbers(void **state) {
    struct sample sample = fresh();
    struct failure failure;
    const struct field *speed = field_find(table, "max_speed");
    const struct field *turn = field_find(table, "turn");
    assert_null(field_find(table, "nothing"));
    assert_int_equal(field_set_number(speed, -1, "value", &sample, &failure), -1);
    assert_string_equal(failure.message, "max_speed -1 is out of range: 0 to 20000 px/s");
    assert_string_equal(failure.field, "value");
    assert_int_equal(failure.code, FAILURE_OUT_OF_RANGE);
    assert_true(sample.speed == 240.0f);
    assert_int_equal(field_set_number(speed, 0.1, "value", &sample, &failure), 0);
    assert_true(field_get_number(speed, &sample) == 0.1);
    for (int degrees = -360; degrees <= 36000; degrees++) {
        assert_int_equal(field_set_number(turn, degrees, "value", &sample, &failure), 0);
        assert_true(field_get_number(turn, &sample) == degrees);
    }
    const struct field *mass = field_find(table, "mass");
    assert_int_equal(field_set_number(mass, 4, "value", &sample, &failure), 0);
    assert_true(sample.mass.low == 4.0f && sample.mass.high == 4.0f);
    assert_int_equal(field_set_number(field_find(table, "count"), 1.5, "value", &sample, &failure), -1);
    assert_int_equal(field_set_number(speed, (double)INFINITY, "value", &sample, &failure), -1);
    assert_int_equal(field_set_number(speed, (double)NAN, "value", &sample, &failure), -1);
}

static void writes_what_it_reads(void **state) {
    static const char text[] =
        "{\"max_speed\":0.1,\"weight\":0.1,\"turn\":33.3,\"mass\":[0.5,3],\"place\":[1,-2.5],\"count\":7,"
        "\"seed\":9007199254740991,\"on\":true,\"edge\":\"bounce\",\"name\":\"abc\",\"text\":\"a\\\"b\"}";
    struct sample sample = fresh();
    struct failure failure;
    struct buffer out;
    assert_int_equal(read_text(text, "", NULL, &sample, NULL, &failure), 0);
    buffer_init(&out, 1000);
    struct json_writer json = json_writer_begin(&out);
    json_object(&json);
    for (const struct field *field = table; field->type != FIELD_END; field++) {
        json_key(&json, field->name);
        field_write_value(field, &sample, &json);
    }
    json_end(&json);
    assert_string_equal(out.data, text);
    buffer_fini(&out);
}

/* A list of names: a space between them inside, an array outside. */
struct list {
    char kinds[12];
};
static const struct field list_table[] = {
    {.name = "kinds", .type = FIELD_NAMES, FIELD_MEMBER(struct list, kinds)},
    {.name = NULL, .type = FIELD_END},
};

static int read_list(const char *text, struct list *list, struct failure *failure) {
    cJSON *json = cJSON_Parse(text);
    assert_non_null(json);
    const int result = fields_read(list_table, json, "a", NULL, list, NULL, failure);
    cJSON_Delete(json);
    return result;
}

static void reads_and_writes_names(void **state) {
    struct list list;
    struct failure failure;
    memset(&list, 0xAA, sizeof list);
    fields_set_initial(list_table, &list);
    assert_string_equal(list.kinds, "");
    assert_int_equal(read_list("{\"kinds\":[\"prey\",\"hunt-1\"]}", &list, &failure), 0);
    assert_string_equal(list.kinds, "prey hunt-1"); /* to the last byte */
    struct buffer out;
    buffer_init(&out, 1000);
    struct json_writer json = json_writer_begin(&out);
    field_write_value(list_table, &list, &json);
    assert_string_equal(out.data, "[\"prey\",\"hunt-1\"]");
    buffer_fini(&out);
    assert_int_equal(read_list("{\"kinds\":[\"b\",\"prey\",\"b\",\"pre\",\"prey\",\"b\"]}", &list, &failure),
                     0);
    assert_string_equal(list.kinds, "b prey pre"); /* each once */
    static const char *const refused[][3] = {
        {"{\"kinds\":\"prey\"}", "a.kinds", "expected an array of names, found a string"},
        {"{\"kinds\":[]}", "a.kinds", "empty"},
        {"{\"kinds\":[\"prey\",7]}", "a.kinds[1]", "expected a string"},
        {"{\"kinds\":[\"a b\"]}", "a.kinds[0]", "is not a name"},
        {"{\"kinds\":[\"prey\",\"hunter1\"]}", "a.kinds[1]", "too many names: at most 11 characters"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_int_equal(read_list(refused[i][0], &list, &failure), -1);
        assert_string_equal(failure.field, refused[i][1]);
        assert_non_null(strstr(failure.message, refused[i][2]));
    }
}

/* Objects, tuples and rows within a struct, and what is left out. */
struct part {
    float at[2];
    char name[8];
};
struct whole {
    struct part parts[2];
    int part_count;
    uint32_t *ids;
    int id_count;
    bool has_span;
    uint32_t first, last;
    struct part inner;
    float exact;
};
static const struct field part_table[] = {
    {.name = "at", .type = FIELD_POINT, FIELD_MEMBER(struct part, at), .min = -9, .max = 9},
    {.name = "name", .type = FIELD_TEXT, FIELD_MEMBER(struct part, name), .flags = FIELD_BRIEF},
    {.type = FIELD_END},
};
static const struct field brief_table[] = {
    {.name = "name", .type = FIELD_TEXT, FIELD_MEMBER(struct part, name), .flags = FIELD_BRIEF},
    {.type = FIELD_END},
};
static const struct field span_table[] = {
    {.type = FIELD_UINT32, FIELD_MEMBER(struct whole, first), .max = 9},
    {.type = FIELD_UINT32, FIELD_MEMBER(struct whole, last), .max = 9},
    {.type = FIELD_END},
};
static const struct field part_row[] = {{.type = FIELD_OBJECT, .table = part_table}};
static const struct field id_row[] = {{.type = FIELD_UINT32, .min = 1, .max = 9}};
static const struct field whole_table[] = {
    {.name = "parts",
     .type = FIELD_ROWS,
     FIELD_MEMBER(struct whole, parts),
     .flags = FIELD_REQUIRED | FIELD_CUT,
     .max = 2,
     .table = part_row,
     .stride = sizeof(struct part),
     .count = offsetof(struct whole, part_count)},
    {.name = "ids",
     .type = FIELD_ROWS,
     FIELD_MEMBER(struct whole, ids),
     .flags = FIELD_HEAP | FIELD_BRIEF,
     .max = 3,
     .table = id_row,
     .stride = sizeof(uint32_t),
     .count = offsetof(struct whole, id_count)},
    {.name = "span",
     .type = FIELD_TUPLE,
     .table = span_table,
     .unit = "[first, last]",
     FIELD_HAS(struct whole, has_span)},
    {.name = "inner",
     .type = FIELD_OBJECT,
     FIELD_MEMBER(struct whole, inner),
     .flags = FIELD_BRIEF,
     .table = brief_table},
    {.name = "exact",
     .type = FIELD_FLOAT,
     FIELD_MEMBER(struct whole, exact),
     .flags = FIELD_BRIEF | FIELD_EXACT,
     .min = -1,
     .max = 1},
    {.type = FIELD_END},
};

static int read_whole(const char *text, struct whole *whole, struct failure *failure) {
    cJSON *json = cJSON_Parse(text);
    assert_non_null(json);
    memset(whole, 0, sizeof *whole);
    const int result = fields_read(whole_table, json, "a", NULL, whole, NULL, failure);
    cJSON_Delete(json);
    return result;
}

static void reads_and_writes_what_nests(void **state) {
    static const char *const texts[] = {
        "{\"parts\":[]}",
        "{\"parts\":[{\"at\":[1,2]},{\"at\":[3,4],\"name\":\"b\"}],\"ids\":[7,8],\"span\":[0,5]}",
        "{\"parts\":[],\"inner\":{\"name\":\"c\"},\"exact\":-0}",
        "{\"parts\":[],\"exact\":0.10000000149011612}",
    };
    struct whole whole;
    struct failure failure;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(read_whole(texts[i], &whole, &failure), 0);
        struct buffer out;
        buffer_init(&out, 1000);
        struct json_writer json = json_writer_begin(&out);
        json_object(&json);
        fields_write(whole_table, &whole, &json);
        json_end(&json);
        assert_string_equal(out.data, texts[i]);
        buffer_fini(&out);
        free(whole.ids);
    }
    assert_int_equal(read_whole("{\"parts\":[{},{},{}]}", &whole, &failure), 0);
    assert_int_equal(whole.part_count, 2); /* the third is left out */
    static const char *const refused[][3] = {
        {"{}", "a.parts", "missing; expected an array"},
        {"{\"parts\":{}}", "a.parts", "expected an array, found an object"},
        {"{\"parts\":[7]}", "a.parts[0]", "expected an object, found a number"},
        {"{\"parts\":[{},{\"at\":[1,10]}]}", "a.parts[1].at[1]", "10 is out of range: -9 to 9"},
        {"{\"parts\":[],\"ids\":[1,2,3,4]}", "a.ids", "4 entries; allowed are 0 to 3"},
        {"{\"parts\":[],\"ids\":[1,0]}", "a.ids[1]", "0 is out of range: 1 to 9"},
        {"{\"parts\":[],\"span\":7}", "a.span", "expected [first, last], found a number"},
        {"{\"parts\":[],\"span\":[1]}", "a.span", "expected [first, last], found an array of 1"},
        {"{\"parts\":[],\"span\":[1,true]}", "a.span[1]", "expected an integer, found a bool"},
        {"{\"parts\":[],\"exact\":0.1}", "a.exact", "0.1 is no float"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_int_equal(read_whole(refused[i][0], &whole, &failure), -1);
        assert_string_equal(failure.field, refused[i][1]);
        assert_string_equal(failure.message, refused[i][2]);
        free(whole.ids);
    }
}

/* ==== common/json_writer and common/digits: structure, escapes, and every way of writing a number ==== */

static void writes_structure(void **state) {
    struct buffer out;
    buffer_init(&out, 4096);
    struct json_writer json = json_writer_begin(&out);
    json_object(&json);
    json_key_unsigned(&json, "tick", 7);
    json_key(&json, "list");
    json_array(&json);
    json_array(&json);
    json_end(&json);
    json_object(&json);
    json_end(&json);
    json_bool(&json, true);
    json_signed(&json, INT64_MIN);
    json_raw(&json, "null");
    json_end(&json);
    json_key_bool(&json, "no", false);
    json_key_hundredths(&json, "h", -5);
    json_key_number(&json, "n", 0.5);
    json_key_string(&json, "s", "a\"\\\n\x01\x7F\xC3\xA4");
    json_key(&json, "x");
    json_hex64(&json, UINT64_C(0x0123456789abcdef));
    json_end(&json);
    assert_string_equal(out.data, "{\"tick\":7,\"list\":[[],{},true,-9223372036854775808,null],\"no\":false,"
                                  "\"h\":-0.05,\"n\":0.5,\"s\":\"a\\\"\\\\\\n\\u0001\x7F\xC3\xA4\","
                                  "\"x\":\"0123456789abcdef\"}");
    assert_int_equal(json.depth, 0);
    buffer_fini(&out);
}

static void assert_number(double value, const char *expected) {
    char text[JSON_NUMBER_TEXT];
    assert_int_equal(json_number_text(text, value), strlen(expected));
    assert_string_equal(text, expected);
}

static void assert_float(float value, const char *expected) {
    char text[JSON_NUMBER_TEXT];
    assert_int_equal(json_float_text(text, value), strlen(expected));
    assert_string_equal(text, expected);
}

static void writes_short_numbers(void **state) {
    assert_number(0.0, "0");
    assert_number(-0.0, "0");
    assert_number(1.0, "1");
    assert_number(-1.0, "-1");
    assert_number(0.1, "0.1");
    assert_number(0.1 + 0.2, "0.30000000000000004");
    assert_number(1000000000.0, "1000000000");
    assert_number(123456789.25, "123456789.25");
    assert_number(0.01, "0.01");
    assert_number(1e300, "1e+300");
    assert_number(5e-324, "4.94066e-324");
    assert_number(DBL_MAX, "1.7976931348623157e+308");
    assert_float(0.1f, "0.1");
    assert_float(240.0f, "240");
    assert_float(1e9f, "1000000000");
    assert_float(1.0f / 3.0f, "0.33333334");
}

static double random_double(uint64_t *random) {
    for (;;) {
        const uint64_t bits = test_random(random);
        double value = 0.0;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) {
            return value;
        }
    }
}

static void numbers_read_back(void **state) {
    uint64_t random = 1;
    for (int i = 0; i < 20000; i++) {
        char text[JSON_NUMBER_TEXT];
        const double value = random_double(&random);
        (void)json_number_text(text, value);
        assert_true(strtod(text, NULL) == value);
        const float small = (float)test_below(&random, 1000000) / 997.0f;
        (void)json_float_text(text, small);
        assert_true(strtof(text, NULL) == small);
    }
}

static void a_locale_changes_nothing(void **state) {
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    const char *found = NULL;
    for (size_t i = 0; found == NULL && i < sizeof locales / sizeof locales[0]; i++) {
        found = setlocale(LC_NUMERIC, locales[i]);
    }
    if (found == NULL) {
        skip();
    }
    assert_number(0.5, "0.5");
    assert_number(0.1 + 0.2, "0.30000000000000004");
    assert_float(0.1f, "0.1");
    (void)setlocale(LC_NUMERIC, "C");
}

static void check_hundredths(int32_t value) {
    char text[DIGITS_SLACK + 16];
    char expected[32];
    const int64_t wide = value;
    const long long positive = wide < 0 ? -wide : wide;
    (void)snprintf(expected, sizeof expected, "%s%lld.%02lld", value < 0 ? "-" : "", positive / 100,
                   positive % 100);
    *digits_write_hundredths(text, value) = '\0';
    assert_string_equal(text, expected);
}

static void check_u32(uint32_t value) {
    char text[DIGITS_SLACK + 16];
    char expected[32];
    (void)snprintf(expected, sizeof expected, "%lu", (unsigned long)value);
    *digits_write_u32(text, value) = '\0';
    assert_string_equal(text, expected);
}

static void writes_integers(void **state) {
    for (int32_t value = -20000; value <= 20000; value++) {
        check_hundredths(value);
    }
    for (uint32_t value = 0; value < 20000; value++) {
        check_u32(value);
    }
    for (uint64_t power = 1; power < UINT64_C(10000000000); power *= 10) {
        for (int delta = -2; delta <= 2; delta++) {
            const int64_t value = (int64_t)power + delta;
            if (value >= 0 && value <= UINT32_MAX) {
                check_u32((uint32_t)value);
            }
            if (value <= INT32_MAX) {
                check_hundredths((int32_t)value);
                check_hundredths((int32_t)-value);
            }
        }
    }
    check_hundredths(INT32_MIN);
    check_hundredths(INT32_MAX);
    check_u32(UINT32_MAX);
    uint64_t random = 3;
    for (int i = 0; i < 100000; i++) {
        const uint64_t bits = test_random(&random);
        const unsigned shift = (unsigned)(bits >> 59);
        check_u32((uint32_t)bits >> shift);
        check_hundredths((int32_t)((uint32_t)bits >> shift));
        check_hundredths((int32_t)(0u - ((uint32_t)bits >> shift)));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_type),        cmocka_unit_test(reads_and_writes_names),
        cmocka_unit_test(leaves_the_absent_alone), cmocka_unit_test(says_what_was_found_and_what_is_allowed),
        cmocka_unit_test(paths_are_joined),        cmocka_unit_test(sets_and_gets_numbers),
        cmocka_unit_test(writes_what_it_reads),    cmocka_unit_test(reads_and_writes_what_nests),
        cmocka_unit_test(writes_structure),        cmocka_unit_test(writes_short_numbers),
        cmocka_unit_test(numbers_read_back),       cmocka_unit_test(a_locale_changes_nothing),
        cmocka_unit_test(writes_integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
