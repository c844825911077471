# SPDX-License-Identifier: Apache-2.0
# The first instructions of a program: stack and global pointer, then main(). Variables hold their values already:
# the loader has put them into the data memory. After main() the core waits for interrupts.
    .section .text.start, "ax"
    .globl _start
    .type _start, @function
_start:
    la sp, stack_top
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    call main
1:  wfi
    j 1b
    .size _start, . - _start
