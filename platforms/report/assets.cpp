// SPDX-License-Identifier: Apache-2.0
#include "report/assets.h"

#include <cstdint>

// The assembler includes the files as they are: a megabyte costs no compile time, and the binary can be moved.
#define CF_FILE(path) ".incbin \"" path "\"\n"
#define CF_PAGE(name) CF_FILE(CF_PAGE_DIR "/" name)
#define CF_ECHARTS(name) CF_FILE(CF_ECHARTS_DIR "/" name)
#define CF_EMBED(symbol, files)                                                                                        \
    asm(".pushsection .rodata\n"                                                                                       \
        ".balign 8\n"                                                                                                  \
        ".global " #symbol "_size\n"                                                                                   \
        ".hidden " #symbol "_size\n" #symbol "_size:\n"                                                                \
        ".quad 1f - " #symbol "\n"                                                                                     \
        ".global " #symbol "\n"                                                                                        \
        ".hidden " #symbol "\n" #symbol ":\n" files "1:\n"                                                             \
        ".popsection\n");                                                                                              \
    extern "C" __attribute__((visibility("hidden"))) const char symbol[];                                              \
    extern "C" __attribute__((visibility("hidden"))) const std::uint64_t symbol##_size

CF_EMBED(contraflow_page_html, CF_PAGE("page.html"));
CF_EMBED(contraflow_page_css, CF_PAGE("page.css"));
CF_EMBED(contraflow_errors_js, CF_PAGE("errors.js"));
CF_EMBED(contraflow_page_js, CF_PAGE("format.js") CF_PAGE("theme.js") CF_PAGE("dom.js") CF_PAGE("table.js")
                                 CF_PAGE("figure.js") CF_PAGE("axis.js") CF_PAGE("heat.js") CF_PAGE("chart.js")
                                     CF_PAGE("timeline.js") CF_PAGE("tree.js") CF_PAGE("page.js"));
CF_EMBED(contraflow_echarts_js, CF_ECHARTS("echarts.min.js"));
CF_EMBED(contraflow_echarts_licence,
         CF_ECHARTS("NOTICE") ".ascii \"\\n\\n\"\n" CF_ECHARTS("LICENSE") CF_ECHARTS("LICENSE-d3"));

namespace contraflow::report::assets {

std::string_view page_html() { return {contraflow_page_html, contraflow_page_html_size}; }
std::string_view page_css() { return {contraflow_page_css, contraflow_page_css_size}; }
std::string_view errors_js() { return {contraflow_errors_js, contraflow_errors_js_size}; }
std::string_view page_js() { return {contraflow_page_js, contraflow_page_js_size}; }
std::string_view echarts_js() { return {contraflow_echarts_js, contraflow_echarts_js_size}; }
std::string_view echarts_licence() { return {contraflow_echarts_licence, contraflow_echarts_licence_size}; }

}  // namespace contraflow::report::assets
