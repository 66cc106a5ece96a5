/* Access to application memory that may have been unmapped: a fault inside a guarded call ends the call with -EFAULT instead of the process.
 * mroce_guarded(body, a, b, c) keeps the registers that a caller may rely on and its stack pointer; the signal handler (shim_signal.c) sends a
 * faulting thread to mroce_guard_fault, which puts them back. */
#define _GNU_SOURCE
#include <string.h>
#include <ucontext.h>

#include "shim.h"

#if !defined(__x86_64__)
#error "the guarded calls are written for x86-64"
#endif

__attribute__((visibility("hidden"), tls_model("initial-exec"))) __thread uint64_t mroce_guard_sp;
long mroce_guarded(long (*body)(uint64_t, uint64_t, uint64_t), uint64_t a, uint64_t b, uint64_t c);
extern char mroce_guard_fault[];

__asm__(".text\n"
	".hidden mroce_guarded\n"
	".globl mroce_guarded\n"
	".type mroce_guarded, @function\n"
	"mroce_guarded:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	push %rbx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	push %r12\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	push %r13\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	push %r14\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	push %r15\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	sub $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	mov mroce_guard_sp@gottpoff(%rip), %rax\n"
	"	mov %rsp, %fs:(%rax)\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rdi\n"
	"	mov %rdx, %rsi\n"
	"	mov %rcx, %rdx\n"
	"	call *%rax\n"
	"1:	mov mroce_guard_sp@gottpoff(%rip), %rcx\n"
	"	movq $0, %fs:(%rcx)\n"
	"	add $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %r15\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %r14\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %r13\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %r12\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %rbx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %rbp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_adjust_cfa_offset 56\n"
	".hidden mroce_guard_fault\n"
	".globl mroce_guard_fault\n"
	"mroce_guard_fault:\n" /* rsp is what mroce_guarded left in mroce_guard_sp */
	"	mov $-14, %rax\n" /* -EFAULT */
	"	jmp 1b\n"
	"	.cfi_endproc\n"
	".size mroce_guarded, . - mroce_guarded\n");
_Static_assert(EFAULT == 14, "see the assembly");

bool mroce_guard_recover(void *ucontext)
{
	ucontext_t *uc = ucontext;
	uint64_t sp = mroce_guard_sp;

	if (likely(sp == 0))
		return false;
	mroce_guard_sp = 0;
	uc->uc_mcontext.gregs[REG_RSP] = (greg_t)sp;
	uc->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)mroce_guard_fault;
	uc->uc_mcontext.gregs[REG_EFL] &= ~0x400; /* the direction flag, as the ABI wants it */
	return true;
}

static long copy(uint64_t dst, uint64_t src, uint64_t n)
{
	memcpy((void *)dst, (const void *)src, n);
	return 0;
}

/* The last 8 bytes become visible last; polling programs look at the last byte of a message. */
static long store(uint64_t dst, uint64_t src, uint64_t n)
{
	uint64_t tail = n >= 8 && ((dst + n) & 7) == 0 ? 8 : 1;

	if (n == 0)
		return 0;
	memcpy((void *)dst, (const void *)src, n - tail);
	if (tail == 8) {
		uint64_t last;

		memcpy(&last, (const void *)(src + n - 8), 8);
		store_release((uint64_t *)(dst + n - 8), last);
	} else {
		store_release((uint8_t *)(dst + n - 1), *(const uint8_t *)(src + n - 1));
	}
	return 0;
}

static long cas(uint64_t addr, uint64_t compare_swap, uint64_t old)
{
	uint64_t *pair = (uint64_t *)compare_swap;
	uint64_t expected = pair[0];

	__atomic_compare_exchange_n((uint64_t *)addr, &expected, pair[1], false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	*(uint64_t *)old = expected;
	return 0;
}

static long fetch_add(uint64_t addr, uint64_t add, uint64_t old)
{
	*(uint64_t *)old = __atomic_fetch_add((uint64_t *)addr, add, __ATOMIC_SEQ_CST);
	return 0;
}

int mroce_guard_copy(void *dst, const void *src, uint64_t n)
{
	return (int)mroce_guarded(copy, (uintptr_t)dst, (uintptr_t)src, n);
}

int mroce_guard_store(void *dst, const void *src, uint64_t n)
{
	return (int)mroce_guarded(store, (uintptr_t)dst, (uintptr_t)src, n);
}

int mroce_guard_cas(uint64_t *addr, uint64_t compare, uint64_t swap, uint64_t *old)
{
	uint64_t pair[2] = { compare, swap };

	return (int)mroce_guarded(cas, (uintptr_t)addr, (uintptr_t)pair, (uintptr_t)old);
}

int mroce_guard_fetch_add(uint64_t *addr, uint64_t add, uint64_t *old)
{
	return (int)mroce_guarded(fetch_add, (uintptr_t)addr, add, (uintptr_t)old);
}
