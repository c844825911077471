// SPDX-License-Identifier: Apache-2.0
// Helpers that the tests of tlm/config share.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "config/config.h"
#include "rich_spec.h"

namespace contraflow::config_test {

inline std::string printed(const config::diagnostics& diag) {
    std::ostringstream out;
    diag.print(out);
    return out.str();
}

template <class S> struct attempt {
    config::loaded<S> got;
    std::string errors;
};

template <class S> attempt<S> try_load(const std::string& text, const std::vector<std::string>& sets = {}) {
    config::diagnostics diag;
    auto got = config::load<S>(config::source{"p.yaml", text}, sets, diag);
    return {std::move(got), printed(diag)};
}

// The error messages about a text; "" if it is accepted.
template <class S> std::string errors_of(const std::string& text, const std::vector<std::string>& sets = {}) {
    return try_load<S>(text, sets).errors;
}

}  // namespace contraflow::config_test
