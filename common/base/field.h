/* A row of a table that describes a member of a C struct: how it is called outside, its type, its range, its
 * unit.
 *
 * One table of rows serves reading a request or a scenario, writing it, get_params, set_param and --help, so
 * adding a parameter is adding a row. This header needs limits.h alone: the simulation core uses it too.
 */
#ifndef DROVER_COMMON_BASE_FIELD_H
#define DROVER_COMMON_BASE_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/limits.h"

enum field_type {
    FIELD_FLOAT,  /* float */
    FIELD_DOUBLE, /* double */
    FIELD_ANGLE,  /* float, radians in the struct; degrees outside (min, max, initial are degrees) */
    FIELD_RANGE,  /* struct field_range; outside a number, or [low, high] to draw from */
    FIELD_POINT,  /* float[2] (a vec2); outside [x, y]; min and max hold for both */
    FIELD_UINT32, /* uint32_t; an integer */
    FIELD_INT32,  /* int32_t; an integer, also below 0 */
    FIELD_UINT64, /* uint64_t; an integer up to 2^53-1 */
    FIELD_BOOL,   /* bool */
    FIELD_CHOICE, /* int; outside one of the names in `choices` (a NULL-ended list), its index in the struct
                   */
    FIELD_NAME,   /* char[LIMIT_NAME_CHARS + 1]; outside a string of [A-Za-z0-9_-], 1 to 31 characters */
    FIELD_TEXT,   /* char[size]; outside any string whose UTF-8 fits */
    FIELD_NAMES,  /* char[size]; outside an array of such names, inside one space between them; a name
                     that is repeated counts once */
    FIELD_SHAPED, /* an array of a form of its own, which `unit` says ("[x, y, radius]"); its reader and
                     writer are the caller's, the tables only know that it is there. max: of how many; 0: as
                     unit says */
    FIELD_OBJECT, /* a struct; outside an object with the members of `table` */
    FIELD_TUPLE, /* a struct; outside an array of the members of `table`, in their order: `unit` says which */
    FIELD_ROWS,  /* an array of structs or values; outside an array whose entries each are as the one row of
                     `table`. min, max: how many; unit: as of a tuple; help: what they are, or NULL */
    FIELD_END,   /* ends a table */
};

/** low <= high; low == high is a fixed value. */
struct field_range {
    float low, high;
};

enum field_flag {
    FIELD_REQUIRED = 1, /* reading fails when it is missing */
    FIELD_PARAM = 2,    /* a number that set_param may change while the world runs */
    FIELD_LIST = 4,     /* a text: an option that may be repeated; its values have a space between them */
    FIELD_COLUMN = 8,   /* a number of a request, or an array or base64 of many, which the op's check reads */
    /* fields_write leaves it out when all its bits are 0, a text or rows when there are none, an object when all of it would be
     * left out */
    FIELD_BRIEF = 16,
    FIELD_EXACT = 32, /* numbers of a float or a double, also of a point: its bits come back, -0 among them */
    FIELD_CUT = 64,   /* rows: those beyond max are left out; otherwise they are refused */
    /* rows: the member is a pointer to them, NULL or malloc'd by reading, also when that fails */
    FIELD_HEAP = 128,
};

struct field {
    const char *name;
    enum field_type type;
    size_t offset; /* of the member in its struct */
    size_t size;   /* of the member, bytes */
    unsigned flags;
    double min, max;            /* numbers: what is allowed, inclusive */
    double initial;             /* numbers, choices: the value when it is left out */
    const char *const *choices; /* CHOICE: all there are; NAMES: NULL, or for people: its caller checks */
    const char *unit;           /* "px", "px/s", "mass*px/s^2", "deg/s", "1", ... */
    const char *help;           /* one sentence */
    size_t present; /* FIELD_HAS: where the bool is that says whether the member was there; 0: none */
    const struct field *table; /* OBJECT, TUPLE, ROWS */
    size_t stride, count;      /* ROWS: bytes of an entry; the offset of the int that counts them */
};

/** The float that is kept of a number from outside: the nearest one; 0, which has no sign, in place of what is nearer to 0
 * than LIMIT_SMALLEST. So the text that is written of it stands for the same bits, and what is divided by it stays finite.
 * Every number of a request or a scenario that becomes a float goes through here. */
static inline float field_float(double value) {
    const float nearest = (float)value, smallest = (float)LIMIT_SMALLEST;
    return nearest < smallest && nearest > -smallest ? 0.0f : nearest;
}

#define FIELD_MEMBER(structure, member) offsetof(structure, member), sizeof(((structure *)0)->member)
/* 1 more than the offset, which may be 0. */
#define FIELD_HAS(structure, member) .present = offsetof(structure, member) + 1

/** Whether the member was there, of a row that has such a bool. */
static inline bool field_is_present(const struct field *field, const void *object) {
    return *(const bool *)((const char *)object + field->present - 1);
}

#endif
