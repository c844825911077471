# -DFOLDER= -DUNIT=: one C++ file that includes all that verilator wrote, whose names depend on the design.
#
# -DPREFIX= -DEDGES=: at its end it includes the file EDGES, for which it has what Verilator's evaluation does once it knows
# the clocks that have risen: `triggers`, a bit for each set of clocks and resets that some code waits for, by the clock in
# it; and `evaluate<Set, Known>()`, the code that waits for any of Set. Verilator itself asks in each evaluation, for each part
# of the code, whether its triggers are among those that have come. Known::recall() tells the compiler values that it may rely
# on, so that it leaves out code that would change nothing. It is called before each part, because the compiler forgets them
# at each store into a memory.
file(GLOB parts RELATIVE ${FOLDER} ${FOLDER}/*.cpp)
list(SORT parts)
set(text "")
foreach(part IN LISTS parts)
    string(APPEND text "#include \"${part}\"\n")
endforeach()

if(DEFINED EDGES)
    set(root ${PREFIX}___024root)
    set(head "void ${root}___eval_nba(${root}* vlSelf) {")
    set(triggers "")
    set(body "")
    foreach(part IN LISTS parts)
        file(READ ${FOLDER}/${part} code)
        string(FIND "${code}" "${head}" at)
        if(NOT at EQUAL -1)
            string(LENGTH "${head}" length)
            math(EXPR at "${at} + ${length}")
            string(SUBSTRING "${code}" ${at} -1 body)
            string(FIND "${body}" "\n}\n" end)
            string(SUBSTRING "${body}" 0 ${end} body)
        endif()
        string(REGEX MATCHALL "__VactTriggered\\.at\\([0-9a-fx]+U\\)[ \n]*=" all "${code}")
        list(LENGTH all number)
        string(REGEX MATCHALL "__VactTriggered\\.at\\([0-9a-fx]+U\\)[ \n]*=[ \n]*\\(+IData\\)\\(vlSelf->[A-Za-z0-9_]+" found
            "${code}")
        list(LENGTH found named)
        if(NOT named EQUAL number)
            message(FATAL_ERROR "${part} has a trigger that is not, or not first, a clock that rises")
        endif()
        foreach(one IN LISTS found)
            string(REGEX REPLACE "^[^(]*\\(([0-9a-fx]+U).*vlSelf->([A-Za-z0-9_]+)$" "    {\"\\2\", \\1},\n" one "${one}")
            string(APPEND triggers "${one}")
        endforeach()
    endforeach()
    string(REPLACE "vlSelf->__VnbaTriggered.at(" "triggered<Set>(" body "${body}")
    string(REPLACE "\n    if (" "\n    Known::recall(*vlSelf);\n    if (" body "${body}")
    if(body STREQUAL "" OR triggers STREQUAL "" OR body MATCHES "Triggered\\.")
        message(FATAL_ERROR "verilator has written another evaluation than verilated_unit.cmake knows")
    endif()
    string(APPEND text "
#include <cstdint>
namespace {
struct trigger {
    const char* clock;
    unsigned bit;
};
constexpr trigger triggers[] = {
${triggers}};
template <std::uint64_t Set> constexpr bool triggered(unsigned bit) { return (Set >> bit & 1) != 0; }
template <std::uint64_t Set, class Known> inline void evaluate(${root}* vlSelf) {${body}
}
}  // namespace
#include \"${EDGES}\"
")
endif()
file(WRITE ${UNIT} "${text}")
