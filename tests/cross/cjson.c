/* The part of cJSON that reads scenarios and frames, and changes a scenario, for processors for which Debian has no libcjson.
 *
 * Only for this test: texts are right (json_check has passed them, or this program wrote them), so nothing is
 * checked here. The nodes are those of cJSON's own header, so code that walks the tree sees no difference.
 * Out of memory ends the program.
 */
#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void *need(void *memory) {
    if (memory == NULL) {
        abort();
    }
    return memory;
}

static const char *skip(const char *at) {
    return at + strspn(at, " \t\r\n");
}

/* One character in UTF-8; returns one past its end. */
static char *put_utf8(char *out, unsigned long point) {
    if (point < 0x80) {
        *out++ = (char)point;
        return out;
    }
    const int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    static const unsigned long first[] = {0, 0xc0, 0xe0, 0xf0};
    *out++ = (char)(first[more] | point >> 6 * more);
    for (int i = more - 1; i >= 0; i--) {
        *out++ = (char)(0x80 | (point >> 6 * i & 0x3f));
    }
    return out;
}

static unsigned long four_digits(const char *at) {
    char digits[5] = {0};
    memcpy(digits, at, 4);
    return strtoul(digits, NULL, 16);
}

/* at: behind the backslash; returns one past the escape. */
static const char *read_escape(const char *at, char **out) {
    static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
    const char *letter = strchr(letters, *at);
    if (*at != 'u') {
        *(*out)++ = letter != NULL ? meanings[letter - letters] : *at;
        return at + 1;
    }
    unsigned long point = four_digits(at + 1);
    at += 5;
    if (point >= 0xd800 && point < 0xdc00) { /* the other half follows: \uXXXX */
        point = 0x10000 + ((point - 0xd800) << 10) + (four_digits(at + 2) - 0xdc00);
        at += 6;
    }
    *out = put_utf8(*out, point);
    return at;
}

/* at: behind the opening quote; returns one past the closing one. */
static const char *read_string(const char *at, char **string) {
    size_t length = 0;
    for (; at[length] != '"'; length += at[length] == '\\' ? 2 : 1) {}
    char *out = *string = need(malloc(length + 1));
    while (*at != '"') {
        if (*at == '\\') {
            at = read_escape(at + 1, &out);
        } else {
            *out++ = *at++;
        }
    }
    *out = '\0';
    return at + 1;
}

static const char *read_value(const char *at, cJSON *node);

/* at: behind the bracket. As cJSON has it, the first child's `prev` is the last one. */
static const char *read_members(const char *at, cJSON *parent, char end) {
    for (at = skip(at); *at != end; at = skip(at)) {
        cJSON *child = need(calloc(1, sizeof *child));
        cJSON *last = parent->child == NULL ? child : parent->child->prev;
        if (parent->child == NULL) {
            parent->child = child;
        } else {
            last->next = child;
            child->prev = last;
        }
        parent->child->prev = child;
        if (parent->type == cJSON_Object) {
            at = skip(read_string(at + 1, &child->string)) + 1; /* the colon */
        }
        at = skip(read_value(skip(at), child));
        at += *at == ',';
    }
    return at + 1;
}

static const char *read_value(const char *at, cJSON *node) {
    char *end = NULL;
    switch (*at) {
    case '{':
        node->type = cJSON_Object;
        return read_members(at + 1, node, '}');
    case '[':
        node->type = cJSON_Array;
        return read_members(at + 1, node, ']');
    case '"':
        node->type = cJSON_String;
        return read_string(at + 1, &node->valuestring);
    case 't':
        node->type = cJSON_True;
        return at + 4;
    case 'f':
        node->type = cJSON_False;
        return at + 5;
    case 'n':
        node->type = cJSON_NULL;
        return at + 4;
    default:
        node->type = cJSON_Number;
        node->valuedouble = strtod(at, &end);
        return end;
    }
}

