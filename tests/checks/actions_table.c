/* Prints the actions of keys, mouse and panels as rows of the table in docs/viewer.md, for actions_doc.py. With an argument:
 * a line for each control of the panels, "MEMBER window page" with "-" where it is missing. */
#include <stdio.h>

#include "viewer/model/shortcuts.h"
#include "viewer/panels/panel_controls.h"

static const char *or_yes(const char *why_not) {
    return why_not != NULL ? why_not : "yes";
}

static void print_page(const struct shortcut *row) {
    if (row->no_page != NULL || row->page_way == NULL) {
        printf("%s |\n", or_yes(row->no_page));
    } else {
        printf("yes; also: %s |\n", row->page_way);
    }
}

/* A row with a key of its own, or a setting that has a control in the panel alone. */
static void print_shortcut(const struct shortcut *row) {
    if (row->name[0] != '\0') {
        printf("| `%s` | %s | yes | ", row->name, row->help);
        print_page(row);
    } else if (row->label != NULL) {
        printf("| list: %s | %s | yes | ", row->label, row->setting.help);
        print_page(row);
    }
}

int main(int argc, char **argv) {
    size_t count = 0, control_count = 0;
    const struct shortcut *rows = shortcuts_table(&count);
    const struct panel_control *controls = panel_controls(&control_count);
    for (size_t i = 0; argc < 2 && i < count; i++) {
        print_shortcut(&rows[i]);
    }
    for (size_t i = 0; i < control_count; i++) {
        const struct panel_control *row = &controls[i];
        if (argc < 2) {
            printf("| %s | %s | %s | %s |\n", row->name, row->help, or_yes(row->no_window),
                   or_yes(row->no_page));
        } else {
            printf("%s %s %s\n", row->member, row->no_window != NULL ? "-" : "window",
                   row->no_page != NULL ? "-" : "page");
        }
    }
    (void)argv;
    return 0;
}
