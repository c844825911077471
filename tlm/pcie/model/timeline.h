// SPDX-License-Identifier: Apache-2.0
// A communication graph in time: between two events (a start, an end) the factors are constant, at each event they
// are computed anew. Ends within 1e-9 of a message are one event. Seconds throughout.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pcie/model/communication.h"
#include "pcie/model/factors.h"
#include "pcie/model/network.h"

namespace contraflow::pcie::model {

struct timeline_options {
    std::size_t recorded_steps = 0;    // limit of the kept steps; all are counted
    std::function<bool()> keep_going;  // called from time to time; false ends the run with the results so far
    bool reasons = true;               // false: times and factors only; much faster
};

struct active_communication {
    std::size_t communication = 0;  // index in the list
    double factor = 0.0;
    double rate = 0.0;
    std::vector<loss> losses;  // the largest first; `behind` is an index in the list
};

struct time_step {
    double from_s = 0.0;
    double to_s = 0.0;
    std::vector<active_communication> active;  // by source, in order of node id
};

// What one cause cost a communication from its start to its end.
struct lost_time {
    hold cause;
    double lost_s = 0.0;
    double times = 1.0;  // the factor on its time: those of all causes multiply to 1 / average_factor
};

struct communication_result {
    double start_s = 0.0;                  // issued
    double begin_s = 0.0;                  // its source began it
    double end_s = -1.0;                   // negative: did not end
    double first_factor = 0.0;             // in the first step in which it was active
    double average_factor = 0.0;           // its time alone on its narrowest link / its real time
    std::array<double, reasons> lost_s{};  // time lost to each reason; the wait for its source counts as `source`
    std::vector<lost_time> lost;           // the same by cause, the largest first
    hold main() const { return lost.empty() ? hold{} : lost.front().cause; }
    bool ended() const { return end_s >= 0.0; }
    double time_s() const { return end_s - start_s; }  // waiting included
};

struct port_use {
    std::uint64_t bytes = 0;
    double peak_load = 0.0;  // highest sum of rates, relative to its capacity
};

struct timeline_result {
    enum class outcome { finished, no_progress, stopped };
    outcome status = outcome::finished;
    std::string message;  // for no_progress: the blocked communications and ports
    double end_s = 0.0;
    std::vector<communication_result> communications;  // in the order of the list
    std::uint64_t step_count = 0;
    std::vector<time_step> steps;
    std::vector<port_use> ports;       // by port_id::index()
    std::vector<port_load> overloads;  // the highest load of each port that the published formula overloaded
};

// Throws std::invalid_argument if an end is no node, both ends are the same, no path joins them, or a start is not a
// time.
timeline_result run_timeline(const network& net, const std::vector<communication>& communications,
                             const timeline_options& options = {});

class timeline;

// When many lists, or orders of one, are over: of a list, the end of its last communication; nothing if not all end.
// Keeps paths and factors from call to call, so that one more order costs little. The network must outlive it.
class order_timer {
public:
    explicit order_timer(const network& net);
    ~order_timer();
    // Throws as run_timeline does.
    std::optional<double> end_s(std::span<const communication> communications);

private:
    std::unique_ptr<timeline> timeline_;
};

}  // namespace contraflow::pcie::model
