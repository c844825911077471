# -DFOLDER= -DUNIT=: one C++ file that includes all that verilator wrote, whose names depend on the design.
file(GLOB parts RELATIVE ${FOLDER} ${FOLDER}/*.cpp)
list(SORT parts)
set(text "")
foreach(part IN LISTS parts)
    string(APPEND text "#include \"${part}\"\n")
endforeach()
file(WRITE ${UNIT} "${text}")
