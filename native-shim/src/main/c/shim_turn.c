/* The turn: one holder at a time drives the engine. Nobody waits for it to post. Rules: a poster sets its doorbell bits before it looks at the
 * turn; a holder looks at the summary again after it let go. One of the two then sees the other, whatever the interleaving. */
#define _GNU_SOURCE
#include <limits.h>
#include <unistd.h>

#include "shim.h"

struct mroce_control *mroce_ctl;

enum { RETAKES = 2 };

void mroce_kick(void)
{
	uint64_t one = 1;
	int saved = errno;

	if (mroce_ctl && mroce_ctl->kick_fd >= 0 && write(mroce_ctl->kick_fd, &one, sizeof(one)) < 0)
		errno = saved; /* the counter is full: it is awake anyway */
}

void mroce_doorbell(uint32_t qp)
{
	struct mroce_control *c = mroce_ctl;
	uint32_t word = qp / 64;

	__atomic_fetch_or(&c->leaf[word], 1ull << (qp % 64), __ATOMIC_SEQ_CST);
	__atomic_fetch_or(&c->summary[word / 64], 1ull << (word % 64), __ATOMIC_SEQ_CST);
}

static bool try_turn(struct mroce_control *c)
{
	uint32_t expected = 0;

	return load_seq(&c->turn) == 0 &&
		__atomic_compare_exchange_n(&c->turn, &expected, 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static bool dirty(struct mroce_control *c)
{
	return load_seq(&c->summary[0]) | load_seq(&c->summary[1]) | load_seq(&c->summary[2]) | load_seq(&c->summary[3]);
}

/* Lets go. A control verb that waits is woken; a daemon that would sleep past the next timer is kicked. */
static void release(struct mroce_control *c)
{
	store_seq(&c->turn, 0);
	if (unlikely(load_seq(&c->wanted)))
		mroce_futex_wake(&c->turn, INT_MAX);
	if (load_seq(&c->daemon_state) == MROCE_DAEMON_WATCH && load_seq(&c->next_deadline_ns) < load_seq(&c->daemon_wake_ns))
		mroce_kick();
}

int mroce_drive(void)
{
	struct mroce_control *c = mroce_ctl;
	int moved = 0;

	if (load_relaxed(&c->wanted) || load_relaxed(&c->state) != MROCE_RUNNING || mroce_in_upcall() || !try_turn(c))
		return 0;
	for (int i = 0;; i++) {
		int n = mroce_upcall_drive();

		release(c);
		if (unlikely(n < 0)) {
			mroce_fatal("driving the engine");
			return 0;
		}
		moved += n;
		if (likely(!dirty(c)) || load_relaxed(&c->wanted))
			return moved; /* whoever waits for the turn looks at the doorbells itself */
		if (i == RETAKES) {
			mroce_kick();
			return moved;
		}
		if (!try_turn(c))
			return moved;
	}
}

void mroce_fatal(const char *where)
{
	uint32_t running = MROCE_RUNNING;

	if (!__atomic_compare_exchange_n(&mroce_ctl->state, &running, MROCE_FATAL, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		return;
	mroce_say("the device failed while %s; see the trace above", where);
	mroce_async_all(IBV_EVENT_DEVICE_FATAL, 0);
}
