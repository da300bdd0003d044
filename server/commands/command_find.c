/* See command_find.h. */
#include "server/commands/command_find.h"

#include "common/text/nearest_name.h"
#include "common/text/text_list.h"

void command_list_name(char list[NAME_LIST_BYTES], const char *name, bool quoted) {
    text_list_add(list, NAME_LIST_BYTES, name, quoted);
}

int command_find_kind(const struct world *world, const char *name, struct failure *failure) {
    const int kind = world_find_kind(world, name);
    if (kind >= 0) {
        return kind;
    }
    char list[NAME_LIST_BYTES] = "";
    struct nearest_name nearest = nearest_name_begin(name);
    for (int k = 0; k < world_kind_count(world); k++) {
        command_list_name(list, world_kind(world, k)->name, true);
        nearest_name_offer(&nearest, world_kind(world, k)->name);
    }
    char hint[NEAREST_HINT_BYTES];
    nearest_name_hint(&nearest, hint);
    return failure_set(failure, FAILURE_NO_KIND, "kind", "no kind \"%s\"%s; this scenario has %s", name, hint,
                       list[0] == '\0' ? "none" : list);
}

int command_find_target(const struct world *world, const char *name, const char *field,
                        struct failure *failure) {
    const int target = world_find_target(world, name);
    if (target >= 0) {
        return target;
    }
    char list[NAME_LIST_BYTES] = "";
    struct nearest_name nearest = nearest_name_begin(name);
    for (int t = 0; t < world_target_count(world); t++) {
        command_list_name(list, world_target_name(world, t), true);
        nearest_name_offer(&nearest, world_target_name(world, t));
    }
    char hint[NEAREST_HINT_BYTES];
    nearest_name_hint(&nearest, hint);
    return failure_set(failure, FAILURE_NO_TARGET, field, "no target \"%s\"%s; this scenario has %s", name,
                       hint, list[0] == '\0' ? "none" : list);
}
