/* Signals, shared between the program and the VM. The VM needs SEGV, BUS, ILL and FPE for itself: unblocked on every thread and first in line. So
 * these four are never blocked, the program's handlers for them are kept here, and a fault goes to (1) the guarded calls, (2) the VM, (3) the
 * program. All other dispositions are put back as they were before the VM started. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim.h"

typedef int (*sigaction_fn)(int, const struct sigaction *, struct sigaction *);
typedef int (*sigmask_fn)(int, const sigset_t *, sigset_t *);

enum { OURS = 4, COPIES = 16 };
static const int ours[OURS] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE };
/* What the program asked for. A handler may run at any moment, so a change writes a new copy and moves the index. */
static struct { struct sigaction copies[COPIES]; uint32_t current; } kept[OURS];
static struct mroce_lock kept_lock;
static uint32_t active; /* 1: from just before the VM's start */
static int (*vm_handler)(int, siginfo_t *, void *, int);
static uintptr_t jvm_low, jvm_high;
static struct sigaction before[_NSIG];

static sigaction_fn next_sigaction(void)
{
	static sigaction_fn next;

	if (unlikely(!load_relaxed(&next)))
		store_relaxed(&next, (sigaction_fn)(uintptr_t)dlsym(RTLD_NEXT, "sigaction"));
	return next;
}

static sigmask_fn next_sigmask(void)
{
	static sigmask_fn next;

	if (unlikely(!load_relaxed(&next)))
		store_relaxed(&next, (sigmask_fn)(uintptr_t)dlsym(RTLD_NEXT, "pthread_sigmask"));
	return next;
}

static int index_of(int sig)
{
	for (int i = 0; i < OURS; i++)
		if (ours[i] == sig)
			return i;
	return -1;
}

static void strip(sigset_t *set)
{
	for (int i = 0; i < OURS; i++)
		sigdelset(set, ours[i]);
}

static const struct sigaction *wanted(int i)
{
	return &kept[i].copies[load_acquire(&kept[i].current) % COPIES];
}

static void keep(int i, const struct sigaction *act)
{
	uint32_t next = kept[i].current + 1;

	kept[i].copies[next % COPIES] = *act;
	store_release(&kept[i].current, next);
}

/* ---- faults ---- */

static void die_of(int sig, const siginfo_t *info)
{
	struct sigaction def;

	memset(&def, 0, sizeof(def));
	def.sa_handler = SIG_DFL;
	next_sigaction()(sig, &def, NULL);
	if (info->si_code <= 0) /* sent, not caused by the instruction, which would only go on */
		syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), sig);
}

static void to_program(int i, int sig, siginfo_t *info, void *ucontext)
{
	struct sigaction act = *wanted(i);

	if (act.sa_handler == SIG_IGN && info->si_code <= 0)
		return;
	if (act.sa_handler == SIG_DFL || act.sa_handler == SIG_IGN) {
		die_of(sig, info);
		return;
	}
	if (act.sa_flags & SA_RESETHAND) {
		struct sigaction def;

		memset(&def, 0, sizeof(def));
		def.sa_handler = SIG_DFL;
		keep(i, &def);
	}
	next_sigmask()(SIG_BLOCK, &act.sa_mask, NULL); /* the return from this handler restores the mask */
	if (act.sa_flags & SA_SIGINFO)
		act.sa_sigaction(sig, info, ucontext);
	else
		act.sa_handler(sig);
}

static void on_fault(int sig, siginfo_t *info, void *ucontext)
{
	int saved = errno;

	if ((sig == SIGSEGV || sig == SIGBUS) && info->si_code > 0 && mroce_guard_recover(ucontext))
		return;
	if (vm_handler && vm_handler(sig, info, ucontext, 0)) {
		errno = saved;
		return;
	}
	to_program(index_of(sig), sig, info, ucontext);
	errno = saved;
}

/* ---- around the VM's start ---- */

static int find_range(struct dl_phdr_info *object, size_t size, void *base)
{
	(void)size;
	if (object->dlpi_addr != *(uintptr_t *)base)
		return 0;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &object->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && (p->p_flags & PF_X)) {
			jvm_low = object->dlpi_addr + p->p_vaddr;
			jvm_high = jvm_low + p->p_memsz;
		}
	}
	return 1;
}

