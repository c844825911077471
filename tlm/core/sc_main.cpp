// SPDX-License-Identifier: Apache-2.0
// libsystemc refers to sc_main even where the program has a main() of its own. Alone in its file, so that a program
// which defines sc_main never pulls this one from the archive.
#include <systemc>

int sc_main(int, char**) { return 0; }
