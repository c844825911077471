// SPDX-License-Identifier: Apache-2.0
// Turns yaml-cpp's events into a node_tree, and refuses values that a configuration must not have.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include "config/text/diagnostics.h"
#include "config/tree/lookahead_guard.h"
#include "config/tree/node_tree.h"

namespace contraflow::config {

// Ends the reading after an error that has been reported.
struct reading_ends : std::runtime_error {
    reading_ends() : std::runtime_error("reading ends") {}
};

class tree_builder : public YAML::EventHandler {
public:
    tree_builder(node_tree& tree, lookahead_guard& guard, diagnostics& diag, unsigned first_line)
        : tree_(tree),
          guard_(guard),
          diag_(diag),
          first_line_(first_line) {}

    bool has_document() const { return has_document_; }
    location where(const YAML::Mark& mark) const;
    // The start of the innermost list or map that is still open; the file as a whole if there is none.
    location innermost_open() const;

    void OnDocumentStart(const YAML::Mark& mark) override;
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override;
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value style) override;
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value style) override;
    void OnMapEnd() override;

private:
    using node_id = node_tree::node_id;
    struct frame {
        node_id container;
        std::size_t first_member;  // index in members_
    };
    node_id add(const YAML::Mark& mark, node_kind kind);
    void open(const YAML::Mark& mark, const std::string& tag, node_kind kind);
    void close();
    void refuse_tag(const YAML::Mark& mark, const std::string& tag);
    void check_keys(node_id map);

    node_tree& tree_;
    lookahead_guard& guard_;
    diagnostics& diag_;
    unsigned first_line_;
    bool has_document_ = false;
    bool has_alias_ = false;
    std::vector<frame> open_;
    std::vector<node_id> members_;  // the members of all open containers, innermost last
};

}  // namespace contraflow::config
