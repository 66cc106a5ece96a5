/* SPDX-License-Identifier: Apache-2.0
 * Completion statuses of RC (IBTA vol. 1, 9.9 and 10.10.2.2): who gets which error, what the QPs do, and that memory stays. */
#include "errno_judge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { SEND, WRITE, READ, FETCH_ADD, CMP_SWAP, WRITE_IMM };

static const char *const KIND[] = {"send", "write", "read", "fetch_add", "cmp_swap", "write_imm"};

static const enum ibv_wr_opcode OPCODE[] = {IBV_WR_SEND,
                                            IBV_WR_RDMA_WRITE,
                                            IBV_WR_RDMA_READ,
                                            IBV_WR_ATOMIC_FETCH_AND_ADD,
                                            IBV_WR_ATOMIC_CMP_AND_SWP,
                                            IBV_WR_RDMA_WRITE_WITH_IMM};

static int post(struct pair *pair, enum kind kind, uint64_t wr_id, struct ibv_sge *sge, uint64_t remote, uint32_t rkey)
{
    struct ibv_send_wr wr = {
        .wr_id = wr_id, .sg_list = sge, .num_sge = 1, .opcode = OPCODE[kind], .send_flags = IBV_SEND_SIGNALED};
    if (kind == FETCH_ADD || kind == CMP_SWAP) {
        wr.wr.atomic.remote_addr = remote;
        wr.wr.atomic.rkey = rkey;
        wr.wr.atomic.compare_add = 5;
        wr.wr.atomic.swap = 6;
    } else {
        wr.wr.rdma.remote_addr = remote;
        wr.wr.rdma.rkey = rkey;
    }
    struct ibv_send_wr *bad = NULL;
    return ibv_post_send(pair->qp[0], &wr, &bad);
}

static bool memory_is_untouched(const struct pair *pair, int side)
{
    uint8_t *expected = malloc(PAIR_BYTES);
    if (!expected)
        die("out of memory");
    pattern_fill(expected, PAIR_BYTES, (uint64_t)side, 0);
    bool same = memcmp(expected, pair->memory[side], PAIR_BYTES) == 0;
    free(expected);
    return same;
}

/* What both sides saw: the requester's status, the responder's receive (if one was posted), states and memory. */
static void outcome(struct pair *pair, const char *name, int rc, bool receive_posted)
{
    const char *requester = rc ? errno_name(rc) : poll_status(pair->send_cq[0], WAIT_MS);
    bool failed = strcmp(requester, "SUCCESS") != 0 && rc == 0;
    struct ibv_wc wc;
    const char *responder = "-";
    if (receive_posted)
        responder = poll_one(pair->recv_cq[1], &wc, failed ? WAIT_MS : QUIET_MS) ? status_name(wc.status) : "NONE";
    if (failed)
        wait_state(pair->qp[0], IBV_QPS_ERR, 2000);
    report(name, "%s recv=%s states=%s,%s local=%s remote=%s", requester, responder, state_name(pair_state(pair, 0)),
           state_name(pair_state(pair, 1)), memory_is_untouched(pair, 0) ? "same" : "changed",
           memory_is_untouched(pair, 1) ? "same" : "changed");
}

/* ---- remote access ---- */

enum wrong { PAST_END, BEFORE_START, OTHER_KEY, NO_PERMISSION, OTHER_PD, GONE, QP_FORBIDS, WRAPS };

static const char *const WRONG[] = {"one-byte-past-the-end", "one-byte-before",      "rkey-unknown",
                                    "mr-without-permission", "mr-of-another-pd",     "mr-deregistered",
                                    "qp-without-permission", "address-wraps"};