void mroce_signals_before_vm(void *libjvm)
{
	struct link_map *map = NULL;
	struct sigaction def;

	if (dlinfo(libjvm, RTLD_DI_LINKMAP, &map) == 0 && map)
		dl_iterate_phdr(find_range, &(uintptr_t){ map->l_addr });
	vm_handler = (int (*)(int, siginfo_t *, void *, int))(uintptr_t)dlsym(libjvm, "JVM_handle_linux_signal");
	for (int sig = 1; sig < _NSIG; sig++)
		if (next_sigaction()(sig, NULL, &before[sig]) < 0)
			memset(&before[sig], 0, sizeof(before[sig]));
	mroce_lock(&kept_lock);
	for (int i = 0; i < OURS; i++)
		keep(i, &before[ours[i]]);
	store_release(&active, 1);
	mroce_unlock(&kept_lock);
	/* The VM shall find no handlers to chain to: the program may replace them later, and the VM would not know. */
	memset(&def, 0, sizeof(def));
	def.sa_handler = SIG_DFL;
	for (int i = 0; i < OURS; i++)
		next_sigaction()(ours[i], &def, NULL);
}

void mroce_signals_after_vm(bool running)
{
	struct sigaction fault;

	for (int sig = 1; sig < _NSIG; sig++)
		if (index_of(sig) < 0 && sig != SIGKILL && sig != SIGSTOP)
			next_sigaction()(sig, &before[sig], NULL);
	if (!running) {
		mroce_lock(&kept_lock);
		store_release(&active, 0);
		for (int i = 0; i < OURS; i++)
			next_sigaction()(ours[i], wanted(i), NULL);
		mroce_unlock(&kept_lock);
		return;
	}
	memset(&fault, 0, sizeof(fault));
	fault.sa_sigaction = on_fault;
	fault.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
	for (int i = 0; i < OURS; i++)
		next_sigaction()(ours[i], &fault, NULL);
}

void mroce_signals_thread_mask(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (int i = 0; i < OURS; i++)
		sigaddset(&set, ours[i]);
	next_sigmask()(SIG_UNBLOCK, &set, NULL);
}

/* ---- interposed ---- */

static bool from_vm(const void *caller)
{
	return (uintptr_t)caller - jvm_low < jvm_high - jvm_low;
}

static int change(int sig, const struct sigaction *act, struct sigaction *old)
{
	int i = index_of(sig);
	struct sigaction copy;

	if (act) {
		copy = *act;
		strip(&copy.sa_mask); /* a handler may call verbs, and those need the four */
	}
	if (likely(i < 0 || !load_acquire(&active)))
		return next_sigaction()(sig, act ? &copy : NULL, old);
	mroce_lock(&kept_lock);
	struct sigaction was = *wanted(i);
	if (act)
		keep(i, &copy);
	mroce_unlock(&kept_lock);
	if (old)
		*old = was;
	return 0;
}

EXPORT int sigaction(int sig, const struct sigaction *restrict act, struct sigaction *restrict old)
{
	if (unlikely(from_vm(__builtin_return_address(0))))
		return next_sigaction()(sig, act, old);
	return change(sig, act, old);
}

static sighandler_t simple(int sig, sighandler_t handler, int flags)
{
	struct sigaction act, old;

	memset(&act, 0, sizeof(act));
	act.sa_handler = handler;
	act.sa_flags = flags;
	if (!(flags & SA_NODEFER) && sig > 0 && sig < _NSIG)
		sigaddset(&act.sa_mask, sig);
	return change(sig, &act, &old) < 0 ? SIG_ERR : old.sa_handler;
}

/* The one-line ways to install a handler: BSD semantics (restart), and System V's (one shot). */
sighandler_t __sysv_signal(int sig, sighandler_t handler);
sighandler_t bsd_signal(int sig, sighandler_t handler);

EXPORT sighandler_t signal(int sig, sighandler_t handler)
{
	return simple(sig, handler, SA_RESTART);
}

EXPORT sighandler_t bsd_signal(int sig, sighandler_t handler)
{
	return simple(sig, handler, SA_RESTART);
}

EXPORT sighandler_t ssignal(int sig, sighandler_t handler)
{
	return simple(sig, handler, SA_RESTART);
}

EXPORT sighandler_t __sysv_signal(int sig, sighandler_t handler)
{
	return simple(sig, handler, SA_RESETHAND | SA_NODEFER);
}

EXPORT sighandler_t sysv_signal(int sig, sighandler_t handler)
{
	return simple(sig, handler, SA_RESETHAND | SA_NODEFER);
}

static const sigset_t *unblockable(int how, const sigset_t *set, sigset_t *copy)
{
	if (!set || how == SIG_UNBLOCK)
		return set;
	*copy = *set;
	strip(copy);
	return copy;
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	sigset_t copy;

	return next_sigmask()(how, unblockable(how, set, &copy), old);
}

EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	sigset_t copy;
	int error = next_sigmask()(how, unblockable(how, set, &copy), old);

	if (error) {
		errno = error;
		return -1;
	}
	return 0;
}
