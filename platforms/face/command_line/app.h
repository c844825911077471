// SPDX-License-Identifier: Apache-2.0
// Names CLI11's parser without its headers, which cost a compiler a tenth of a platform's main(). Include <CLI/App.hpp>
// where options are added.
#pragma once

namespace CLI {
class App;
}

namespace contraflow::face {

// Whether `option` is on the command line.
bool is_given(const CLI::App& app, const char* option);

}  // namespace contraflow::face