static void remote_case(struct judge_device *device, enum kind kind, enum wrong wrong)
{
    struct pair pair;
    struct rc_options options = rc_default;
    if (wrong == QP_FORBIDS)
        options.access = 0;
    pair_open(&pair, device, &options);
    bool atomic = kind == FETCH_ADD || kind == CMP_SWAP;
    uint32_t length = atomic ? 8 : 3000;
    uint64_t remote = (uintptr_t)pair.memory[1] + 8192;
    uint32_t rkey = pair.mr[1]->rkey;
    struct ibv_pd *other_pd = NULL;
    struct ibv_mr *other = NULL;
    int all = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
    switch (wrong) {
    case PAST_END:
        remote = (uintptr_t)pair.memory[1] + PAIR_BYTES - (atomic ? 0 : length - 1);
        break;
    case BEFORE_START:
        remote = (uintptr_t)pair.memory[1] - (atomic ? 8 : 1);
        break;
    case OTHER_KEY:
        rkey ^= 0x00ffff00;
        break;
    case NO_PERMISSION: {
        int lacks = kind == READ ? IBV_ACCESS_REMOTE_READ : atomic ? IBV_ACCESS_REMOTE_ATOMIC : IBV_ACCESS_REMOTE_WRITE;
        other = ibv_reg_mr(pair.pd[1], pair.memory[1], PAIR_BYTES, all & ~lacks);
        rkey = other ? other->rkey : 0;
        break;
    }
    case OTHER_PD:
        other_pd = ibv_alloc_pd(device->context);
        other = other_pd ? ibv_reg_mr(other_pd, pair.memory[1], PAIR_BYTES, all) : NULL;
        rkey = other ? other->rkey : 0;
        break;
    case GONE:
        other = ibv_reg_mr(pair.pd[1], pair.memory[1], PAIR_BYTES, all);
        rkey = other ? other->rkey : 0;
        if (other && ibv_dereg_mr(other))
            die("ibv_dereg_mr");
        other = NULL;
        break;
    case QP_FORBIDS:
        break;
    case WRAPS:
        remote = UINT64_MAX - 7;
        break;
    }
    struct ibv_sge sge = sge_of(&pair, 0, 0, length);
    int posted = kind == WRITE_IMM ? post_receive(&pair, 1, 77, 4096, 64) : 0;
    int rc = posted ? posted : post(&pair, kind, 1, &sge, remote, rkey);
    outcome(&pair, case_name("wc.remote.%s.%s", KIND[kind], WRONG[wrong]), rc, false);
    if (other && ibv_dereg_mr(other))
        die("ibv_dereg_mr");
    pair_close(&pair);
    if (other_pd && ibv_dealloc_pd(other_pd))
        die("ibv_dealloc_pd");
}

/* ---- local keys ---- */

enum local { GOOD, UNKNOWN_LKEY, OUT_OF_MR, WRONG_PD, NOT_WRITABLE, DEREGISTERED };

static const char *const LOCAL[] = {"good", "lkey-unknown", "out-of-mr", "mr-of-another-pd", "mr-not-writable", "mr-deregistered"};

static struct ibv_sge spoiled_sge(struct pair *pair, int side, enum local local, struct ibv_mr **extra)
{
    struct ibv_sge sge = sge_of(pair, side, 0, 8);
    int rw = IBV_ACCESS_LOCAL_WRITE;
    *extra = NULL;
    switch (local) {
    case GOOD:
        break;
    case UNKNOWN_LKEY:
        sge.lkey ^= 0x00ffff00;
        break;
    case OUT_OF_MR:
        sge.addr = (uintptr_t)pair->memory[side] + PAIR_BYTES - 4;
        break;
    case WRONG_PD:
        *extra = ibv_reg_mr(pair->pd[!side], pair->memory[side], PAIR_BYTES, rw);
        sge.lkey = *extra ? (*extra)->lkey : 0;
        break;
    case NOT_WRITABLE:
        *extra = ibv_reg_mr(pair->pd[side], pair->memory[side], PAIR_BYTES, 0);
        sge.lkey = *extra ? (*extra)->lkey : 0;
        break;
    case DEREGISTERED:
        *extra = ibv_reg_mr(pair->pd[side], pair->memory[side], PAIR_BYTES, rw);
        sge.lkey = *extra ? (*extra)->lkey : 0;
        break;
    }
    return sge;
}

static void local_send_case(struct judge_device *device, enum kind kind, enum local local)
{
    struct pair pair;
    pair_open(&pair, device, NULL);
    struct ibv_mr *extra;
    struct ibv_sge sge = spoiled_sge(&pair, 0, local, &extra);
    if (local == DEREGISTERED && extra) {
        ibv_dereg_mr(extra);
        extra = NULL;
    }
    int rc = post_receive(&pair, 1, 77, 0, 64);
    if (!rc)
        rc = post(&pair, kind, 1, &sge, (uintptr_t)pair.memory[1] + 8192, pair.mr[1]->rkey);
    const char *requester = rc ? errno_name(rc) : poll_status(pair.send_cq[0], WAIT_MS);
    /* An atomic may have been done before its answer found no place; then the memory tells nothing. */
    const char *memory = kind == FETCH_ADD ? "any" : memory_is_untouched(&pair, 1) ? "same" : "changed";
    report(case_name("wc.local.%s.%s", KIND[kind], LOCAL[local]), "%s state=%s remote=%s", requester,
           state_name(pair_state(&pair, 0)), memory);
    if (extra && ibv_dereg_mr(extra))
        die("ibv_dereg_mr");
    pair_close(&pair);
}

