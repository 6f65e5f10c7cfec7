// Trampolines of the forwarded symbols, AArch64 AAPCS64. Each counts its call and jumps to where its
// slot points, with every argument register and the stack as the caller left them: so any signature
// and both ways to return a complex number pass. At first the slot points at code that asks
// reprosum_blas_target (forwarded.cpp) for the address, with its number, where the call returns, and
// where the arguments are.

  .hidden reprosum_blas_target

  .section .data.rel.local, "aw", %progbits
  .balign 8
  .hidden reprosum_blas_slots
  .globl reprosum_blas_slots
  .type reprosum_blas_slots, %object
reprosum_blas_slots:

  .bss
  .balign 8
  .hidden reprosum_blas_calls
  .globl reprosum_blas_calls
  .type reprosum_blas_calls, %object
reprosum_blas_calls:

  .text

// Arrives by a branch, so x30 returns to the caller; w17 is the number of the symbol. BLAS passes
// no scalable vector, so q0 to q7 hold every vector argument. x8 may point to a result.
  .balign 16
  .type resolve, %function
resolve:
  .cfi_startproc
  hint #34 // bti c
  stp x29, x30, [sp, #-224]!
  .cfi_def_cfa_offset 224
  .cfi_offset 29, -224
  .cfi_offset 30, -216
  mov x29, sp
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  str x8, [sp, #80]
  stp q0, q1, [sp, #96]
  stp q2, q3, [sp, #128]
  stp q4, q5, [sp, #160]
  stp q6, q7, [sp, #192]
  mov w0, w17
  mov x1, x30
  add x2, sp, #16
  add x3, sp, #96
  add x4, sp, #224
  bl reprosum_blas_target
  mov x16, x0
  ldp q6, q7, [sp, #192]
  ldp q4, q5, [sp, #160]
  ldp q2, q3, [sp, #128]
  ldp q0, q1, [sp, #96]
  ldr x8, [sp, #80]
  ldp x6, x7, [sp, #64]
  ldp x4, x5, [sp, #48]
  ldp x2, x3, [sp, #32]
  ldp x0, x1, [sp, #16]
  ldp x29, x30, [sp], #224
  .cfi_restore 29
  .cfi_restore 30
  .cfi_def_cfa_offset 0
  br x16
  .cfi_endproc
  .size resolve, . - resolve

// What a refused call runs: every scalar or complex result is NaN, an index is 0.
  .balign 16
  .hidden reprosum_blas_refused
  .globl reprosum_blas_refused
  .type reprosum_blas_refused, %function
reprosum_blas_refused:
  .cfi_startproc
  hint #34
  movi v0.2d, #0xffffffffffffffff
  movi v1.2d, #0xffffffffffffffff
  mov x0, #0
  ret
  .cfi_endproc
  .size reprosum_blas_refused, . - reprosum_blas_refused

// x15, x16 and x17 carry no arguments. The loop is an atomic increment without ARMv8.1's.
  .macro forwarded name, twin
  .section .data.rel.local
  .quad .Lfirst\name
  .bss
  .zero 8
  .text
  .balign 16
  .globl \name
  .type \name, %function
\name:
  .ifnb \twin
  .globl \twin
  .type \twin, %function
\twin:
  .endif
  .cfi_startproc
  hint #34
  adrp x16, reprosum_blas_calls + 8 * number
  add x16, x16, :lo12:reprosum_blas_calls + 8 * number
.Lcount\name:
  ldxr x17, [x16]
  add x17, x17, #1
  stxr w15, x17, [x16]
  cbnz w15, .Lcount\name
  adrp x16, reprosum_blas_slots + 8 * number
  add x16, x16, :lo12:reprosum_blas_slots + 8 * number
  ldr x16, [x16]
  br x16
.Lfirst\name:
  hint #34
  mov w17, #number
  b resolve
  .cfi_endproc
  .size \name, . - \name
  .ifnb \twin
  .size \twin, . - \twin
  .endif
  .set number, number + 1
  .endm

// A driver of LAPACK, which this library has not: it only counts a program's calls of its own. With a
// version that is not the default one, the symbol meets the calls of programs and libraries that are
// there already, but no linker takes it for a LAPACK, nor does dlsym find it.
  .macro lapack name
  forwarded reprosum_\name,
  .symver reprosum_\name, \name@REPROSUM_COUNTED, remove
  .endm

  .set number, 0
#define FORWARDED(name, twin) forwarded name, twin
#define FORWARDED_AS(name, plain) forwarded name,
#define LAPACK(name, twin, arguments) lapack name
#include REPROSUM_BLAS_FORWARDED
#undef LAPACK
#undef FORWARDED_AS
#undef FORWARDED

  .section .note.GNU-stack, "", %progbits
