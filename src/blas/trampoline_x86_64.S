// Trampolines of the forwarded symbols, x86-64 System V. Each counts its call and jumps to where its
// slot points, with every argument register and the stack as the caller left them: so any signature
// and both ways to return a complex number pass. At first the slot points at code that asks
// reprosum_blas_target (forwarded.cpp) for the address, with its number, where the call returns, and
// where the arguments are.

  .hidden reprosum_blas_target

  .section .data.rel.local, "aw", @progbits
  .balign 8
  .hidden reprosum_blas_slots
  .globl reprosum_blas_slots
  .type reprosum_blas_slots, @object
reprosum_blas_slots:

  .bss
  .balign 8
  .hidden reprosum_blas_calls
  .globl reprosum_blas_calls
  .type reprosum_blas_calls, @object
reprosum_blas_calls:

  .text

// Arrives by a jump, so the caller's return address is on top of the stack; %r11d is the number of
// the symbol. BLAS passes no vector wider than an xmm register.
  .balign 16
  .type resolve, @function
resolve:
  .cfi_startproc
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  subq $192, %rsp
  movq %rdi, (%rsp)
  movq %rsi, 8(%rsp)
  movq %rdx, 16(%rsp)
  movq %rcx, 24(%rsp)
  movq %r8, 32(%rsp)
  movq %r9, 40(%rsp)
  movq %rax, 48(%rsp)
  movq %r10, 56(%rsp)
  movups %xmm0, 64(%rsp)
  movups %xmm1, 80(%rsp)
  movups %xmm2, 96(%rsp)
  movups %xmm3, 112(%rsp)
  movups %xmm4, 128(%rsp)
  movups %xmm5, 144(%rsp)
  movups %xmm6, 160(%rsp)
  movups %xmm7, 176(%rsp)
  movl %r11d, %edi
  movq 8(%rbp), %rsi
  movq %rsp, %rdx
  leaq 64(%rsp), %rcx
  leaq 16(%rbp), %r8
  call reprosum_blas_target
  movq %rax, %r11
  movups 176(%rsp), %xmm7
  movups 160(%rsp), %xmm6
  movups 144(%rsp), %xmm5
  movups 128(%rsp), %xmm4
  movups 112(%rsp), %xmm3
  movups 96(%rsp), %xmm2
  movups 80(%rsp), %xmm1
  movups 64(%rsp), %xmm0
  movq 56(%rsp), %r10
  movq 48(%rsp), %rax
  movq 40(%rsp), %r9
  movq 32(%rsp), %r8
  movq 24(%rsp), %rcx
  movq 16(%rsp), %rdx
  movq 8(%rsp), %rsi
  movq (%rsp), %rdi
  leave
  .cfi_def_cfa %rsp, 8
  jmp *%r11
  .cfi_endproc
  .size resolve, . - resolve

// What a refused call runs: every scalar or complex result is NaN, an index is 0.
  .balign 16
  .hidden reprosum_blas_refused
  .globl reprosum_blas_refused
  .type reprosum_blas_refused, @function
reprosum_blas_refused:
  .cfi_startproc
  endbr64
  pcmpeqd %xmm0, %xmm0
  pcmpeqd %xmm1, %xmm1
  xorl %eax, %eax
  ret
  .cfi_endproc
  .size reprosum_blas_refused, . - reprosum_blas_refused

  .macro forwarded name, twin
  .section .data.rel.local
  .quad .Lfirst\name
  .bss
  .zero 8
  .text
  .balign 16
  .globl \name
  .type \name, @function
\name:
  .ifnb \twin
  .globl \twin
  .type \twin, @function
\twin:
  .endif
  .cfi_startproc
  endbr64
  lock incq reprosum_blas_calls + 8 * number(%rip)
  movq reprosum_blas_slots + 8 * number(%rip), %r11
  jmp *%r11
.Lfirst\name:
  endbr64
  movl $number, %r11d
  jmp resolve
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

  .section .note.GNU-stack, "", @progbits
