// SPDX-License-Identifier: Apache-2.0
// A buffered stream to a file descriptor that remembers why a write failed: std::cout only knows that one did.
#pragma once

#include <array>
#include <ostream>
#include <streambuf>

namespace contraflow::face {

class descriptor_buffer : public std::streambuf {
public:
    explicit descriptor_buffer(int descriptor);
    ~descriptor_buffer() override { sync(); }
    descriptor_buffer(const descriptor_buffer&) = delete;
    descriptor_buffer& operator=(const descriptor_buffer&) = delete;

    int error() const { return error_; }  // errno of the first write that failed; 0: none

protected:
    int_type overflow(int_type c) override;
    int sync() override;

private:
    int descriptor_;
    int error_ = 0;
    std::array<char, 8192> buffer_{};
};

class output_stream : public std::ostream {
public:
    explicit output_stream(int descriptor) : std::ostream(nullptr), buffer_(descriptor) { rdbuf(&buffer_); }
    // Writes what is left. Throws output_error if anything could not be written, but not for a closed pipe, whose
    // reader has seen enough.
    void finish();

private:
    descriptor_buffer buffer_;
};

}  // namespace contraflow::face
