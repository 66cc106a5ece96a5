/* Futex lock (0 free, 1 held, 2 held and somebody may wait), futex calls, rings, and the log line. */
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "shim.h"

long mroce_futex_wait(uint32_t *word, uint32_t value, int64_t timeout_ns)
{
	struct timespec timeout = { timeout_ns / 1000000000, timeout_ns % 1000000000 };
	int saved = errno;
	long rc = syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, timeout_ns < 0 ? NULL : &timeout, NULL, 0);
	long error = rc < 0 ? errno : 0;
	errno = saved;
	return error;
}

void mroce_futex_wake(uint32_t *word, int count)
{
	int saved = errno;
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
	errno = saved;
}

void mroce_lock_slow(struct mroce_lock *lock)
{
	for (int spins = 0; spins < 64; spins++) {
		int expected = 0;
		if (load_relaxed(&lock->word) == 0 &&
		    __atomic_compare_exchange_n(&lock->word, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return;
	}
	while (__atomic_exchange_n(&lock->word, 2, __ATOMIC_ACQUIRE) != 0)
		mroce_futex_wait((uint32_t *)&lock->word, 2, -1);
}

void mroce_unlock_slow(struct mroce_lock *lock)
{
	mroce_futex_wake((uint32_t *)&lock->word, 1);
}

void mroce_say(const char *format, ...)
{
	char line[1024];
	va_list args;
	int used = snprintf(line, sizeof(line), "mroce: ");

	va_start(args, format);
	int more = vsnprintf(line + used, sizeof(line) - used - 1, format, args);
	va_end(args);
	used += more < 0 ? 0 : more;
	if (used > (int)sizeof(line) - 2)
		used = sizeof(line) - 2;
	line[used++] = '\n';
	if (write(STDERR_FILENO, line, used) < 0)
		return; /* nobody to tell */
}

uint32_t mroce_pow2(uint32_t n)
{
	return n <= 1 ? 1 : 1u << (32 - __builtin_clz(n - 1));
}

static size_t ring_bytes(uint32_t entries, uint32_t stride)
{
	return (sizeof(struct mroce_ring) + (size_t)entries * stride + 4095) & ~(size_t)4095;
}

struct mroce_ring *mroce_ring_new(uint32_t entries, uint32_t stride)
{
	size_t bytes = ring_bytes(entries, stride);
	struct mroce_ring *ring =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (ring == MAP_FAILED) {
		errno = ENOMEM;
		return NULL;
	}
	madvise(ring, bytes, MADV_DONTFORK);
	ring->entries = entries;
	ring->stride = stride;
	return ring;
}

void mroce_ring_free(struct mroce_ring *ring)
{
	if (ring)
		munmap(ring, ring_bytes(ring->entries, ring->stride));
}
