// SPDX-License-Identifier: Apache-2.0
#include "report/render_page.h"

#include <string_view>

#include "report/assets.h"

namespace contraflow::report {
namespace {

using json = nlohmann::ordered_json;

std::string escape_html(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        default: out += c;
        }
    }
    return out;
}

// JSON has '<' only inside strings, where an escape means the same: neither "</script>" nor "<!--" can appear.
std::string escape_for_script(std::string_view text) {
    std::string out;
    out.reserve(text.size() + text.size() / 16);
    for (const char c : text) {
        if (c == '<') {
            out += "\\u003c";
        } else {
            out += c;
        }
    }
    return out;
}

// Bytes that are not UTF-8 are replaced, because a name from a file must not prevent the report.
std::string dump(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

std::string title_of(const json& report) {
    for (const char* key : {"title", "platform"}) {
        const auto found = report.find(key);
        if (found != report.end() && found->is_string() && !found->get_ref<const std::string&>().empty()) {
            // Through JSON and back, so that the title is valid UTF-8 as well.
            return json::parse(dump(*found)).get<std::string>();
        }
    }
    return "Contraflow report";
}

}  // namespace

std::string render_page(const json& report) {
    const std::string title = escape_html(report.is_object() ? title_of(report) : "Contraflow report");
    const std::string data = escape_for_script(dump(report));
    const std::string licence = escape_html(assets::echarts_licence());

    const auto content = [&](std::string_view name) -> std::string_view {
        if (name == "title") return title;
        if (name == "style") return assets::page_css();
        if (name == "errors") return assets::errors_js();
        if (name == "licence") return licence;
        if (name == "report") return data;
        if (name == "echarts") return assets::echarts_js();
        if (name == "script") return assets::page_js();
        return {};
    };

    // One pass over the template only: inserted text is not searched for placeholders.
    std::string_view rest = assets::page_html();
    std::string page;
    page.reserve(rest.size() + data.size() + licence.size() + assets::page_css().size() + assets::page_js().size() +
                 assets::echarts_js().size() + 1024);
    for (auto open = rest.find("{{"); open != std::string_view::npos; open = rest.find("{{")) {
        const auto close = rest.find("}}", open);
        page += rest.substr(0, open);
        page += content(rest.substr(open + 2, close - open - 2));
        rest.remove_prefix(close + 2);
    }
    page += rest;
    return page;
}

}  // namespace contraflow::report
