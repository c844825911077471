// SPDX-License-Identifier: Apache-2.0
#include "config/type_description.h"

#include <fmt/format.h>

namespace contraflow::config {

const field* structure::find(std::string_view key) const {
    for (const auto& f : fields) {
        if (f.key == key) return &f;
    }
    return nullptr;
}

std::vector<std::string> structure::keys() const {
    std::vector<std::string> all;
    all.reserve(fields.size());
    for (const auto& f : fields) all.push_back(f.key);
    return all;
}

const type_description& scalar_of(const type_description& type) {
    const auto* t = &type;
    while (t->form == shape::list || t->form == shape::optional) t = t->element();
    return *t;
}

std::string allowed_text(const field& f) {
    const auto& type = scalar_of(*f.type);
    std::string out;
    if (f.low && f.high)
        out = fmt::format("{} to {}", type.write(f.low->get()), type.write(f.high->get()));
    else if (f.low)
        out = fmt::format("at least {}", type.write(f.low->get()));
    const auto also = [&out](std::string_view what) { out += fmt::format("{}{}", out.empty() ? "" : ", ", what); };
    if (f.power_of_two) also("a power of two");
    for (const auto& c : f.checks) also(c.allowed);
    return out;
}

}  // namespace contraflow::config
