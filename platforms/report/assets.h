// SPDX-License-Identifier: Apache-2.0
// The files that the binary carries: the page's template, style and scripts (page/), and Apache ECharts with its
// licence.
#pragma once

#include <string_view>

namespace contraflow::report::assets {

std::string_view page_html();  // with places {{title}}, {{style}}, ... to fill
std::string_view page_css();
std::string_view errors_js();  // runs first: collects the errors of the other scripts
std::string_view page_js();
std::string_view echarts_js();
std::string_view echarts_licence();  // plain text: notice, licence and that of its parts

}  // namespace contraflow::report::assets
