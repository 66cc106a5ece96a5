/* SPDX-License-Identifier: Apache-2.0
 * verbs_data: two processes move random data in both directions over many QPs and compare every byte and completion.
 *
 * A flow is one direction of one QP. Its messages come in batches; what a batch holds follows from (seed, direction, QP,
 * batch) alone, so that both sides know it. A batch lives in one of two banks of memory on each side and ends with a message
 * that gives the receiver a completion; the receiver then compares its bank with the image that the batch must leave, posts the
 * receives of the batch after next, and tells the sender over the thread's control QP that the bank is free again. */
#ifndef METAROCE_JUDGE_DATA_H
#define METAROCE_JUDGE_DATA_H

#include "common.h"

#define MAX_SGES 32
#define MAX_BATCH 32
#define BANKS 2
#define COUNTERS 8
#define BANK_SLACK (128u * 1024)

/* Agreed by both processes before the first message. */
struct params {
    uint64_t seed;
    uint32_t messages;
    uint32_t threads;
    uint32_t qps;
    uint32_t max_size;
    uint32_t max_inline;
    uint32_t max_sge;
    uint32_t timeout_s;
    uint32_t late_percent; /* flows whose receiver gives the credit before it posts the receives: their sender meets RNR */
    uint32_t wr_percent; /* flows that post through ibv_wr_* */
};

enum op { OP_SEND, OP_SEND_IMM, OP_WRITE, OP_WRITE_IMM, OP_READ, OP_FETCH_ADD, OP_CMP_SWAP, OP_KINDS };

extern const char *const OP_NAMES[OP_KINDS];

struct piece {
    uint32_t offset;
    uint32_t length;
    uint32_t key;
};

enum shape {
    PLAIN,
    OVERLAY,  /* a WRITE over a part of an earlier WRITE of the batch: the later one must win */
    READBACK, /* a READ of what an earlier WRITE of the batch put there */
    FORWARD,  /* fenced, its source is where an earlier READ of the batch landed */
    SHARED,   /* a FETCH_ADD of 1 on the counter that all flows of the direction share */
};

struct message {
    uint64_t number; /* in the flow, from 0 */
    uint64_t key;    /* of its bytes */
    uint64_t wr_id;
    uint64_t receive_wr_id;
    enum op op;
    enum shape shape;
    uint32_t size;
    uint32_t imm;
    bool signalled;
    bool inlined;
    bool fenced;
    bool solicited;
    bool overlaid; /* a later message of the batch may change the target */
    bool sealed;   /* read back: nothing may change the target */
    uint32_t ref;  /* OVERLAY, READBACK, FORWARD: index in the batch */
    uint32_t ref_offset;
    uint32_t target; /* offset in the target bank (WRITE), in the read area (READ), index of the counter (atomics) */
    uint32_t source_count;
    uint32_t receive_count;
    struct piece source[MAX_SGES]; /* in the source bank; for READ and atomics where the answer lands */
    struct piece receive[MAX_SGES];
    uint64_t compare_add;
    uint64_t swap;
    uint64_t old; /* what an atomic must answer; unknown for SHARED until it was answered */
};

struct plan {
    uint32_t count;
    uint32_t source_used;
    uint32_t target_used;
    struct message messages[MAX_BATCH];
};

/* ---- data_plan.c ---- */

uint32_t bank_bytes(const struct params *params);
uint32_t read_area_bytes(const struct params *params);
uint64_t read_area_key(const struct params *params, int side);
uint64_t guard_key(uint32_t qp, int side);
/* True when the message takes a receive from the other side's queue. */
bool consumes_receive(const struct message *message);
bool is_atomic(const struct message *message);
/* Makes batch number `batch` of the flow (direction, qp) whose first message is first_number; steps the counters' model. */
void plan_make(const struct params *params, int direction, uint32_t qp, uint32_t batch, uint64_t first_number,
               uint64_t model[COUNTERS], struct plan *plan);
/* The size bytes that message i carries (READ: that it must bring back). direction: 0 = client to server. */
void message_bytes(const struct params *params, int direction, const struct plan *plan, uint32_t i, uint8_t *out);
/* What the banks must hold after the batch; out has room for bank_bytes. scratch: max_size. */
void source_image(const struct params *params, int direction, const struct plan *plan, uint64_t guard, uint8_t *out, uint8_t *scratch);
void target_image(const struct params *params, int direction, const struct plan *plan, uint64_t guard, uint8_t *out, uint8_t *scratch);
/* The message whose pieces or target hold this offset of the bank, or -1: between them. */
int message_at(const struct plan *plan, uint32_t offset, bool source);

/* ---- data_worker.c ---- */

