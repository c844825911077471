// SPDX-License-Identifier: Apache-2.0
// A file that a program reads twice: to check its configuration, and to make the workload's data. The first reader gets
// the text. The second gets nothing for as long as this exists: no clock decides what the program is about then.
#pragma once

#include <filesystem>
#include <string>

namespace contraflow::test {

class held_input {
public:
    explicit held_input(std::filesystem::path file);
    ~held_input();
    held_input(const held_input&) = delete;
    held_input& operator=(const held_input&) = delete;

    // Returns when the program has begun to read it once.
    void give_once(const std::string& text);
    // Returns when the program has opened it again. Its reads wait from then on.
    void wait_for_second_reader();

private:
    std::filesystem::path file_;
    int held_ = -1;
};

}  // namespace contraflow::test
