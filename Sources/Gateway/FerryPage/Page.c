#include "FerryPage.h"

// Each file as it is: #embed is of C23, and clang has it in all languages.
#pragma clang diagnostic ignored "-Wc23-extensions"
static const unsigned char index_html[] = {
#embed "files/index.html"
};
static const unsigned char style_css[] = {
#embed "files/style.css"
};
static const unsigned char icon_svg[] = {
#embed "files/icon.svg"
};
static const unsigned char boot_js[] = {
#embed "files/boot.js"
};
static const unsigned char app_js[] = {
#embed "files/app.js"
};
static const unsigned char commands_js[] = {
#embed "files/commands.js"
};
static const unsigned char dom_js[] = {
#embed "files/dom.js"
};
static const unsigned char api_js[] = {
#embed "files/api.js"
};
static const unsigned char worker_js[] = {
#embed "files/worker.js"
};
static const unsigned char store_js[] = {
#embed "files/store.js"
};
static const unsigned char query_js[] = {
#embed "files/query.js"
};
static const unsigned char clock_js[] = {
#embed "files/clock.js"
};
static const unsigned char choices_js[] = {
#embed "files/choices.js"
};
static const unsigned char address_js[] = {
#embed "files/address.js"
};
static const unsigned char words_js[] = {
#embed "files/words.js"
};
static const unsigned char command_js[] = {
#embed "files/command.js"
};
static const unsigned char format_js[] = {
#embed "files/format.js"
};
static const unsigned char text_js[] = {
#embed "files/text.js"
};
static const unsigned char more_js[] = {
#embed "files/more.js"
};
static const unsigned char list_js[] = {
#embed "files/list.js"
};
static const unsigned char row_js[] = {
#embed "files/row.js"
};
static const unsigned char toolbar_js[] = {
#embed "files/toolbar.js"
};
static const unsigned char detail_js[] = {
#embed "files/detail.js"
};
static const unsigned char chart_js[] = {
#embed "files/chart.js"
};
static const unsigned char add_js[] = {
#embed "files/add.js"
};
static const unsigned char links_js[] = {
#embed "files/links.js"
};
static const unsigned char curl_js[] = {
#embed "files/curl.js"
};
static const unsigned char metalink_js[] = {
#embed "files/metalink.js"
};
static const unsigned char drop_js[] = {
#embed "files/drop.js"
};
static const unsigned char keys_js[] = {
#embed "files/keys.js"
};
static const unsigned char ends_js[] = {
#embed "files/ends.js"
};
static const unsigned char actions_js[] = {
#embed "files/actions.js"
};
static const unsigned char notices_js[] = {
#embed "files/notices.js"
};
static const unsigned char dialogs_js[] = {
#embed "files/dialogs.js"
};
static const unsigned char change_js[] = {
#embed "files/change.js"
};
static const unsigned char texts_en_js[] = {
#embed "files/texts/en.js"
};
static const unsigned char texts_en_more_js[] = {
#embed "files/texts/en-more.js"
};
static const unsigned char texts_de_js[] = {
#embed "files/texts/de.js"
};
static const unsigned char texts_de_more_js[] = {
#embed "files/texts/de-more.js"
};

#define FILE(path, type, bytes) {path, type, bytes, sizeof bytes}
#define SCRIPT(path, bytes) FILE(path, "text/javascript; charset=utf-8", bytes)

static const FerryPageFile files[] = {
    FILE("/", "text/html; charset=utf-8", index_html),
    FILE("/style.css", "text/css; charset=utf-8", style_css),
    FILE("/icon.svg", "image/svg+xml", icon_svg),
    SCRIPT("/boot.js", boot_js),
    SCRIPT("/app.js", app_js),
    SCRIPT("/commands.js", commands_js),
    SCRIPT("/dom.js", dom_js),
    SCRIPT("/api.js", api_js),
    SCRIPT("/worker.js", worker_js),
    SCRIPT("/store.js", store_js),
    SCRIPT("/query.js", query_js),
    SCRIPT("/clock.js", clock_js),
    SCRIPT("/choices.js", choices_js),
    SCRIPT("/address.js", address_js),
    SCRIPT("/words.js", words_js),
    SCRIPT("/command.js", command_js),
    SCRIPT("/format.js", format_js),
    SCRIPT("/text.js", text_js),
    SCRIPT("/more.js", more_js),
    SCRIPT("/list.js", list_js),
    SCRIPT("/row.js", row_js),
    SCRIPT("/toolbar.js", toolbar_js),
    SCRIPT("/detail.js", detail_js),
    SCRIPT("/chart.js", chart_js),
    SCRIPT("/add.js", add_js),
    SCRIPT("/links.js", links_js),
    SCRIPT("/curl.js", curl_js),
    SCRIPT("/metalink.js", metalink_js),
    SCRIPT("/drop.js", drop_js),
    SCRIPT("/keys.js", keys_js),
    SCRIPT("/ends.js", ends_js),
    SCRIPT("/actions.js", actions_js),
    SCRIPT("/notices.js", notices_js),
    SCRIPT("/dialogs.js", dialogs_js),
    SCRIPT("/change.js", change_js),
    SCRIPT("/texts/en.js", texts_en_js),
    SCRIPT("/texts/en-more.js", texts_en_more_js),
    SCRIPT("/texts/de.js", texts_de_js),
    SCRIPT("/texts/de-more.js", texts_de_more_js),
};

size_t ferry_page_count(void) { return sizeof files / sizeof files[0]; }

FerryPageFile ferry_page_file(size_t place) { return files[place]; }
