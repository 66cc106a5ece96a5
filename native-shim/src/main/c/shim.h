/* What the C files of libmroce.so share. Names with mroce_ and no `static` are internal to the library (hidden); exported are the public verbs
 * of libmroce.map and the libc functions that the library interposes. */
#ifndef MROCE_SHIM_H
#define MROCE_SHIM_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <infiniband/verbs.h>

#include "mroce_abi.h"

/* verbs.h hides these names behind macros; the library defines the functions themselves. */
#undef ibv_query_port
#undef ibv_reg_mr
#undef ibv_reg_mr_iova
#undef ibv_get_device_list

#define EXPORT __attribute__((visibility("default")))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define ALIGNED(n) __attribute__((aligned(n)))

#define load_relaxed(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define load_seq(p) __atomic_load_n((p), __ATOMIC_SEQ_CST)
#define store_relaxed(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define store_seq(p, v) __atomic_store_n((p), (v), __ATOMIC_SEQ_CST)

/* ---- shim_lock.c: a futex lock that costs one CAS and one exchange when nobody waits ---- */
struct mroce_lock { int word; };
void mroce_lock_slow(struct mroce_lock *lock);
void mroce_unlock_slow(struct mroce_lock *lock);

static inline void mroce_lock(struct mroce_lock *lock)
{
	int expected = 0;
	if (unlikely(!__atomic_compare_exchange_n(&lock->word, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)))
		mroce_lock_slow(lock);
}

static inline void mroce_unlock(struct mroce_lock *lock)
{
	if (unlikely(__atomic_exchange_n(&lock->word, 0, __ATOMIC_RELEASE) == 2))
		mroce_unlock_slow(lock);
}

long mroce_futex_wait(uint32_t *word, uint32_t value, int64_t timeout_ns); /* timeout < 0: none */
void mroce_futex_wake(uint32_t *word, int count);

/* ---- log: one sentence on stderr, prefixed "mroce: " ---- */
void mroce_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- shim_netdev.c: what the kernel says about a netdev ---- */
struct mroce_device_info {
	uint32_t num_planes;
	struct mroce_plane planes[MROCE_MAX_PLANES];
	int num_gids;                   /* pairs: MetaRoCE, RoCEv2 */
	union ibv_gid gids[64];
	__be64 guid;                    /* from the MAC of plane 0 */
	bool running;                   /* plane 0 has carrier */
};
/* Fills `info` from METAROCE_IFACE or the default netdev; 0, or an errno after a sentence was written to `why`. */
int mroce_netdev_scan(struct mroce_device_info *info, char *why, size_t why_size);
/* The state of plane 0 now: carrier, MTU, speed. */
void mroce_netdev_refresh(struct mroce_device_info *info);
enum ibv_mtu mroce_ib_mtu(uint32_t netdev_mtu);
void mroce_ib_speed(uint64_t mbps, uint8_t *width, uint8_t *speed);

/* ---- shim_device.c: the device and its contexts; works without a VM ---- */
struct mroce_async_node;
struct mroce_context {
	struct ibv_context *ibv;        /* inside vctx */
	struct mroce_lock lock;         /* the async queue; innermost */
	struct mroce_async_node *first, *last;
	struct mroce_context *next;     /* list of open contexts */
	uint8_t front[512];             /* zeroes for fields that newer headers read in front of vctx */
	struct verbs_context vctx;
	uint8_t behind[512];
};
struct ibv_device *mroce_device(void);          /* the device; does not scan */
bool mroce_real_devices(void);                  /* the kernel has RDMA devices of its own */
bool mroce_device_present(void);                /* scans on first use */
const struct mroce_device_info *mroce_info(void);
void mroce_fill_plane_list(struct mroce_boot *boot);
int mroce_query_device_ex(struct ibv_context *, const struct ibv_query_device_ex_input *, struct ibv_device_attr_ex *, size_t);
int mroce_query_port_ex(struct ibv_context *, uint8_t, struct ibv_port_attr *, size_t);

static inline bool mroce_owns_device(const struct ibv_device *device)
{
	return device == mroce_device();
}
static inline bool mroce_owns(const struct ibv_context *context)
{
	return likely(context->device == mroce_device());
}
static inline struct mroce_context *mroce_ctx(struct ibv_context *context)
{
	return (struct mroce_context *)((char *)context - offsetof(struct mroce_context, vctx.context));
}

