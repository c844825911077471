// SPDX-License-Identifier: Apache-2.0
// Moves bytes through one or more ports, a line at a time: each line is a read, a write, or a read followed by a write
// of the bytes read. A limited number of lines is under way at a time; one request per cycle leaves at each port, and
// the ports take turns. The derived class chooses the lines, handles errors, and acts when a line has ended.
//
//   derived --start(line)--> [lines] --requests--> ports
//           <--to_be_written(), failed(), ended()--  <--responses--
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/bounded_queue.h"
#include "core/timer.h"
#include "core/waiting.h"
#include "memory/port/request_port.h"
#include "memory/transaction/payload.h"
#include "observe/conservation.h"

namespace contraflow::memory {

class line_copier : public request_owner_if {
public:
    // Adds a port for its requests; call before the first line, at least once.
    void connect(request_port& port) { ways_.push_back({&port, {}}); }
    unsigned outstanding() const { return static_cast<unsigned>(lines_.size() - free_.size()); }  // lines
    // Whether all requests are answered.
    bool quiet() const { return outstanding() == to_write_.size(); }

    bool response_arrived(unsigned port, memory_extension& request) override;
    void request_port_ready(unsigned) override { pump(); }

protected:
    struct limits {
        unsigned outstanding = 1;  // lines
        core::sim_time cycle{};
        std::uint16_t socket = 0, unit = 0;          // the origin of its requests
        cache_policy writes = cache_policy::cached;  // policy of writes that follow reads
    };
    enum class stage : std::uint8_t { reading, read, writing };
    struct line {
        payload* sent = nullptr;   // the request, made by the derived class; null: not in use
        std::uint32_t job = 0;     // number of the job in the derived class
        std::uint64_t offset = 0;  // the line's offset in its job, bytes
        unsigned length = 0;
        stage now = stage::reading;
        std::size_t way = 0;  // the port of its last request
    };

    line_copier(const resources& shared, std::string path, const limits& l);
    ~line_copier();

    // Whether requests may leave now.
    virtual bool may_send() = 0;
    // Calls start() for the next line, unless there is none to start now: false.
    virtual bool start_next() = 0;
    // A read has brought its bytes. Returns the address to which they are written; none: they are already in place.
    virtual std::optional<std::uint64_t> write_to(const line& l) = 0;
    // The line's request was answered with an error. Returns whether the missing bytes are written nevertheless.
    virtual bool failed(const line& l) = 0;
    // The line has ended: it has released its request and is no longer outstanding.
    virtual void ended(const line& l) = 0;
    // Called after each response. Nothing may be sent from here, because this may be within a backward call.
    virtual void answered() = 0;

    bool full() const { return free_.empty(); }
    // Call it only from start_next(), and only if not full.
    void start(const line& l, cache_policy policy);
    // Sends from that time on, or from an earlier time given before.
    void send_from(core::sim_time when) { pump_at_.arm_by(when); }
    core::sim_time next_send() const;  // the earliest time at which a port may send
    // Drops all lines. The other end of the port must be reset as well.
    void reset();
    void report_waits(std::vector<core::wait_edge>& edges) const;
    void check(observe::conservation& checks) const;

    const resources shared_;
    const std::string path_;

private:
    struct way {
        request_port* port = nullptr;
        core::sim_time free{};  // it has sent its last request until then
    };
    void pump();
    bool send_next();
    void send(std::uint32_t number, cache_policy policy);
    void end(std::uint32_t number);

    const limits limits_;
    std::vector<way> ways_;
    std::size_t turn_ = 0;  // the way that sends next, if it can
    std::vector<line> lines_;
    std::vector<std::uint32_t> free_;
    core::bounded_queue<std::uint32_t> to_write_;
    core::timer<&line_copier::pump> pump_at_;
    std::uint64_t sent_total_ = 0, answered_total_ = 0;  // requests
};

}  // namespace contraflow::memory