CJSON_PUBLIC(cJSON *)
cJSON_ParseWithLengthOpts(const char *value, size_t length, const char **end, cJSON_bool ends_with_nul) {
    char *text = need(malloc(length + 1));
    cJSON *root = need(calloc(1, sizeof *root));
    memcpy(text, value, length);
    text[length] = '\0';
    const char *after = read_value(skip(text), root);
    if (end != NULL) {
        *end = value + (after - text);
    }
    free(text);
    (void)ends_with_nul;
    return root;
}

CJSON_PUBLIC(cJSON *) cJSON_ParseWithLength(const char *value, size_t length) {
    return cJSON_ParseWithLengthOpts(value, length, NULL, 0);
}

CJSON_PUBLIC(void) cJSON_Delete(cJSON *item) {
    while (item != NULL) {
        cJSON *next = item->next;
        cJSON_Delete(item->child);
        free(item->valuestring);
        free(item->string);
        free(item);
        item = next;
    }
}

CJSON_PUBLIC(int) cJSON_GetArraySize(const cJSON *array) {
    int count = 0;
    for (const cJSON *child = array != NULL ? array->child : NULL; child != NULL; child = child->next) {
        count++;
    }
    return count;
}

CJSON_PUBLIC(cJSON *) cJSON_GetArrayItem(const cJSON *array, int index) {
    cJSON *child = array == NULL ? NULL : array->child;
    while (child != NULL && index-- > 0) {
        child = child->next;
    }
    return child;
}

CJSON_PUBLIC(cJSON *) cJSON_GetObjectItemCaseSensitive(const cJSON *object, const char *name) {
    cJSON *child = object == NULL || object->type != cJSON_Object ? NULL : object->child;
    while (child != NULL && strcmp(child->string, name) != 0) {
        child = child->next;
    }
    return child;
}

CJSON_PUBLIC(cJSON_bool) cJSON_HasObjectItem(const cJSON *object, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(object, name) != NULL; /* cJSON: whatever the case is */
}

static cJSON_bool has_type(const cJSON *item, int type) {
    return item != NULL && item->type == type;
}

CJSON_PUBLIC(char *) cJSON_GetStringValue(const cJSON *item) {
    return cJSON_IsString(item) ? item->valuestring : NULL;
}

CJSON_PUBLIC(cJSON_bool) cJSON_IsFalse(const cJSON *item) {
    return has_type(item, cJSON_False);
}

CJSON_PUBLIC(cJSON_bool) cJSON_IsTrue(const cJSON *item) {
    return has_type(item, cJSON_True);
}

CJSON_PUBLIC(cJSON_bool) cJSON_IsBool(const cJSON *item) {
    return has_type(item, cJSON_True) || has_type(item, cJSON_False);
}

CJSON_PUBLIC(cJSON_bool) cJSON_IsNumber(const cJSON *item) {
    return has_type(item, cJSON_Number);
}

CJSON_PUBLIC(cJSON_bool) cJSON_IsString(const cJSON *item) {
    return has_type(item, cJSON_String);
}

CJSON_PUBLIC(cJSON_bool) cJSON_IsArray(const cJSON *item) {
    return has_type(item, cJSON_Array);
}

CJSON_PUBLIC(cJSON_bool) cJSON_IsObject(const cJSON *item) {
    return has_type(item, cJSON_Object);
}

CJSON_PUBLIC(cJSON_bool) cJSON_IsRaw(const cJSON *item) {
    return has_type(item, cJSON_Raw);
}

/* ---- changing a tree ---- */

CJSON_PUBLIC(void *) cJSON_malloc(size_t size) {
    return need(malloc(size));
}

CJSON_PUBLIC(void) cJSON_free(void *object) {
    free(object);
}

static char *copy_text(const char *text) {
    return text == NULL ? NULL : memcpy(need(malloc(strlen(text) + 1)), text, strlen(text) + 1);
}

