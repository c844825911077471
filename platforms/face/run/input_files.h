// SPDX-License-Identifier: Apache-2.0
// The input files that a run reads, each with its digest, as long as this object lives. Make one at a time.
#pragma once

#include <map>
#include <string>
#include <utility>

namespace contraflow::face {

class input_files {
public:
    // The kind of a file ("trace") and its name.
    using key = std::pair<std::string, std::string>;

    input_files();
    ~input_files();
    input_files(const input_files&) = delete;
    input_files& operator=(const input_files&) = delete;

    // The SHA-256 of each when it was first read; "" for a pipe that is read piece by piece. Call it when no thread
    // reads any more.
    const std::map<key, std::string>& digests() const { return digests_; }

private:
    std::map<key, std::string> digests_;
};

}  // namespace contraflow::face
