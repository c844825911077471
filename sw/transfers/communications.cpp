// SPDX-License-Identifier: Apache-2.0
#include "transfers/communications.h"

#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "machines/input_file.h"
#include "text/text_fields.h"
#include "transfers/pattern_config.h"
#include "transfers/trace_csv.h"

namespace contraflow::transfers {
namespace {

class resolver {
public:
    resolver(const transfer_spec& from, const machines::configured_tree& tree, const machines::locator& where,
             config::diagnostics& diag)
        : from_(from),
          tree_(tree),
          endpoints_(tree.topology),
          where_(where),
          diag_(diag) {}

    std::optional<std::vector<pcie::model::communication>> run() {
        const auto before = diag_.errors();
        for (std::size_t i = 0; i < from_.communications.size(); ++i)
            add_listed(from_.communications[i], fmt::format("communications[{}]", i));
        for (auto& c : pattern_communications(from_.pattern, tree_, endpoints_, where_, diag_)) {
            c.name = free_name(c);
            all_.push_back(std::move(c));
        }
        if (from_.trace) add_trace(*from_.trace);
        if (diag_.errors() > before) return std::nullopt;
        if (all_.empty()) {
            diag_.error(where_("communications"), "nothing is sent", "give `communications`, a `pattern` or a `trace`");
            return std::nullopt;
        }
        return std::move(all_);
    }

private:
    void add_listed(const communication_spec& spec, const std::string& path) {
        const auto from = endpoints_.find(spec.from, where_(path + ".from"), diag_);
        const auto to = endpoints_.find(spec.to, where_(path + ".to"), diag_);
        if (!from || !to) return;
        if (*from == *to)
            return diag_.error(where_(path + ".to"), fmt::format("{} sends to itself", config::quoted(spec.to)),
                               "from and to differ");
        if (!endpoints_.joined(*from, *to, where_(path), diag_)) return;
        pcie::model::communication c{spec.name, *from, *to, spec.size, spec.start.seconds()};
        if (c.name.empty())
            c.name = free_name(c);
        else if (!names_.insert(c.name).second)
            diag_.error(where_(path + ".name"), fmt::format("two communications are called {}", config::quoted(c.name)),
                        "names are unique; leave it out for one by its ends");
        all_.push_back(std::move(c));
    }

    // "gpu0->gpu1", the second such "gpu0->gpu1#2".
    std::string free_name(const pcie::model::communication& c) {
        const auto stem = fmt::format("{}->{}", tree_.topology[c.from].name, tree_.topology[c.to].name);
        auto& count = stems_[stem];
        for (;;) {
            ++count;
            auto name = count == 1 ? stem : fmt::format("{}#{}", stem, count);
            if (names_.insert(name).second) return name;
        }
    }

    void add_trace(const std::string& path) {
        const auto named_at = where_("trace");
        const auto csv = machines::read_input("trace", text::file_beside(named_at, path), largest_trace,
                                              "a trace is CSV text: start,from,to,bytes", named_at, diag_);
        if (csv) read_trace(*csv, endpoints_, all_, diag_);
    }

    const transfer_spec& from_;
    const machines::configured_tree& tree_;
    const machines::endpoint_directory endpoints_;
    const machines::locator& where_;
    config::diagnostics& diag_;
    std::vector<pcie::model::communication> all_;
    std::set<std::string> names_;
    std::map<std::string, unsigned> stems_;
};

}  // namespace

std::optional<std::vector<pcie::model::communication>> resolve_communications(const transfer_spec& from,
                                                                              const machines::configured_tree& tree,
                                                                              const machines::locator& where,
                                                                              config::diagnostics& diag) {
    return resolver(from, tree, where, diag).run();
}

}  // namespace contraflow::transfers
