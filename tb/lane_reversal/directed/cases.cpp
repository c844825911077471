// SPDX-License-Identifier: Apache-2.0
#include "lane_reversal/directed/cases.h"

#include <charconv>
#include <deque>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <type_traits>

namespace contraflow::lane_reversal {
namespace {

class reader {
public:
    explicit reader(const std::string& path) : path_(path), file_(path) {
        if (!file_) throw std::runtime_error(path + ": cannot be read");
    }

    std::vector<lane_case> read() {
        for (std::string line; std::getline(file_, line);) {
            ++number_;
            std::istringstream words(line);
            words_.clear();
            for (std::string word; words >> word;) words_.push_back(word);
            if (words_.empty() || words_.front().starts_with('#')) continue;
            const auto keyword = value<std::string>();
            if (keyword == "vector") {
                cases_.emplace_back().name = line.substr(line.find(words_.front()));
                words_.clear();
            } else {
                take(keyword);
            }
            if (more()) wrong("'" + words_.front() + "' is one word too many");
        }
        return std::move(cases_);
    }

private:
    [[noreturn]] void wrong(const std::string& what) const {
        throw std::runtime_error(path_ + ":" + std::to_string(number_) + ": " + what);
    }

    bool more() const { return !words_.empty(); }

    template <class T> T value() {
        if (words_.empty()) wrong("a value is missing");
        const std::string word = words_.front();
        words_.pop_front();
        if constexpr (std::is_same_v<T, std::string>) {
            return word;
        } else {
            T v{};
            const auto end = word.data() + word.size();
            if (const auto read = std::from_chars(word.data(), end, v); read.ec != std::errc{} || read.ptr != end)
                wrong("'" + word + "' is no number that fits");
            return v;
        }
    }

    template <class T> link::by_direction<T> pair() {
        const T ab = value<T>();
        return {ab, value<T>()};
    }

    lane_case& current() {
        if (cases_.empty()) wrong("no case has begun");
        return cases_.back();
    }

    void take(const std::string& keyword) {
        if (keyword == "set") {
            while (more()) set(current(), value<std::string>());
        } else if (keyword == "row") {
            const auto cycles = value<std::uint64_t>();
            current().rows.push_back({{cycles, pair<std::uint64_t>(), false}, 0});
        } else if (keyword == "launch") {
            current().rows.push_back({{0, {}, true}, 0});
        } else if (keyword == "fault") {
            case_row row;
            while (more()) row.faults |= 1u << value<unsigned>();
            current().rows.push_back(row);
        } else if (keyword == "until_drained") {
            current().until_drained = true;
        } else {
            take_expected(keyword);
        }
    }

    void take_expected(const std::string& keyword) {
        if (keyword == "cycle") {
            expected_cycle c;
            c.cycle = value<std::uint64_t>();
            c.lanes = pair<unsigned>();
            c.turning = value<unsigned>();
            c.failed = value<unsigned>();
            if (more()) c.drivers = pair<unsigned>();
            current().cycles.push_back(c);
        } else if (keyword == "window") {
            expected_window w;
            w.end = value<std::uint64_t>();
            w.busy.ab = value<std::uint64_t>();
            w.capacity.ab = value<std::uint64_t>();
            w.busy.ba = value<std::uint64_t>();
            w.capacity.ba = value<std::uint64_t>();
            w.decision = decision(value<std::string>());
            if (more()) w.queued = pair<std::uint64_t>();
            current().windows.push_back(w);
        } else if (keyword == "windows") {
            current().window_count = value<std::uint64_t>();
        } else if (keyword == "turns") {
            current().turns = value<std::uint64_t>();
        } else if (keyword == "drained") {
            current().drained = value<std::uint64_t>();
        } else if (keyword == "served") {
            current().served = pair<std::uint64_t>();
        } else {
            wrong("'" + keyword + "' is no keyword");
        }
    }

    link::lane_decision decision(const std::string& text) const {
        for (const auto d : {link::lane_decision::none, link::lane_decision::to_ab, link::lane_decision::to_ba})
            if (text == name(d)) return d;
        wrong("'" + text + "' is no decision");
    }

    void set(lane_case& c, const std::string& key) {
        if (key == "policy") {
            const auto policy = value<std::string>();
            if (policy != "static" && policy != "published" && policy != "guarded") wrong("no policy " + policy);
            c.with.enable = policy != "static";
            c.with.guarded = policy == "guarded";
            return;
        }
        const auto number = value<std::uint32_t>();
        if (key == "lanes")
            c.lanes_per_direction = number;
        else if (key == "sample_time")
            c.with.sample_time = number;
        else if (key == "switch_time")
            c.with.switch_time = number;
        else if (key == "drain")
            c.with.drain = number;
        else if (key == "sync_latency")
            c.with.sync_latency = number;
        else if (key == "min_lanes")
            c.with.min_lanes = number;
        else if (key == "threshold")
            c.with.threshold = number;
        else
            wrong("'" + key + "' is nothing that can be set");
    }

    std::string path_;
    std::ifstream file_;
    std::deque<std::string> words_;  // the line's remaining words
    unsigned number_ = 0;
    std::vector<lane_case> cases_;
};

}  // namespace

std::vector<lane_case> read_cases(const std::string& path) { return reader(path).read(); }

}  // namespace contraflow::lane_reversal
