/* See page_config.h. */
#include "web/page_config.h"

#include <stdlib.h>
#include <string.h>

#include "common/system/log.h"
#include "viewer/app/config.h"
#include "web/page_host.h"

/* What the browser has now, with a NUL; NULL for nothing. One page, one text. */
static char *kept_text;

bool page_config_begin(const char *text, size_t length) {
    char *copy = malloc(length + 1);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    free(kept_text);
    kept_text = copy;
    return true;
}

int config_load(struct view_settings *settings) {
    struct failure failure;
    if (kept_text == NULL || config_read(kept_text, strlen(kept_text), settings, &failure) == 0) {
        return 0;
    }
    log_write(LOG_WARN, "config", "the settings of an earlier visit are not used: %s", failure.message);
    free(kept_text);
    kept_text = NULL; /* the next change begins new ones */
    return 0;
}

int config_save(const struct view_settings *now, const struct view_settings *kept,
                const struct view_changes *changes, struct failure *failure) {
    if (!config_has_change(now, kept, changes)) {
        return 0;
    }
    const size_t length = kept_text != NULL ? strlen(kept_text) : 0;
    char *changed = config_change(kept_text, length, now, kept, changes, failure);
    if (changed == NULL) {
        return -1;
    }
    free(kept_text);
    kept_text = changed;
    page_host_keep(changed, strlen(changed));
    return 0;
}
