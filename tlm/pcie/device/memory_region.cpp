// SPDX-License-Identifier: Apache-2.0
#include "pcie/device/memory_region.h"

namespace contraflow::pcie {
namespace {

// Operands have 4 or 8 bytes, those of a compare-and-swap also 16 (6.15); they wrap around.
template <class T> void add(std::uint8_t* home, const std::uint8_t* operand) {
    T a, b;
    std::memcpy(&a, home, sizeof a);
    std::memcpy(&b, operand, sizeof b);
    a = static_cast<T>(a + b);
    std::memcpy(home, &a, sizeof a);
}

}  // namespace

access_result memory_region::request(inbound_request& r, const tlp& packet) {
    if (r.offset + r.length > bytes_.size()) return access_result::aborted;
    if (packet.kind == tlp_kind::deferrable_write) return write(r.offset, packet);
    if (packet.kind != tlp_kind::atomic) return access_result::done;
    const bool wide = packet.form == atomic_form::compare_and_swap && r.length == 16;
    if (packet.form == atomic_form::vendor_defined || (r.length != 4 && r.length != 8 && !wide))
        return access_result::unsupported;
    std::uint8_t* const home = bytes_.data() + r.offset;
    std::memcpy(r.old.data(), home, r.length);
    switch (packet.form) {
    case atomic_form::fetch_add:
        r.length == 4 ? add<std::uint32_t>(home, packet.data) : add<std::uint64_t>(home, packet.data);
        break;
    case atomic_form::swap: std::memcpy(home, packet.data, r.length); break;
    case atomic_form::compare_and_swap:
        if (std::memcmp(home, packet.data, r.length) == 0) std::memcpy(home, packet.data + r.length, r.length);
        break;
    case atomic_form::vendor_defined: break;
    }
    return access_result::done;
}

}  // namespace contraflow::pcie
