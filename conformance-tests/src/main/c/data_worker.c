/* SPDX-License-Identifier: Apache-2.0
 * One thread with its QPs and CQs: it polls, or sleeps on a completion channel, and hands completions to the flows. */
#include "data_judge.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POLL_BATCH 16
#define SLEEP_MS 3000

static uint32_t send_cqs(const struct worker *w)
{
    return (w->judge->params.qps + 1) / 2;
}

static struct ibv_cq *control_cq(const struct worker *w)
{
    return w->cqs[w->cq_count - 1];
}

static struct ibv_cq *make_cq(struct worker *w, uint32_t depth)
{
    struct ibv_context *context = w->judge->device.context;
    int vector = (int)(w->index % (uint32_t)context->num_comp_vectors);
    struct ibv_cq *cq = ibv_create_cq(context, (int)depth, w, w->channel, vector);
    if (!cq)
        die_errno(errno, "ibv_create_cq of %u", depth);
    return cq;
}

static void create_flow(struct worker *w, struct flow_qp *q, uint32_t local)
{
    struct judge *judge = w->judge;
    const struct params *params = &judge->params;
    q->worker = w;
    q->index = w->index * params->qps + local;
    size_t bytes = (size_t)2 * BANKS * bank_bytes(params) + 4096;
    if (posix_memalign((void **)&q->block, 4096, bytes))
        die("out of memory: %zu bytes per QP", bytes);
    for (uint32_t batch = 0; batch < BANKS; batch++) {
        pattern_fill(target_bank(q, batch), bank_bytes(params), guard_key(q->index, judge->side * 2), 0);
        pattern_fill(source_bank(q, batch), bank_bytes(params), guard_key(q->index, judge->side * 2 + 1), 0);
    }
    memset(counters_of(q), 0, 4096);
    for (int i = 0; i < 2; i++) {
        q->mr[i] = ibv_reg_mr(judge->pd, q->block, bytes,
                              IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
        if (!q->mr[i])
            die_errno(errno, "ibv_reg_mr of %zu bytes", bytes);
    }
    bool mixed = local % 3 == 0;
    struct ibv_cq *send_cq = w->cqs[local % send_cqs(w)];
    struct ibv_cq *recv_cq = mixed ? send_cq : w->cqs[send_cqs(w) + local / 2 % send_cqs(w)];
    struct ibv_qp_init_attr init = {
        .qp_context = q,
        .send_cq = send_cq,
        .recv_cq = recv_cq,
        .cap =
            {
                .max_send_wr = BANKS * MAX_BATCH,
                .max_recv_wr = BANKS * MAX_BATCH,
                .max_send_sge = params->max_sge,
                .max_recv_sge = params->max_sge,
                .max_inline_data = params->max_inline,
            },
        .qp_type = IBV_QPT_RC,
    };
    if (mix_of(params->seed, 0xa91, q->index) % 100 < params->wr_percent) {
        q->qp = wr_create(judge->pd, &init);
        if (!q->qp && errno != EOPNOTSUPP)
            die_errno(errno, "ibv_create_qp_ex");
        q->ex = q->qp ? ibv_qp_to_qp_ex(q->qp) : NULL;
        if (q->qp && !q->ex)
            die("ibv_qp_to_qp_ex answered NULL for a QP with send_ops_flags");
    }
    if (!q->qp)
        q->qp = ibv_create_qp(judge->pd, &init);
    if (!q->qp)
        die_errno(errno, "ibv_create_qp");
    q->in.late = mix_of(params->seed, 0x1a7e, q->index) % 100 < params->late_percent;
    q->out.credits = BANKS;
}

void worker_create(struct worker *w, struct judge *judge, uint32_t index)
{
    w->judge = judge;
    w->index = index;
    w->events = index % 2 == 1;
    const struct params *params = &judge->params;
    w->rng.state = mix_of(params->seed, 0x3047, (uint64_t)judge->side << 32 | index);
    if (w->events) {
        w->channel = ibv_create_comp_channel(judge->device.context);
        if (!w->channel)
            die_errno(errno, "ibv_create_comp_channel");
    }
    uint32_t n = send_cqs(w);
    w->cq_count = 2 * n + 1;
    w->cqs = calloc(w->cq_count, sizeof(*w->cqs));
    w->receives_only = calloc(w->cq_count, sizeof(*w->receives_only));
    w->qps = calloc(params->qps, sizeof(*w->qps));
    w->image = malloc(bank_bytes(params));
    w->scratch = malloc(bank_bytes(params));
    if (!w->cqs || !w->receives_only || !w->qps || !w->image || !w->scratch)
        die("out of memory");
    /* Any CQ may serve several QPs: room for all of the thread. */
    for (uint32_t i = 0; i < w->cq_count; i++) {
        w->cqs[i] = make_cq(w, 2 * BANKS * MAX_BATCH * params->qps);
        w->receives_only[i] = i >= n && i < 2 * n;
    }
    for (uint32_t i = 0; i < params->qps; i++)
        create_flow(w, &w->qps[i], i);
    w->control_room = BANKS * params->qps + 2;
    struct ibv_qp_init_attr init = {
        .send_cq = control_cq(w),
        .recv_cq = control_cq(w),
        .cap = {.max_send_wr = w->control_room, .max_recv_wr = w->control_room, .max_send_sge = 1, .max_recv_sge = 1},
        .qp_type = IBV_QPT_RC,
        .sq_sig_all = 1,
    };
    w->control = ibv_create_qp(judge->pd, &init);
    if (!w->control)
        die_errno(errno, "ibv_create_qp for the control QP");
}

static void arm_control(struct worker *w)
{
    struct ibv_recv_wr wr = {.wr_id = 0xc0};
    struct ibv_recv_wr *bad = NULL;
    int rc = ibv_post_recv(w->control, &wr, &bad);
    if (rc)
        die_errno(rc, "thread %u: ibv_post_recv on the control QP", w->index);
}

void worker_arm(struct worker *w)
{
    for (uint32_t i = 0; i < w->control_room; i++)
        arm_control(w);
    for (uint32_t i = 0; i < w->judge->params.qps; i++)
        for (uint32_t b = 0; b < BANKS; b++)
            flow_arm(&w->qps[i]);
}

static void control_completion(struct worker *w, const struct ibv_wc *wc)
{
    if (wc->status != IBV_WC_SUCCESS)
        die("seed %llu thread %u control QP: %s", (unsigned long long)w->judge->params.seed, w->index, status_name(wc->status));
    if (!(wc->opcode & IBV_WC_RECV)) {
        w->control_room++;
        return;
    }
    uint32_t local = be32toh(wc->imm_data);
    if (!(wc->wc_flags & IBV_WC_WITH_IMM) || local >= w->judge->params.qps || wc->byte_len != 0)
        die("seed %llu thread %u control QP: credit with flags 0x%x, immediate %u, %u bytes", (unsigned long long)w->judge->params.seed,
            w->index, wc->wc_flags, local, wc->byte_len);
    w->qps[local].out.credits++;
    arm_control(w);
}

static void send_credits(struct worker *w, struct flow_qp *q, uint32_t local)
{
    while (q->in.owed > 0 && w->control_room > 0) {
        struct ibv_send_wr wr = {
            .opcode = IBV_WR_SEND_WITH_IMM, .send_flags = IBV_SEND_SOLICITED, .imm_data = htobe32(local)};
        struct ibv_send_wr *bad = NULL;
        int rc = ibv_post_send(w->control, &wr, &bad);
        if (rc)
            fail(q, UINT64_MAX, "ibv_post_send of a credit: %s", errno_name(rc));
        w->control_room--;
        q->in.owed--;
    }
    if (q->in.late)
        while (q->in.armed < q->in.compared + BANKS && q->in.planned < w->judge->params.messages)
            flow_arm(q);
}

static struct flow_qp *flow_of(struct worker *w, uint32_t qp_num)
{
    for (uint32_t i = 0; i < w->judge->params.qps; i++)
        if (w->qps[i].qp->qp_num == qp_num)
            return &w->qps[i];
    die("seed %llu thread %u: a completion of QP 0x%x, which is not on this CQ", (unsigned long long)w->judge->params.seed, w->index,
        qp_num);
}

static bool poll_cq(struct worker *w, struct ibv_cq *cq)
{
    struct ibv_wc wc[POLL_BATCH];
    int n = ibv_poll_cq(cq, POLL_BATCH, wc);
    if (n < 0 || n > POLL_BATCH)
        die("thread %u: ibv_poll_cq answered %d", w->index, n);
    for (int i = 0; i < n; i++) {
        if (wc[i].qp_num == w->control->qp_num) {
            control_completion(w, &wc[i]);
            continue;
        }
        struct flow_qp *q = flow_of(w, wc[i].qp_num);
        bool receive;
        if (wc[i].status == IBV_WC_SUCCESS)
            receive = wc[i].opcode & IBV_WC_RECV;
        else
            receive = cq != q->qp->send_cq;
        if (cq != (receive ? q->qp->recv_cq : q->qp->send_cq))
            fail(q, UINT64_MAX, "a %s completion on the wrong CQ", receive ? "receive" : "send");
        if (receive)
            flow_receive_completion(q, &wc[i]);
        else
            flow_send_completion(q, &wc[i]);
    }
    if (n > 0)
        __atomic_fetch_add(&w->judge->progress, (uint64_t)n, __ATOMIC_RELAXED);
    return n > 0;
}

static bool poll_all(struct worker *w)
{
    bool any = false;
    for (uint32_t i = 0; i < w->cq_count; i++)
        any |= poll_cq(w, w->cqs[i]);
    return any;
}

static bool take_events(struct worker *w, int timeout_ms)
{
    struct pollfd fd = {.fd = w->channel->fd, .events = POLLIN};
    bool any = false;
    while (poll(&fd, 1, any ? 0 : timeout_ms) > 0) {
        struct ibv_cq *cq = NULL;
        void *context = NULL;
        if (ibv_get_cq_event(w->channel, &cq, &context))
            die_errno(errno, "thread %u: ibv_get_cq_event", w->index);
        if (context != w)
            die("thread %u: an event with another context", w->index);
        ibv_ack_cq_events(cq, 1);
        w->sent.events++;
        any = true;
    }
    return any;
}

/* Arms every CQ, looks once more, and sleeps. A completion that comes without its event is a failure. */
static void sleep_for_events(struct worker *w)
{
    for (uint32_t i = 0; i < w->cq_count; i++) {
        int rc = ibv_req_notify_cq(w->cqs[i], w->receives_only[i]);
        if (rc)
            die_errno(rc, "thread %u: ibv_req_notify_cq", w->index);
    }
    if (poll_all(w) || take_events(w, SLEEP_MS))
        return;
    /* Nothing for long: had anything come to a CQ that was armed for everything, its event would be on its way at least. */
    int missing = -1;
    for (uint32_t i = 0; i < w->cq_count; i++)
        if (!w->receives_only[i] && poll_cq(w, w->cqs[i]))
            missing = (int)i;
    if (missing >= 0 && !take_events(w, 2 * SLEEP_MS))
        die("seed %llu thread %u: CQ %d was armed and got a completion, but no event came", (unsigned long long)w->judge->params.seed,
            w->index, missing);
}

void *worker_run(void *argument)
{
    struct worker *w = argument;
    uint32_t qps = w->judge->params.qps;
    for (;;) {
        bool busy = false;
        bool done = true;
        for (uint32_t i = 0; i < qps; i++) {
            send_credits(w, &w->qps[i], i);
            busy |= flow_post(&w->qps[i]);
            done &= flow_done(&w->qps[i]);
        }
        if (done && w->control_room == BANKS * qps + 2)
            return NULL;
        busy |= poll_all(w);
        if (!busy && w->events)
            sleep_for_events(w);
    }
}

static void check_guards(const struct flow_qp *q)
{
    const struct judge *judge = q->worker->judge;
    uint32_t bytes = bank_bytes(&judge->params);
    for (int source = 0; source < 2; source++)
        for (uint32_t b = 0; b < BANKS; b++) {
            const uint8_t *bank = source ? source_bank(q, b) : target_bank(q, b);
            pattern_fill(q->worker->image, bytes, guard_key(q->index, judge->side * 2 + source), 0);
            for (uint32_t i = 0; i < bytes; i++)
                if (bank[i] != q->worker->image[i])
                    fail(q, UINT64_MAX, "guard of %s bank %u changed at offset %u", source ? "source" : "target", b, i);
        }
    for (uint32_t c = 0; c < COUNTERS; c++)
        if (counters_of(q)[c] != q->in.model[c])
            fail(q, UINT64_MAX, "atomic counter %u is 0x%llx, not 0x%llx", c, (unsigned long long)counters_of(q)[c],
                 (unsigned long long)q->in.model[c]);
}

void worker_settle(struct worker *w)
{
    for (uint32_t i = 0; i < w->cq_count; i++) {
        struct ibv_wc wc;
        /* Credits of the peer's last batches may still be there; nothing else. */
        while (ibv_poll_cq(w->cqs[i], 1, &wc) == 1)
            if (wc.qp_num != w->control->qp_num || wc.status != IBV_WC_SUCCESS)
                die("seed %llu thread %u: a completion too many: QP 0x%x wr_id 0x%llx %s", (unsigned long long)w->judge->params.seed,
                    w->index, wc.qp_num, (unsigned long long)wc.wr_id, status_name(wc.status));
    }
    for (uint32_t i = 0; i < w->judge->params.qps; i++)
        check_guards(&w->qps[i]);
}

void worker_destroy(struct worker *w)
{
    int rc = ibv_destroy_qp(w->control);
    for (uint32_t i = 0; i < w->judge->params.qps; i++) {
        struct flow_qp *q = &w->qps[i];
        if (!rc)
            rc = ibv_destroy_qp(q->qp);
        for (int m = 0; m < 2 && !rc; m++)
            rc = ibv_dereg_mr(q->mr[m]);
        free(q->block);
    }
    if (!rc && w->channel)
        take_events(w, 0);
    for (uint32_t i = 0; i < w->cq_count && !rc; i++)
        rc = ibv_destroy_cq(w->cqs[i]);
    if (!rc && w->channel)
        rc = ibv_destroy_comp_channel(w->channel);
    if (rc)
        die_errno(rc, "thread %u: destroying", w->index);
    free(w->cqs);
    free(w->receives_only);
    free(w->qps);
    free(w->image);
    free(w->scratch);
}
