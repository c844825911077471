// SPDX-License-Identifier: Apache-2.0
// What a load/store unit says of accesses that cannot be carried out.
#include <fmt/format.h>

#include "gpu/kernel_launch.h"
#include "gpu/load_store_unit.h"

namespace contraflow::gpu {

access_fault load_store_unit::fault(const wavefront& w, access_kind kind, const line_request& line,
                                    access_fault::reason why, const std::string& wrong,
                                    const std::string& expected) const {
    const char* const what = kind == access_kind::load ? "load" : kind == access_kind::store ? "store" : "atomic";
    const cta_context& c = w.cta();
    return {why, c.process, line.address, shared_.events.now(),
            fmt::format("{} of {} bytes at {:#x}, {}: process {}, GPU {}, unit {}, wavefront {} of CTA {} of kernel "
                        "'{}'; expected {}",
                        what, line.length, line.address, wrong, c.process, machine_.map.first() + spec_.socket,
                        spec_.number, w.index(), c.number, c.launch->name(), expected)};
}

// Of the first lane that is misaligned: the line's bytes mean nothing.
void load_store_unit::refuse_misaligned(const wavefront& w, const wave_access& a, const line_request& line) const {
    line_request of_lane;
    of_lane.length = a.element_bytes;
    for (mask m = line.lanes; m.any() && of_lane.lanes.none(); m = m.without_lowest())
        if (a.address[m.lowest()] % a.element_bytes != 0) {
            of_lane.lanes = mask::lane(m.lowest());
            of_lane.address = a.address[m.lowest()];
        }
    throw fault(w, a.kind, of_lane, access_fault::reason::misaligned,
                fmt::format("misaligned in lane {}", of_lane.lanes.lowest()),
                fmt::format("an address that is a multiple of {}", a.element_bytes));
}

std::uint64_t load_store_unit::translate_at_once(const wavefront& w, const wave_access& a, const line_request& line) {
    try {
        return machine_.pages.translate(line.address, spec_.socket);
    } catch (const std::out_of_range&) {
        throw fault(w, a.kind, line, access_fault::reason::unmapped, "where nothing is mapped",
                    "an address that is allocated");
    }
}

access_fault load_store_unit::page_fault(const request& r, const memory::translation_request& answered) const {
    using reason = access_fault::reason;
    if (answered.status == memory::translation_status::unmapped)
        return fault(*r.wave, r.kind, r.line, reason::unmapped, "where nothing is mapped",
                     "an address that is allocated");
    if (answered.page.rights == memory::access_rights::none)
        return fault(*r.wave, r.kind, r.line, reason::closed, "in a page that is closed", "a page that may be used");
    return fault(*r.wave, r.kind, r.line, reason::read_only, "in a page for reading only",
                 "a page that may be written");
}

}  // namespace contraflow::gpu
