/* In place of the page's files, in a build without the page. See web_assets.h. */
#include "server/web/web_assets.h"

const struct web_asset web_assets[] = {{.name = ""}};
const size_t web_asset_count = 0;