/* The receive is spoiled: a send arrives there. Deregistered here means: after the receive was posted. */
static void local_recv_case(struct judge_device *device, enum local local)
{
    struct pair pair;
    pair_open(&pair, device, NULL);
    struct ibv_mr *extra;
    struct ibv_sge bad_sge = spoiled_sge(&pair, 1, local, &extra);
    struct ibv_recv_wr wr = {.wr_id = 77, .sg_list = &bad_sge, .num_sge = 1};
    struct ibv_recv_wr *bad = NULL;
    int rc = ibv_post_recv(pair.qp[1], &wr, &bad);
    if (local == DEREGISTERED && extra) {
        ibv_dereg_mr(extra);
        extra = NULL;
    }
    struct ibv_sge sge = sge_of(&pair, 0, 0, 8);
    if (!rc)
        rc = post(&pair, SEND, 1, &sge, 0, 0);
    outcome(&pair, case_name("wc.local.recv.%s", LOCAL[local]), rc, true);
    if (extra && ibv_dereg_mr(extra))
        die("ibv_dereg_mr");
    pair_close(&pair);
}

/* ---- lengths ---- */

static void length_cases(struct judge_device *device)
{
    static const uint32_t sizes[][2] = {{100, 100}, {101, 100}, {5000, 100}, {0, 0}, {1, 0}};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        struct pair pair;
        pair_open(&pair, device, NULL);
        int rc = post_receive(&pair, 1, 77, 4096, sizes[i][1]);
        struct ibv_sge sge = sge_of(&pair, 0, 0, sizes[i][0]);
        if (!rc)
            rc = post(&pair, SEND, 1, &sge, 0, 0);
        outcome(&pair, case_name("wc.length.send-%u-into-%u", sizes[i][0], sizes[i][1]), rc, true);
        pair_close(&pair);
    }
    struct pair pair;
    pair_open(&pair, device, NULL);
    struct ibv_sge sge = sge_of(&pair, 0, 0, 0);
    outcome(&pair, "wc.length.write-0-rkey-0", post(&pair, WRITE, 1, &sge, 0, 0), false);
    pair_close(&pair);
    pair_open(&pair, device, NULL);
    sge = sge_of(&pair, 0, 0, 0);
    outcome(&pair, "wc.length.read-0-rkey-0", post(&pair, READ, 1, &sge, 0, 0), false);
    pair_close(&pair);
}

/* ---- retries ---- */

static void retry_cases(struct judge_device *device)
{
    for (uint8_t retry = 0; retry <= 2; retry += 2) {
        struct pair pair;
        struct rc_options options = rc_default;
        options.rnr_retry = retry;
        pair_open(&pair, device, &options);
        struct ibv_sge sge = sge_of(&pair, 0, 0, 8);
        int rc = post(&pair, SEND, 1, &sge, 0, 0);
        outcome(&pair, case_name("wc.rnr.retry-%u", retry), rc, false);
        pair_close(&pair);
    }
    /* rnr_retry 7 means for ever: a receive posted later lets the send through. */
    struct pair pair;
    pair_open(&pair, device, NULL);
    struct ibv_sge sge = sge_of(&pair, 0, 0, 8);
    int rc = post(&pair, SEND, 1, &sge, 0, 0);
    const char *early = rc ? errno_name(rc) : poll_status(pair.send_cq[0], QUIET_MS);
    rc = post_receive(&pair, 1, 77, 4096, 64);
    const char *late = rc ? errno_name(rc) : poll_status(pair.send_cq[0], WAIT_MS);
    report("wc.rnr.retry-7-late-receive", "%s then %s recv=%s", early, late, poll_text(pair.recv_cq[1], 1, WAIT_MS));
    pair_close(&pair);

    struct rc_options options = rc_default;
    options.timeout = 8;
    options.retry_cnt = 1;
    pair_open(&pair, device, &options);
    rc = ibv_destroy_qp(pair.qp[1]);
    pair.qp[1] = NULL;
    if (rc)
        die_errno(rc, "ibv_destroy_qp");
    sge = sge_of(&pair, 0, 0, 8);
    rc = post(&pair, WRITE, 1, &sge, (uintptr_t)pair.memory[1], pair.mr[1]->rkey);
    const char *status = rc ? errno_name(rc) : poll_status(pair.send_cq[0], WAIT_MS);
    report("wc.retry.peer-qp-destroyed", "%s state=%s", status, state_name(pair_state(&pair, 0)));
    pair_close(&pair);

    /* A peer QP that is in ERR answers nothing. */
    pair_open(&pair, device, &options);
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};
    rc = ibv_modify_qp(pair.qp[1], &attr, IBV_QP_STATE);
    if (rc)
        die_errno(rc, "ibv_modify_qp ERR");
    sge = sge_of(&pair, 0, 0, 8);
    rc = post(&pair, WRITE, 1, &sge, (uintptr_t)pair.memory[1], pair.mr[1]->rkey);
    status = rc ? errno_name(rc) : poll_status(pair.send_cq[0], WAIT_MS);
    report("wc.retry.peer-qp-in-err", "%s state=%s remote=%s", status, state_name(pair_state(&pair, 0)),
           memory_is_untouched(&pair, 1) ? "same" : "changed");
    pair_close(&pair);
}

