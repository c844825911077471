// SPDX-License-Identifier: Apache-2.0
#include "pcie_report/address_table.h"

#include <utility>

#include <fmt/format.h>

namespace contraflow::pcie_report {

face::table address_table(const std::vector<pcie::address_map::row>& rows, std::string id, std::string title) {
    face::table t;
    t.id = std::move(id);
    t.title = std::move(title);
    t.columns = {{"port or function", ""}, {"id", ""}, {"claims", ""}, {"from", ""}, {"to", ""}, {"holds", ""}};
    for (const auto& a : rows) {
        const bool any = a.range.size != 0;
        t.rows.push_back({a.name, to_text(a.id), a.kind, any ? fmt::format("{:#x}", a.range.base) : std::string("-"),
                          any ? fmt::format("{:#x}", a.range.last()) : std::string("-"), a.use});
    }
    t.note = "id: segment, bus, device, function; a window is what the bridge above a link forwards";
    t.on_terminal = false;
    return t;
}

}  // namespace contraflow::pcie_report
