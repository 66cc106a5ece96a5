/* The two calls into Java. Each checks, in this order: not inside an upcall already (a signal handler during one), the stack is the thread's own and
 * long enough (else the call is handed to the VM's thread, which sleeps in mroce_helper_loop). Cancellation is off during an upcall. */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "shim.h"

/* What Java needs below the stack pointer: the VM's guard zones (about 100 KB) and its frames. */
enum { STACK_NEEDED = 192 * 1024 };

struct thread_state {
	uintptr_t low, high;   /* bounds of the stack; 0 unknown yet */
	bool in_upcall, attached;
};
static __thread struct thread_state self __attribute__((tls_model("initial-exec")));

void mroce_upcall_detached(void)
{
	self.attached = false;
}

bool mroce_in_upcall(void)
{
	return self.in_upcall;
}

static __attribute__((noinline)) void find_stack(void)
{
	pthread_attr_t attr;
	void *base = NULL;
	size_t size = 0;
	int saved = errno;

	if (pthread_getattr_np(pthread_self(), &attr) == 0) {
		pthread_attr_getstack(&attr, &base, &size);
		pthread_attr_destroy(&attr);
	}
	errno = saved;
	self.low = (uintptr_t)base;
	self.high = (uintptr_t)base + size;
}

static bool stack_is_good(void)
{
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0);

	if (unlikely(self.high == 0))
		find_stack();
	return likely(sp < self.high && sp > self.low && sp - self.low >= STACK_NEEDED);
}

/* ---- calls handed over ---- */

struct job {
	struct job *next;
	uint32_t op;           /* 0: drive */
	void *record;
	int result;
	uint32_t done;         /* futex word */
};
static struct mroce_lock job_lock;
static struct job *jobs;
static int job_fd = -1;

static int hand_over(uint32_t op, void *record)
{
	struct job job = { .op = op, .record = record };
	uint64_t one = 1;
	int saved = errno;

	mroce_lock(&job_lock);
	job.next = jobs;
	jobs = &job;
	mroce_unlock(&job_lock);
	while (write(job_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	errno = saved;
	while (load_acquire(&job.done) == 0)
		mroce_futex_wait(&job.done, 0, -1);
	return job.result;
}

static int call(uint32_t op, void *record)
{
	if (op)
		return ((int (*)(uint32_t, void *))(uintptr_t)mroce_boot.fn_command)(op, record);
	return ((int (*)(void))(uintptr_t)mroce_boot.fn_drive)();
}

static int guarded_call(uint32_t op, void *record)
{
	sigset_t mask;
	int old, saved = errno;
	bool first = !self.attached;

	if (unlikely(first)) { /* attaching changes the mask */
		pthread_sigmask(SIG_SETMASK, NULL, &mask);
		mroce_signals_thread_mask();
		self.attached = mroce_vm_attach();
	}
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	self.in_upcall = true;
	int result = call(op, record);
	self.in_upcall = false;
	pthread_setcancelstate(old, NULL);
	if (unlikely(first)) {
		pthread_sigmask(SIG_SETMASK, &mask, NULL); /* ours: it leaves SEGV, BUS, ILL and FPE unblocked */
	}
	errno = saved;
	return result;
}

int mroce_upcall_drive(void)
{
	return likely(stack_is_good()) ? guarded_call(0, NULL) : hand_over(0, NULL);
}

int mroce_upcall_command(uint32_t op, void *record)
{
	return likely(stack_is_good()) ? guarded_call(op, record) : hand_over(op, record);
}

int mroce_command(uint32_t op, void *record)
{
	if (load_relaxed(&mroce_forked) || !mroce_ctl)
		return ENODEV;
	if (mroce_in_upcall())
		return EAGAIN;
	if (load_relaxed(&mroce_ctl->state) == MROCE_FATAL)
		return EIO;
	int error = mroce_upcall_command(op, record);

	if (unlikely(error < 0)) {
		mroce_fatal("running a command");
		return EIO;
	}
	return error;
}

static void run_jobs(void)
{
	mroce_lock(&job_lock);
	struct job *list = jobs;
	jobs = NULL;
	mroce_unlock(&job_lock);
	while (list) {
		struct job *job = list;

		list = job->next; /* the job is the caller's, and gone once it is done */
		job->result = call(job->op, job->record);
		store_release(&job->done, 1);
		mroce_futex_wake(&job->done, 1);
	}
}

void mroce_helper_init(void)
{
	job_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

static uint32_t finish, finished;

void mroce_helper_finish(void)
{
	uint64_t one = 1;

	store_seq(&finish, 1);
	if (write(job_fd, &one, sizeof(one)) == sizeof(one))
		while (load_acquire(&finished) == 0)
			mroce_futex_wait(&finished, 0, -1);
}

void mroce_helper_finished(void)
{
	store_seq(&finished, 1);
	mroce_futex_wake(&finished, 1);
}

void mroce_helper_loop(void)
{
	struct pollfd fds[2] = { { .fd = job_fd, .events = POLLIN }, { .fd = mroce_boot.async_fd, .events = POLLIN } };
	uint64_t count;

	self.in_upcall = true; /* nothing that runs here calls a verb */
	while (!load_seq(&finish)) {
		if (poll(fds, 2, -1) < 0)
			continue;
		if (fds[0].revents && read(job_fd, &count, sizeof(count)) == sizeof(count))
			run_jobs();
		if (fds[1].revents && read(mroce_boot.async_fd, &count, sizeof(count)) == sizeof(count))
			mroce_async_distribute();
	}
}