static cJSON *new_node(int type, const char *text) {
    cJSON *node = need(calloc(1, sizeof *node));
    node->type = type;
    node->valuestring = copy_text(text);
    return node;
}

CJSON_PUBLIC(cJSON *) cJSON_CreateObject(void) {
    return new_node(cJSON_Object, NULL);
}

CJSON_PUBLIC(cJSON *) cJSON_CreateArray(void) {
    return new_node(cJSON_Array, NULL);
}

CJSON_PUBLIC(cJSON *) cJSON_CreateRaw(const char *raw) {
    return new_node(cJSON_Raw, raw);
}

/* Where the pointer to this child is, or the one behind the last. */
static cJSON **place_of(cJSON *parent, const cJSON *child) {
    cJSON **place = &parent->child;
    while (*place != NULL && *place != child) {
        place = &(*place)->next;
    }
    return place;
}

CJSON_PUBLIC(cJSON_bool) cJSON_AddItemToArray(cJSON *array, cJSON *item) {
    *place_of(array, NULL) = item;
    return 1;
}

CJSON_PUBLIC(cJSON_bool) cJSON_AddItemToObject(cJSON *object, const char *string, cJSON *item) {
    char *key = copy_text(string); /* it may be the item's */
    free(item->string);
    item->string = key;
    return cJSON_AddItemToArray(object, item);
}

CJSON_PUBLIC(cJSON *) cJSON_DetachItemViaPointer(cJSON *parent, cJSON *item) {
    *place_of(parent, item) = item->next;
    item->next = NULL;
    return item;
}

CJSON_PUBLIC(cJSON_bool)
cJSON_ReplaceItemInObjectCaseSensitive(cJSON *object, const char *string, cJSON *fresh) {
    cJSON **place = place_of(object, cJSON_GetObjectItemCaseSensitive(object, string)), *old = *place;
    if (old == NULL) {
        return 0;
    }
    free(fresh->string);
    fresh->string = copy_text(string);
    fresh->next = old->next;
    *place = fresh;
    old->next = NULL;
    cJSON_Delete(old);
    return 1;
}

CJSON_PUBLIC(cJSON *) cJSON_Duplicate(const cJSON *item, cJSON_bool recurse) {
    cJSON *copy = new_node(item->type, item->valuestring);
    copy->valuedouble = item->valuedouble;
    copy->valueint = item->valueint;
    copy->string = copy_text(item->string);
    for (const cJSON *child = recurse ? item->child : NULL; child != NULL; child = child->next) {
        (void)cJSON_AddItemToArray(copy, cJSON_Duplicate(child, recurse));
    }
    return copy;
}

struct text {
    char *data;
    size_t length;
};

static void add(struct text *text, const char *more) {
    const size_t length = strlen(more);
    text->data = need(realloc(text->data, text->length + length + 1));
    memcpy(text->data + text->length, more, length + 1);
    text->length += length;
}

/* Keys are names, strings and numbers raw. */
static void add_node(struct text *text, const cJSON *node) {
    const cJSON_bool is_object = cJSON_IsObject(node);
    if (!is_object && !cJSON_IsArray(node)) {
        add(text, cJSON_IsRaw(node)     ? node->valuestring
                  : cJSON_IsTrue(node)  ? "true"
                  : cJSON_IsFalse(node) ? "false"
                                        : "null");
        return;
    }
    add(text, is_object ? "{" : "[");
    for (const cJSON *child = node->child; child != NULL; child = child->next) {
        if (is_object) {
            add(text, "\"");
            add(text, child->string);
            add(text, "\":");
        }
        add_node(text, child);
        add(text, child->next == NULL ? "" : ",");
    }
    add(text, is_object ? "}" : "]");
}

CJSON_PUBLIC(char *) cJSON_PrintUnformatted(const cJSON *item) {
    struct text text = {NULL, 0};
    add_node(&text, item);
    return text.data;
}
