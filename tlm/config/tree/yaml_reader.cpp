// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <istream>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "config/tree/lookahead_guard.h"
#include "config/tree/node_tree.h"
#include "config/tree/tree_builder.h"

namespace contraflow::config {
namespace {

// yaml-cpp accepts the end of the text in place of a closing quote; this reports it.
class quote_watch : public tree_builder {
public:
    quote_watch(node_tree& tree, lookahead_guard& guard, diagnostics& diag, unsigned first_line)
        : tree_builder(tree, guard, diag, first_line) {}

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        last_ = mark;
        tree_builder::OnScalar(mark, tag, anchor, value);
    }

    bool quote_left_open(std::string_view text) const {
        if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
        if (last_.pos < 0 || static_cast<std::size_t>(last_.pos) >= text.size()) return false;
        auto rest = text.substr(static_cast<std::size_t>(last_.pos));
        const char quote = rest.front();
        if (quote != '"' && quote != '\'') return false;
        for (std::size_t i = 1; i < rest.size(); ++i) {
            if (quote == '"' && rest[i] == '\\')
                ++i;
            else if (rest[i] == quote && quote == '\'' && i + 1 < rest.size() && rest[i + 1] == quote)
                ++i;
            else if (rest[i] == quote)
                return false;
        }
        return true;
    }
    location last() const { return where(last_); }

private:
    YAML::Mark last_ = YAML::Mark::null_mark();
};

// yaml-cpp's complaint and the most likely cause.
void syntax_error(const YAML::Exception& e, const tree_builder& builder, diagnostics& diag) {
    if (e.msg == YAML::ErrorMsg::END_OF_SEQ_FLOW || e.msg == YAML::ErrorMsg::END_OF_MAP_FLOW) {
        return diag.error(builder.innermost_open(), "not valid YAML: this bracket is not closed as it should be");
    }
    if (e.msg == YAML::ErrorMsg::EOF_IN_SCALAR) {
        return diag.error(builder.where(e.mark), "not valid YAML: the closing quote is missing");
    }
    std::string hint;
    if (e.msg == YAML::ErrorMsg::MAP_VALUE) {
        hint =
            "a ':' here would make a key of what is before it; check the indentation, and quote texts that hold ': '";
    } else if (e.msg == YAML::ErrorMsg::UNKNOWN_TOKEN) {
        hint = "a text that begins with this character needs quotes";
    } else if (e.msg == YAML::ErrorMsg::TAB_IN_INDENTATION) {
        hint = "indent with spaces";
    }
    diag.error(builder.where(e.mark), fmt::format("not valid YAML: {}", e.msg), hint);
}

}  // namespace

std::optional<node_tree> parse_yaml(const std::string& file, std::string_view text, diagnostics& diag,
                                    unsigned first_line) {
    node_tree tree(file);
    lookahead_guard guard(text, most_marks_ahead);
    std::istream in(&guard);
    quote_watch builder(tree, guard, diag, first_line);
    try {
        YAML::Parser parser(in);
        while (parser.HandleNextDocument(builder)) {}
    } catch (const reading_ends&) { return std::nullopt; } catch (const too_far_ahead&) {
        if (guard.nests_deeper_than(deepest_nesting)) {
            diag.error({file, 0, 0}, fmt::format("nested deeper than {} levels", deepest_nesting));
        } else {
            diag.error({file, 0, 0}, "a list or map in brackets is too long",
                       "write one element a line, each after a '-'");
        }
        return std::nullopt;
    } catch (const YAML::Exception& e) {
        syntax_error(e, builder, diag);
        return std::nullopt;
    }
    if (!builder.has_document()) {
        diag.error({file, 0, 0}, "holds nothing but comments",
                   "a configuration has at least one key, such as 'name: value'");
        return std::nullopt;
    }
    if (builder.quote_left_open(text)) {
        diag.error(builder.last(), "not valid YAML: the closing quote is missing");
        return std::nullopt;
    }
    return tree;
}

}  // namespace contraflow::config