struct totals {
    uint64_t messages[OP_KINDS];
    uint64_t bytes[OP_KINDS];
    uint64_t unsignalled;
    uint64_t inlined;
    uint64_t fenced;
    uint64_t sges;
    uint64_t receives;
    uint64_t events;
    uint64_t by_wr_api;
};

struct outgoing {
    struct plan plan[BANKS];
    uint32_t posted;    /* batches */
    uint32_t completed; /* batches whose last WR completed and whose bank was compared */
    uint32_t credits;   /* batches that the receiver has room for, ever */
    uint64_t planned;   /* messages */
    uint64_t model[COUNTERS];
    uint32_t next;    /* next message of the batch `completed` that will be seen by a completion */
};

struct incoming {
    struct plan plan[BANKS];
    uint32_t armed;    /* batches whose receives are posted */
    uint32_t compared; /* batches */
    uint64_t planned;
    uint64_t model[COUNTERS];
    uint32_t next; /* next message of the batch `compared` that is not yet seen */
    bool late;     /* gives the credit before it posts the receives */
    uint32_t owed; /* credits to send */
};

struct remote {
    uint64_t banks; /* address of the QP's block; the target banks come first */
    uint64_t counters;
    uint64_t read_area;
    uint64_t shared;
    uint32_t banks_rkey;
    uint32_t counters_rkey;
    uint32_t read_rkey;
    uint32_t reserved;
    struct rc_address address;
};

struct worker;

struct flow_qp {
    struct worker *worker;
    uint32_t index; /* in the process */
    struct ibv_qp *qp;
    struct ibv_qp_ex *ex;   /* posts through ibv_wr_*, or NULL */
    struct ibv_mr *mr[2]; /* both over the whole block: any SGE may use either */
    uint8_t *block;       /* target banks, source banks, counters */
    struct remote remote;
    struct outgoing out;
    struct incoming in;
};

enum spoil { SPOIL_NOTHING, SPOIL_BYTE, SPOIL_IMMEDIATE, SPOIL_ORDER, SPOIL_LENGTH };

/* One per process. */
struct judge {
    struct params params;
    struct judge_device device;
    int side; /* 0 client, 1 server; as a sender also the direction */
    struct ibv_pd *pd;
    uint8_t *read_area; /* followed by the shared counter */
    struct ibv_mr *read_mr;
    uint8_t *shared_seen; /* one per value that the peer's shared counter may answer */
    uint64_t shared_limit;
    uint64_t progress; /* atomic */
    uint64_t shared_posted; /* atomic */
    enum spoil spoil;       /* the client's own lie, to show that the judge finds it */
};

struct worker {
    struct judge *judge;
    uint32_t index;
    bool events;
    struct ibv_comp_channel *channel;
    uint32_t cq_count; /* send CQs, then receive CQs, then the control CQ */
    struct ibv_cq **cqs;
    bool *receives_only;
    struct flow_qp *qps;
    struct ibv_qp *control;
    struct remote control_remote;
    uint32_t control_room;
    uint8_t *image;
    uint8_t *scratch;
    struct totals sent;
    struct totals received;
    struct rng rng;
    uint32_t state; /* for the report of a hang */
};

/* Fails naming seed, thread, QP and message (UINT64_MAX: none). */
void fail(const struct flow_qp *q, uint64_t message, const char *format, ...) __attribute__((noreturn, format(printf, 3, 4)));

void worker_create(struct worker *worker, struct judge *judge, uint32_t index);
/* Posts the receives of the first batches and of the control QP. Before the QPs are connected to a running peer. */
void worker_arm(struct worker *worker);
void *worker_run(void *worker);
/* After both sides are done: nothing more completed, guards and counters are right. */
void worker_settle(struct worker *worker);
void worker_destroy(struct worker *worker);

/* ---- data_wr.c ---- */

/* A QP that posts through ibv_wr_*, or NULL with errno. */
struct ibv_qp *wr_create(struct ibv_pd *pd, const struct ibv_qp_init_attr *init);
int wr_post(struct ibv_qp_ex *qp, const struct ibv_send_wr *first);

/* ---- data_flow.c ---- */

uint8_t *target_bank(const struct flow_qp *q, uint32_t batch);
uint8_t *source_bank(const struct flow_qp *q, uint32_t batch);
uint64_t *counters_of(const struct flow_qp *q);
/* Posts the next batch if there is one and the receiver has room. */
bool flow_post(struct flow_qp *q);
void flow_send_completion(struct flow_qp *q, const struct ibv_wc *wc);
void flow_receive_completion(struct flow_qp *q, const struct ibv_wc *wc);
/* Posts the receives of the next incoming batch. */
void flow_arm(struct flow_qp *q);
bool flow_done(const struct flow_qp *q);

#endif