/* The fields of a good completion, both sides. */
static void success_cases(struct judge_device *device)
{
    for (enum kind kind = SEND; kind <= WRITE_IMM; kind++) {
        struct pair pair;
        pair_open(&pair, device, NULL);
        bool atomic = kind == FETCH_ADD || kind == CMP_SWAP;
        bool receives = kind == SEND || kind == WRITE_IMM;
        int rc = post_receive(&pair, 1, 77, 4096, 64);
        struct ibv_sge sge = sge_of(&pair, 0, 0, atomic ? 8 : 24);
        if (!rc)
            rc = post(&pair, kind, 1, &sge, (uintptr_t)pair.memory[1] + 8192, pair.mr[1]->rkey);
        if (rc)
            die_errno(rc, "post");
        struct ibv_wc wc;
        if (poll_one(pair.send_cq[0], &wc, WAIT_MS))
            report(case_name("wc.good.%s.requester", KIND[kind]), "%s wr_id=%llu opcode=%s%s%s qp_num=%s", status_name(wc.status),
                   (unsigned long long)wc.wr_id, opcode_name(wc.opcode), kind == READ || atomic ? " byte_len=" : "",
                   kind != READ && !atomic           ? ""
                   : wc.byte_len == (atomic ? 8 : 24) ? "right"
                                                      : "wrong",
                   wc.qp_num == pair.qp[0]->qp_num ? "same" : "other");
        if (receives && poll_one(pair.recv_cq[1], &wc, WAIT_MS))
            report(case_name("wc.good.%s.receiver", KIND[kind]), "%s wr_id=%llu opcode=%s byte_len=%u imm=%s qp_num=%s",
                   status_name(wc.status), (unsigned long long)wc.wr_id, opcode_name(wc.opcode), wc.byte_len,
                   wc.wc_flags & IBV_WC_WITH_IMM ? "yes" : "no", wc.qp_num == pair.qp[1]->qp_num ? "same" : "other");
        pair_close(&pair);
    }
}

void completion_cases(struct judge_device *device)
{
    if (group_wanted("wc.good"))
        success_cases(device);
    static const enum kind one_sided[] = {WRITE, READ, FETCH_ADD, CMP_SWAP, WRITE_IMM};
    if (group_wanted("wc.remote"))
        for (size_t k = 0; k < COUNT_OF(one_sided); k++)
            for (enum wrong wrong = PAST_END; wrong <= WRAPS; wrong++)
                remote_case(device, one_sided[k], wrong);
    static const enum kind local_kinds[] = {SEND, WRITE, READ, FETCH_ADD};
    if (group_wanted("wc.local")) {
        for (size_t k = 0; k < COUNT_OF(local_kinds); k++)
            for (enum local local = GOOD; local <= DEREGISTERED; local++)
                local_send_case(device, local_kinds[k], local);
        for (enum local local = GOOD; local <= DEREGISTERED; local++)
            local_recv_case(device, local);
    }
    if (group_wanted("wc.length"))
        length_cases(device);
    if (group_wanted("wc.r"))
        retry_cases(device);
}
