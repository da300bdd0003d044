/* The page's side of config.h: the browser keeps the settings, as the text that the window has in its file. */
#ifndef DROVER_WEB_PAGE_CONFIG_H
#define DROVER_WEB_PAGE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

/** The text that the browser kept. Whether there was memory for it. */
bool page_config_begin(const char *text, size_t length);

#endif
