// SPDX-License-Identifier: Apache-2.0
// libsystemc refers to sc_main even if the program has its own main(). This file holds nothing else, so a program that
// defines sc_main never links this one from the archive.
#include <systemc>

int sc_main(int, char**) { return 0; }
