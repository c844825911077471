// SPDX-License-Identifier: Apache-2.0
// Serves the GDB remote serial protocol for one core, on a TCP port of this machine only. Simulated time stops while
// the program is stopped. The program starts when a debugger has connected. A wait for the debugger ends when
// `keep_going` returns false: the program is then killed.
//   (gdb) target remote localhost:PORT
// Source: "Debugging with GDB", appendix E, "GDB Remote Serial Protocol".
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "iss/debugging.h"

namespace contraflow::iss {

class rv32_core;

class gdb_server {
public:
    // 0: any free port. A port that is not available is a std::system_error. Without keep_going it waits for ever.
    explicit gdb_server(std::uint16_t port, std::function<bool()> keep_going = {});
    // Tells a connected debugger that the program has ended.
    ~gdb_server();
    gdb_server(const gdb_server&) = delete;
    gdb_server& operator=(const gdb_server&) = delete;

    std::uint16_t port() const { return port_; }
    // Whether a debugger was ever connected.
    bool met() const { return met_; }

    // The core is stopped before the instruction at its pc. It continues as this returns.
    resume stopped(rv32_core& core, const stop_reason& why);
    // Asked regularly while the core runs: whether it should stop.
    bool wants_stop();

private:
    bool wait_for_input(int from) const;
    bool connect();
    bool receive(std::string& packet);
    int next_byte();
    void send(std::string_view text);
    void lost();
    std::string answer(rv32_core& core, const std::string& packet);

    std::function<bool()> keep_going_;
    int listener_ = -1;
    int connection_ = -1;
    std::uint16_t port_ = 0;
    bool met_ = false;
    bool acknowledges_ = true;
    bool told_ = false;  // the debugger waits for the stop reply
    std::string input_;
    std::size_t read_ = 0;
    std::string last_stop_;
};

}  // namespace contraflow::iss
