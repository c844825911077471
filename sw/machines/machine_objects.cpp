// SPDX-License-Identifier: Apache-2.0
#include "machines/machine_objects.h"

#include <fmt/format.h>

namespace contraflow::machines {

std::string to_text(const pci_address& at) {
    return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", at.domain, at.bus, at.device, at.function);
}

std::string printable(std::string text) {
    for (char& c : text)
        if (c < 0x20 || c > 0x7e) c = '?';
    return text;
}

}  // namespace contraflow::machines
