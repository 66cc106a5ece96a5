/* Signals between the program and the VM. argv[1] names the case.
 *   mask      the program blocks every signal after its first verb, then goes on through many safepoints
 *   late      it installs a SEGV handler after its first verb: that one sees the program's faults and none of the VM's
 *   early     it installed one before: the same
 *   default   a fault of the program kills it with SIGSEGV, as without the VM
 *   handler   a handler posts and polls by itself, on queues of its own, while the thread it interrupts is anywhere
 *   restored  SIGPIPE, SIGTERM and the rest are as the program left them */
#include "test.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>

static volatile sig_atomic_t faults;
static volatile int *volatile nowhere = (volatile int *)16;
static sigjmp_buf back;
static struct end ends[2];
static struct ibv_pd *pd;
static struct ibv_mr *mr;
static char *buf;

static void traffic(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		SAME(post_recv(ends[1].qp, 7, buf, 100, mr->lkey), 0);
		SAME(post_send(ends[0].qp, 8, buf + 200, 100, mr->lkey), 0);
		SAME(wait_wc(ends[0].cq).status, IBV_WC_SUCCESS);
		SAME(wait_wc(ends[1].cq).status, IBV_WC_SUCCESS);
	}
}

static void start(void)
{
	CHECK(pd = ibv_alloc_pd(open_mroce()));
	make_pair(pd, ends, 16);
	CHECK(buf = calloc(1, 4096));
	CHECK(mr = ibv_reg_mr(pd, buf, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE));
	traffic(10);
}

/* Faults inside the library, in the guarded calls: reg_mr of a page that cannot be written. */
static void guarded_faults(void)
{
	void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < 50; i++) {
		CHECK(ibv_reg_mr(pd, page, 4096, IBV_ACCESS_LOCAL_WRITE) == NULL);
		SAME(errno, EFAULT);
	}
}

static void on_segv(int sig, siginfo_t *info, void *context)
{
	(void)context;
	CHECK(sig == SIGSEGV && info->si_addr == (void *)16);
	faults++;
	siglongjmp(back, 1);
}

static void own_fault(void)
{
	int before = faults;

	if (sigsetjmp(back, 1) == 0)
		*nowhere = 1;
	SAME(faults, before + 1);
}

static void handler_case(int late)
{
	struct sigaction act = { .sa_sigaction = on_segv, .sa_flags = SA_SIGINFO }, old;

	if (!late)
		SAME(sigaction(SIGSEGV, &act, NULL), 0);
	start();
	if (late)
		SAME(sigaction(SIGSEGV, &act, NULL), 0);
	traffic(20000);
	guarded_faults();
	SAME(faults, 0);
	own_fault();
	traffic(100);
	own_fault();
	SAME(sigaction(SIGSEGV, NULL, &old), 0);
	CHECK(old.sa_sigaction == on_segv);
	guarded_faults();
	SAME(faults, 2);
}

static void mask_case(void)
{
	sigset_t all, now;

	start();
	sigfillset(&all);
	SAME(pthread_sigmask(SIG_SETMASK, &all, NULL), 0);
	traffic(20000);
	guarded_faults();
	SAME(sigprocmask(SIG_SETMASK, NULL, &now), 0);
	CHECK(sigismember(&now, SIGTERM) == 1 && sigismember(&now, SIGUSR2) == 1 && sigismember(&now, SIGSEGV) == 0);
}

/* ---- verbs from a handler ---- */

static struct end own[2];
static volatile sig_atomic_t handled, completed, posted;

static void on_timer(int sig)
{
	int saved = errno;
	struct ibv_wc wc;

	(void)sig;
	handled++;
	if (posted - completed < 8) {
		SAME(post_write(own[0].qp, 5, buf, 64, mr->lkey, buf + 1024, mr->rkey), 0);
		posted++;
	}
	while (ibv_poll_cq(own[0].cq, 1, &wc) == 1) {
		SAME(wc.status, IBV_WC_SUCCESS);
		completed++;
	}
	errno = saved;
}

static void in_handler_case(void)
{
	struct itimerval often = { { 0, 300 }, { 0, 300 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction act = { .sa_handler = on_timer, .sa_flags = SA_RESTART };

	start();
	make_pair(pd, own, 16);
	sigfillset(&act.sa_mask);
	SAME(sigaction(SIGALRM, &act, NULL), 0);
	SAME(setitimer(ITIMER_REAL, &often, NULL), 0);
	while (handled < 3000 || completed < 100)
		traffic(1);
	SAME(setitimer(ITIMER_REAL, &never, NULL), 0);
	traffic(10);
}

static volatile sig_atomic_t usr1;
static void on_usr1(int sig)
{
	usr1 += sig == SIGUSR1;
}

static void restored_case(void)
{
	struct sigaction old;

	for (int sig = 1; sig < 32; sig++) /* a background shell starts its commands with INT and QUIT ignored */
		if (sig != SIGKILL && sig != SIGSTOP)
			CHECK(signal(sig, SIG_DFL) != SIG_ERR);
	CHECK(signal(SIGUSR1, on_usr1) != SIG_ERR);
	CHECK(signal(SIGHUP, SIG_IGN) != SIG_ERR);
	start();
	for (int sig = 1; sig < 32; sig++) {
		if (sig == SIGKILL || sig == SIGSTOP)
			continue;
		SAME(sigaction(sig, NULL, &old), 0);
		CHECK(sig == SIGUSR1 ? old.sa_handler == on_usr1 : sig == SIGHUP ? old.sa_handler == SIG_IGN : old.sa_handler == SIG_DFL);
	}
	raise(SIGUSR1);
	SAME(usr1, 1);
	traffic(10);
	raise(SIGPIPE); /* the default: ends the program */
}

int main(int argc, char **argv)
{
	SAME(argc, 2);
	if (strcmp(argv[1], "mask") == 0) {
		mask_case();
	} else if (strcmp(argv[1], "late") == 0) {
		handler_case(1);
	} else if (strcmp(argv[1], "early") == 0) {
		handler_case(0);
	} else if (strcmp(argv[1], "default") == 0) {
		start();
		printf("about to fault\n");
		fflush(stdout);
		*nowhere = 1;
	} else if (strcmp(argv[1], "handler") == 0) {
		in_handler_case();
	} else if (strcmp(argv[1], "restored") == 0) {
		restored_case();
	} else {
		return 2;
	}
	return ok();
}
