/* White box: shim_turn.c with another thread's post placed exactly where it is dangerous: the holder has read the doorbells and still holds the
 * turn. Without the second look after the release the work request is stranded. */
#include "../../main/c/shim_turn.c"

#include <stdlib.h>
#include <string.h>

#define SAME(a, b)                                                                                                       \
	do {                                                                                                                 \
		long long left = (long long)(a), right = (long long)(b);                                                         \
		if (left != right) {                                                                                             \
			fprintf(stderr, "%s:%d: %s is %lld, not %s = %lld\n", __FILE__, __LINE__, #a, left, #b, right);              \
			exit(1);                                                                                                     \
		}                                                                                                                \
	} while (0)

static struct mroce_control control;
static int drives, served, kick_pipe, posts_left, wakes;
static uint32_t woken_word, told;
static int broken;

bool mroce_in_upcall(void) { return false; }
void mroce_say(const char *format, ...) { (void)format; }
void mroce_async_all(uint32_t type, uint32_t port)
{
	SAME(type, IBV_EVENT_DEVICE_FATAL);
	SAME(port, 0);
	told++;
}
void mroce_futex_wake(uint32_t *word, int count)
{
	(void)count;
	wakes++;
	woken_word = word == &control.turn;
}

/* The engine: takes the doorbells, and while it still holds the turn somebody posts. */
int mroce_upcall_drive(void)
{
	drives++;
	SAME(control.turn, 1);
	if (broken)
		return -EIO;
	for (int s = 0; s < 4; s++) {
		uint64_t bits = __atomic_exchange_n(&control.summary[s], 0, __ATOMIC_SEQ_CST);

		for (; bits; bits &= bits - 1) {
			int leaf = s * 64 + __builtin_ctzll(bits);

			served += __builtin_popcountll(__atomic_exchange_n(&control.leaf[leaf], 0, __ATOMIC_SEQ_CST));
		}
	}
	if (posts_left > 0) {
		int before = drives;

		posts_left--;
		mroce_doorbell(16383);
		SAME(mroce_drive(), 0); /* the poster finds the turn taken, and goes */
		SAME(drives, before);
	}
	return 1;
}

static void start(int posts)
{
	memset(&control, 0, sizeof(control));
	mroce_ctl = &control;
	int fds[2];
	SAME(pipe(fds), 0);
	control.kick_fd = fds[1];
	control.state = MROCE_RUNNING;
	control.next_deadline_ns = UINT64_MAX;
	kick_pipe = fds[0];
	drives = served = wakes = 0;
	posts_left = posts;
}

static int kicks(void)
{
	uint64_t buffer[16];

	close(control.kick_fd);
	return (int)(read(kick_pipe, buffer, sizeof(buffer)) / 8);
}

int main(void)
{
	/* One post while the turn is held: served by the second look. */
	start(1);
	mroce_doorbell(2);
	SAME(mroce_drive(), 2);
	SAME(served, 2);
	SAME(control.turn, 0);
	SAME(kicks(), 0);

	/* Somebody always posts: after two retakes the daemon gets it, and the thread goes on with its own work. */
	start(100);
	mroce_drive();
	SAME(drives, 3);
	SAME(control.turn, 0);
	SAME(kicks(), 1);

	/* A control verb waits: it is woken on the futex word it sleeps on, and pollers stand back. */
	start(0);
	control.wanted = 1;
	SAME(mroce_drive(), 0);
	SAME(drives, 0);
	start(1);
	mroce_doorbell(2);
	control.turn = 0;
	SAME(mroce_drive(), 2);
	SAME(wakes, 0);
	start(0);
	control.turn = 1;
	control.wanted = 1;
	release(&control);
	SAME(wakes, 1);
	SAME(woken_word, 1);

	/* A sleeping daemon that would miss the next timer is kicked, one on patrol is not. */
	start(0);
	control.daemon_state = MROCE_DAEMON_WATCH;
	control.daemon_wake_ns = 1000;
	control.next_deadline_ns = 500;
	mroce_drive();
	SAME(kicks(), 1);
	start(0);
	control.daemon_state = MROCE_DAEMON_PATROL;
	control.daemon_wake_ns = 1000;
	control.next_deadline_ns = 500;
	mroce_drive();
	SAME(kicks(), 0);
	start(0);
	control.daemon_state = MROCE_DAEMON_WATCH;
	control.daemon_wake_ns = 500;
	control.next_deadline_ns = 1000;
	mroce_drive();
	SAME(kicks(), 0);

	/* Java failed: the turn is free, every context is told once, and nobody drives any more. */
	start(0);
	broken = 1;
	SAME(mroce_drive(), 0);
	SAME(control.turn, 0);
	SAME(control.state, MROCE_FATAL);
	SAME(mroce_drive(), 0);
	SAME(drives, 1);
	SAME(told, 1);
	broken = 0;

	/* Every QP index has a bit of its own. */
	start(0);
	for (uint32_t qp = 0; qp < 16384; qp++)
		mroce_doorbell(qp);
	mroce_drive();
	SAME(served, 16384);
	printf("ok\n");
	return 0;
}
