// SPDX-License-Identifier: Apache-2.0
// The exit status and the output of a program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace contraflow::sweep {

struct child_result {
    int status = 0;  // exit status; 128 + signal if one ended it; 127 if it could not be started
    std::string out, err;
};

// The first word is a path, or a name that PATH leads to. Safe to call from several threads.
child_result run_child(const std::vector<std::string>& words, const std::filesystem::path& directory);

// From the status that waitpid() gives.
int exit_status(int wait_status);

// Puts the words in quotes for a POSIX shell.
std::string shell_quoted(const std::string& word);

}  // namespace contraflow::sweep