/* ---- shim_ops.c ---- */
void mroce_fill_ops(struct verbs_context *vctx);

/* ---- rings ---- */
struct mroce_ring *mroce_ring_new(uint32_t entries, uint32_t stride); /* NULL and ENOMEM */
void mroce_ring_free(struct mroce_ring *ring);
uint32_t mroce_pow2(uint32_t n);                /* the next power of two, 1 for 0 */

static inline void *mroce_ring_slot(struct mroce_ring *ring, uint32_t counter, uint32_t mask, uint32_t stride)
{
	return (char *)ring + sizeof(struct mroce_ring) + (size_t)(counter & mask) * stride;
}

/* ---- objects (shim_objects.c, shim_qp.c, shim_channel.c) ---- */
struct mroce_channel {
	struct ibv_comp_channel ibv;
	struct mroce_lock lock;         /* consumers only */
	struct mroce_ring *ring;
};
struct mroce_cq {
	union {
		struct ibv_cq_ex ex;
		struct ibv_cq ibv;
		uint8_t room[512];      /* newer headers may know more fields: zero */
	};
	struct mroce_lock lock ALIGNED(64);
	bool paused;                    /* resize under way: polls answer 0 */
	uint32_t head, mask;
	struct mroce_ring *ring;
	const struct mroce_cqe *current; /* between start_poll and end_poll */
	uint32_t polled_head;
	bool is_ex;
	uint32_t id;
	uint32_t comp_reported;         /* events read: under the channel's lock */
	uint32_t async_reported;        /* the same: under the context's lock */
};
struct mroce_qp {
	union {
		struct ibv_qp_ex ex;
		struct ibv_qp ibv;
		uint8_t room[512];
	};
	/* send side */
	struct mroce_lock send_lock ALIGNED(64);
	uint32_t state;                 /* of the last successful modify: enum ibv_qp_state */
	uint32_t sq_tail, sq_entries, sq_mask, sq_stride, sq_limit;
	struct mroce_ring *sq;
	uint32_t max_send_sge, max_inline, sq_sig_all;
	uint32_t id;                    /* QP index: the doorbell's bit */
	/* ibv_wr_*: between wr_start and wr_complete */
	uint32_t wr_tail;
	int wr_error;
	struct mroce_send_slot *wr_slot;
	/* receive side */
	struct mroce_lock recv_lock ALIGNED(64);
	uint32_t rq_tail, rq_entries, rq_mask, rq_stride, rq_limit;
	struct mroce_ring *rq;
	uint32_t max_recv_sge;
	/* control */
	bool has_ex;
	struct ibv_qp_cap cap;
	uint32_t async_reported;        /* under the context's lock */
};
_Static_assert(offsetof(struct mroce_cq, lock) >= 512 && offsetof(struct mroce_qp, send_lock) >= 512, "room for newer headers");

#define to_cq(p) ((struct mroce_cq *)(p))
#define to_qp(p) ((struct mroce_qp *)(p))
#define to_channel(p) ((struct mroce_channel *)(p))

/* ---- shim_async.c, shim_channel.c ---- */
void mroce_async_distribute(void);              /* moves events from the VM's ring to the contexts' queues */
void mroce_async_all(uint32_t event_type, uint32_t port);
uint32_t mroce_async_forget(struct mroce_context *ctx, void *object, uint32_t *reported);
void mroce_async_forget_all(struct mroce_context *ctx);
uint32_t mroce_channel_forget(struct mroce_channel *channel, struct mroce_cq *cq);
void mroce_contexts_lock(void);
void mroce_contexts_unlock(void);
struct mroce_context *mroce_contexts(void);     /* list head; with the lock held */

/* ---- shim_turn.c ---- */
extern struct mroce_control *mroce_ctl;         /* NULL before the VM started */
void mroce_doorbell(uint32_t qp);               /* sets the bits; does not drive */
int mroce_drive(void);                          /* takes the turn if it is free and drives once; what fn_drive said, 0 when taken */
void mroce_kick(void);                          /* wakes the daemon */
void mroce_fatal(const char *where);

