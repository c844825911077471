// SPDX-License-Identifier: Apache-2.0
// A file that grows as FILE.partial-PID beside FILE and takes FILE's name when it is complete, so that FILE is either
// as it was or whole. What is no file (a pipe, a device) is written at once.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace contraflow::face {

class growing_file {
public:
    // `option`: what asked for it, for messages. Throws usage_error if it can't be written there.
    growing_file(const std::string& option, const std::filesystem::path& wanted);
    ~growing_file() { discard(); }
    growing_file(const growing_file&) = delete;
    growing_file& operator=(const growing_file&) = delete;

    std::ostream& stream() { return stream_; }
    // All of it has been written: it takes its name. Throws output_error if that cannot be.
    void publish();
    // Removes what there is of it, unless published. Somebody may still write to the stream.
    void discard() noexcept;

private:
    const std::string asked_;        // "--record FILE"
    std::filesystem::path wanted_;   // where it is to be, whatever links led there
    std::filesystem::path partial_;  // empty: no file, or done with
    std::ofstream stream_;
};

}  // namespace contraflow::face
