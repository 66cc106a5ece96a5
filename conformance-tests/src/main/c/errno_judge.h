/* SPDX-License-Identifier: Apache-2.0
 * verbs_errno: cases report one line each, "name answer"; the answers are compared with a pinned file. */
#ifndef METAROCE_JUDGE_ERRNO_H
#define METAROCE_JUDGE_ERRNO_H

#include "common.h"

/* Two RC QPs on one device, connected to each other, and what they need. Side 0 is the requester by habit. */
struct pair {
    struct judge_device *device;
    struct ibv_pd *pd[2];
    struct ibv_cq *send_cq[2];
    struct ibv_cq *recv_cq[2];
    struct ibv_qp *qp[2];
    struct ibv_mr *mr[2];
    uint8_t *memory[2];
    struct rc_options options;
};

#define PAIR_BYTES (64u * 1024)
#define PAIR_DEPTH 16u
#define PAIR_PSN(side) (0x1000u + 0x100u * (uint32_t)(side))

/* Remembers and prints one answer. */
void report(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "group.detail" in one of a few static buffers. */
const char *case_name(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* False when --only excludes every case that starts with this group. */
bool group_wanted(const char *group);

/* Objects in state RESET, both QPs. */
void pair_create(struct pair *pair, struct judge_device *device);
/* Created and both in RTS with these options (NULL: rc_default). */
void pair_open(struct pair *pair, struct judge_device *device, const struct rc_options *options);
void pair_connect(struct pair *pair, const struct rc_options *options);
void pair_close(struct pair *pair);
/* Brings side 0 from RESET to the state, on the usual road; side 1 stays in RESET. */
void pair_walk(struct pair *pair, enum ibv_qp_state state);
enum ibv_qp_state pair_state(struct pair *pair, int side);

/* Waits for one completion; false after the milliseconds. Dies when ibv_poll_cq fails. */
bool poll_one(struct ibv_cq *cq, struct ibv_wc *wc, unsigned timeout_ms);
/* Waits for one completion and answers its status name, or "NONE". */
const char *poll_status(struct ibv_cq *cq, unsigned timeout_ms);
/* Waits until the QP reports the state; false after the milliseconds. */
bool wait_state(struct ibv_qp *qp, enum ibv_qp_state state, unsigned timeout_ms);
/* Text of up to max completions: "wr_id:STATUS" each, by space. */
const char *poll_text(struct ibv_cq *cq, unsigned max, unsigned timeout_ms);

struct ibv_sge sge_of(const struct pair *pair, int side, uint32_t offset, uint32_t length);
int post_receive(struct pair *pair, int side, uint64_t wr_id, uint32_t offset, uint32_t length);

#define WAIT_MS 10000u
/* Only where the right answer is that nothing comes. */
#define QUIET_MS 200u

void modify_cases(struct judge_device *device);
void query_cases(struct judge_device *device);
void post_cases(struct judge_device *device);
void memory_cases(struct judge_device *device);
void object_cases(struct judge_device *device);
void completion_cases(struct judge_device *device);
void flush_cases(struct judge_device *device);
void event_cases(struct judge_device *device);

#endif