/* ---- shim_upcall.c: the only two ways into Java ---- */
int mroce_upcall_drive(void);
int mroce_upcall_command(uint32_t op, void *record);
int mroce_command(uint32_t op, void *record);   /* 0 or an errno; starts nothing */
bool mroce_in_upcall(void);
void mroce_upcall_detached(void);                /* the calling thread is no longer attached to the VM */
void mroce_helper_init(void);
void mroce_helper_finish(void);                 /* ends the loop and the VM, and waits for it (AOT training) */
void mroce_helper_finished(void);
void mroce_helper_loop(void);                   /* body of the VM's thread after the start: hand-overs and async events */

/* ---- shim_jvm.c ---- */
extern struct mroce_boot mroce_boot;
bool mroce_vm_attach(void);                      /* the calling thread, until it ends */
int mroce_vm_start(void);                       /* 0 or ENODEV; cheap when it runs already */
bool mroce_vm_running(void);
bool mroce_vm_touched(void);                    /* it runs, starts, or failed to */
bool mroce_vm_training(void);                   /* this run makes the AOT cache */
const char *mroce_library_dir(void);            /* directory of libmroce.so */
const char *mroce_library_path(void);

/* ---- shim_signal.c, shim_guard.c ---- */
void mroce_signals_before_vm(void *libjvm);
void mroce_signals_after_vm(bool running);
void mroce_signals_thread_mask(void);           /* SEGV BUS ILL FPE unblocked on this thread */
int mroce_guard_copy(void *dst, const void *src, uint64_t n);
int mroce_guard_cas(uint64_t *addr, uint64_t compare, uint64_t swap, uint64_t *old);
int mroce_guard_fetch_add(uint64_t *addr, uint64_t add, uint64_t *old);
int mroce_guard_store(void *dst, const void *src, uint64_t n);
bool mroce_guard_recover(void *ucontext);       /* in a signal handler: true when the fault was inside a guarded call */

/* ---- shim_fork.c ---- */
extern uint32_t mroce_forked;                   /* 1 in a child whose parent had a VM: no entry may touch rings or Java */

/* ---- shim_sysfs.c ---- */
const char *mroce_tree(void);                   /* root of the fake tree, made on first use; NULL when there is no device */
const char *mroce_tree_if_made(void);
void mroce_tree_remove(void);
void mroce_tree_forget(void);                   /* in a forked child: the tree is the parent's */
const char *mroce_redirect(const char *path, char *buffer, size_t size); /* `path`, or the path inside the tree */

/* ---- shim_real.c ---- */
void *mroce_real(const char *name, const char *version); /* NULL when the machine has no libibverbs */
void *mroce_real_dlopen(const char *name, int flags);

#define REAL_SYMBOL(result, name, version)                                                                               \
	({                                                                                                                   \
		static void *cached;                                                                                             \
		void *found = load_acquire(&cached);                                                                             \
		if (!found) {                                                                                                    \
			found = mroce_real(name, version);                                                                           \
			store_release(&cached, found);                                                                               \
		}                                                                                                                \
		(result)(uintptr_t) found;                                                                                       \
	})

/* First line of a verb: an object that is not ours goes to the real library (`missing` when there is none). version NULL: the default one. */
#define FORWARD(owned, missing, version, name, ...)                                                                      \
	do {                                                                                                                 \
		if (unlikely(!(owned))) {                                                                                        \
			typeof(&name) real_function = REAL_SYMBOL(typeof(&name), #name, version);                                    \
			if (real_function)                                                                                           \
				return real_function(__VA_ARGS__);                                                                       \
			return missing;                                                                                              \
		}                                                                                                                \
	} while (0)

static inline void *mroce_null(int error)
{
	errno = error;
	return NULL;
}
/* Verbs answer a positive errno, and programs look at errno too. */
static inline int mroce_error(int error)
{
	if (error)
		errno = error;
	return error;
}

/* Private to rdma-core, so not in its header. */
int ibv_query_gid_type(struct ibv_context *context, uint8_t port, unsigned index, int *type);
int ibv_query_port_speed(struct ibv_context *context, uint32_t port, uint64_t *speed);

#endif
