/* SPDX-License-Identifier: Apache-2.0
 * One flow: posting batches, and comparing what completes with what was planned. */
#include "data_judge.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LIST_MAX 8
#define SCRIBBLE 0xa5

void fail(const struct flow_qp *q, uint64_t message, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    const struct worker *w = q->worker;
    if (message == UINT64_MAX)
        die("seed %llu thread %u QP %u (0x%x): %s", (unsigned long long)w->judge->params.seed, w->index, q->index,
            q->qp ? q->qp->qp_num : 0, text);
    die("seed %llu thread %u QP %u (0x%x) message %llu: %s", (unsigned long long)w->judge->params.seed, w->index, q->index,
        q->qp ? q->qp->qp_num : 0, (unsigned long long)message, text);
}

uint8_t *target_bank(const struct flow_qp *q, uint32_t batch)
{
    return q->block + (size_t)(batch % BANKS) * bank_bytes(&q->worker->judge->params);
}

uint8_t *source_bank(const struct flow_qp *q, uint32_t batch)
{
    return q->block + (size_t)(BANKS + batch % BANKS) * bank_bytes(&q->worker->judge->params);
}

uint64_t *counters_of(const struct flow_qp *q)
{
    return (uint64_t *)(q->block + (size_t)2 * BANKS * bank_bytes(&q->worker->judge->params));
}

static void describe(const struct message *m, char *text, size_t size)
{
    snprintf(text, size, "%s of %u bytes, shape %d, %u SGEs%s%s%s", OP_NAMES[m->op], m->size, m->shape, m->source_count,
             m->inlined ? ", inline" : "", m->fenced ? ", fenced" : "", m->signalled ? "" : ", unsignalled");
}

/* ---- sending ---- */

static const enum ibv_wr_opcode WR_OPCODE[OP_KINDS] = {
    IBV_WR_SEND,      IBV_WR_SEND_WITH_IMM,        IBV_WR_RDMA_WRITE,         IBV_WR_RDMA_WRITE_WITH_IMM,
    IBV_WR_RDMA_READ, IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_WR_ATOMIC_CMP_AND_SWP,
};

static const enum ibv_wc_opcode WC_OPCODE[OP_KINDS] = {
    IBV_WC_SEND, IBV_WC_SEND, IBV_WC_RDMA_WRITE, IBV_WC_RDMA_WRITE, IBV_WC_RDMA_READ, IBV_WC_FETCH_ADD, IBV_WC_COMP_SWAP,
};

struct wr_list {
    struct ibv_send_wr wr[LIST_MAX];
    struct ibv_sge sge[LIST_MAX][MAX_SGES];
    uint8_t inline_bytes[LIST_MAX][1024];
    uint32_t count;
};

static void add_sges(struct flow_qp *q, const struct message *m, uint8_t *from, bool keys, struct ibv_sge *sge)
{
    for (uint32_t i = 0; i < m->source_count; i++)
        sge[i] = (struct ibv_sge){
            .addr = (uintptr_t)from + m->source[i].offset,
            .length = m->source[i].length,
            .lkey = keys ? q->mr[m->source[i].key]->lkey : 0xdead0000u + i,
        };
}

static void add_wr(struct flow_qp *q, struct wr_list *list, uint32_t batch, uint32_t i)
{
    struct judge *judge = q->worker->judge;
    const struct plan *plan = &q->out.plan[batch % BANKS];
    const struct message *m = &plan->messages[i];
    uint32_t at = list->count++;
    struct ibv_send_wr *wr = &list->wr[at];
    *wr = (struct ibv_send_wr){
        .wr_id = m->wr_id,
        .sg_list = list->sge[at],
        .num_sge = (int)m->source_count,
        .opcode = WR_OPCODE[m->op],
        .send_flags = (m->signalled ? IBV_SEND_SIGNALED : 0) | (m->inlined ? IBV_SEND_INLINE : 0) |
                      (m->fenced ? IBV_SEND_FENCE : 0) | (m->solicited ? IBV_SEND_SOLICITED : 0),
        .imm_data = htobe32(m->imm),
    };
    if (at > 0)
        list->wr[at - 1].next = wr;
    uint64_t bank = q->remote.banks + (uint64_t)(batch % BANKS) * bank_bytes(&judge->params);
    if (is_atomic(m)) {
        wr->wr.atomic.remote_addr = m->shape == SHARED ? q->remote.shared : q->remote.counters + 8ull * m->target;
        wr->wr.atomic.rkey = m->shape == SHARED ? q->remote.read_rkey : q->remote.counters_rkey;
        wr->wr.atomic.compare_add = m->compare_add;
        wr->wr.atomic.swap = m->swap;
        if (m->shape == SHARED)
            __atomic_fetch_add(&judge->shared_posted, 1, __ATOMIC_RELAXED);
    } else if (m->op == OP_READ && m->shape == PLAIN) {
        wr->wr.rdma.remote_addr = q->remote.read_area + m->target;
        wr->wr.rdma.rkey = q->remote.read_rkey;
    } else if (m->op != OP_SEND && m->op != OP_SEND_IMM) {
        wr->wr.rdma.remote_addr = bank + m->target;
        wr->wr.rdma.rkey = q->remote.banks_rkey;
    }
    if (!m->inlined) {
        add_sges(q, m, source_bank(q, batch), true, list->sge[at]);
        return;
    }
    uint8_t bytes[1024];
    message_bytes(&judge->params, judge->side, plan, i, bytes);
    uint32_t done = 0;
    for (uint32_t p = 0; p < m->source_count; p++) {
        memcpy(list->inline_bytes[at] + m->source[p].offset, bytes + done, m->source[p].length);
        done += m->source[p].length;
    }
    add_sges(q, m, list->inline_bytes[at], false, list->sge[at]);
}

/* One lie in the second half of the first flow: what a broken device would do. True when it was told. */
static bool tell_lie(struct flow_qp *q, struct wr_list *list)
{
    struct ibv_send_wr *wr = &list->wr[list->count - 1];
    switch (q->worker->judge->spoil) {
    case SPOIL_NOTHING:
        return false;
    case SPOIL_BYTE:
        for (int i = 0; i < wr->num_sge; i++)
            if (wr->sg_list[i].length > 0 && wr->opcode == IBV_WR_RDMA_WRITE) {
                *(uint8_t *)(uintptr_t)wr->sg_list[i].addr ^= 0x10;
                return true;
            }
        return false;
    case SPOIL_IMMEDIATE:
        wr->imm_data ^= htobe32(1);
        return wr->opcode == IBV_WR_SEND_WITH_IMM;
    case SPOIL_ORDER: /* two signalled WRs of one list change places */
        if (list->count < 2 || !(wr->send_flags & wr[-1].send_flags & IBV_SEND_SIGNALED))
            return false;
        uint64_t id = wr->wr_id;
        wr->wr_id = wr[-1].wr_id;
        wr[-1].wr_id = id;
        return true;
    case SPOIL_LENGTH:
        if (wr->opcode != IBV_WR_SEND || wr->num_sge == 0 || wr->sg_list[wr->num_sge - 1].length == 0)
            return false;
        wr->sg_list[wr->num_sge - 1].length--;
        return true;
    }
    return false;
}

static void post_list(struct flow_qp *q, struct wr_list *list, uint64_t first)
{
    struct ibv_send_wr *bad = NULL;
    int rc = q->ex ? wr_post(q->ex, list->wr) : ibv_post_send(q->qp, list->wr, &bad);
    if (rc)
        fail(q, first + (bad ? (uint64_t)(bad - list->wr) : 0), "%s: %s", q->ex ? "ibv_wr_complete" : "ibv_post_send",
             errno_name(rc));
    if (q->ex)
        q->worker->sent.by_wr_api += list->count;
    /* Inline data, WRs and SGEs belong to the program again at once. */
    memset(list, SCRIBBLE, sizeof(*list));
    list->count = 0;
}

static void count_sent(struct totals *totals, const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct message *m = &plan->messages[i];
        totals->messages[m->op]++;
        totals->bytes[m->op] += m->size;
        totals->unsignalled += !m->signalled;
        totals->inlined += m->inlined;
        totals->fenced += m->fenced;
        totals->sges += m->source_count;
        totals->receives += consumes_receive(m);
    }
}

bool flow_post(struct flow_qp *q)
{
    struct judge *judge = q->worker->judge;
    struct outgoing *out = &q->out;
    if (out->planned >= judge->params.messages || out->posted >= out->credits || out->posted >= out->completed + BANKS)
        return false;
    uint32_t batch = out->posted;
    struct plan *plan = &out->plan[batch % BANKS];
    plan_make(&judge->params, judge->side, q->index, batch, out->planned, out->model, plan);
    /* Sources get their bytes; the places where answers land, and all gaps, stay guards. */
    uint8_t *bank = source_bank(q, batch);
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct message *m = &plan->messages[i];
        if (m->inlined || m->shape == FORWARD || m->op == OP_READ || is_atomic(m))
            continue;
        uint64_t offset = 0;
        for (uint32_t p = 0; p < m->source_count; p++) {
            pattern_fill(bank + m->source[p].offset, m->source[p].length, m->key, offset);
            offset += m->source[p].length;
        }
    }
    static __thread struct wr_list list;
    list.count = 0;
    uint64_t first = out->planned;
    uint32_t wanted = 1 + (uint32_t)rng_below(&q->worker->rng, LIST_MAX);
    for (uint32_t i = 0; i < plan->count; i++) {
        add_wr(q, &list, batch, i);
        if (q->index == 0 && judge->spoil != SPOIL_NOTHING && plan->messages[i].number > judge->params.messages / 2 && tell_lie(q, &list))
            judge->spoil = SPOIL_NOTHING;
        if (list.count == wanted || i == plan->count - 1) {
            post_list(q, &list, first);
            first = out->planned + i + 1;
            wanted = 1 + (uint32_t)rng_below(&q->worker->rng, LIST_MAX);
        }
    }
    count_sent(&q->worker->sent, plan);
    out->planned += plan->count;
    out->posted++;
    return true;
}

/* What a READ or an atomic brought must be there when a completion says so: its own, or a later one's. */
static void check_answer(struct flow_qp *q, uint32_t batch, uint32_t i)
{
    struct judge *judge = q->worker->judge;
    struct plan *plan = &q->out.plan[batch % BANKS];
    struct message *m = &plan->messages[i];
    const uint8_t *bank = source_bank(q, batch);
    if (m->shape == SHARED) {
        memcpy(&m->old, bank + m->source[0].offset, 8);
        if (m->old >= judge->shared_limit)
            fail(q, m->number, "the shared counter answered 0x%llx", (unsigned long long)m->old);
        if (__atomic_exchange_n(&judge->shared_seen[m->old], 1, __ATOMIC_RELAXED))
            fail(q, m->number, "the shared counter answered %llu twice", (unsigned long long)m->old);
        return;
    }
    uint8_t *expected = q->worker->scratch;
    message_bytes(&judge->params, judge->side, plan, i, expected);
    uint32_t done = 0;
    for (uint32_t p = 0; p < m->source_count; p++) {
        const uint8_t *landed = bank + m->source[p].offset;
        for (uint32_t b = 0; memcmp(landed, expected + done, m->source[p].length) != 0 && b < m->source[p].length; b++)
            if (landed[b] != expected[done + b]) {
                char text[128];
                describe(m, text, sizeof(text));
                uint8_t old[2];
                pattern_fill(&old[0], 1, guard_key(q->index, judge->side * 2 + 1), m->source[p].offset + b);
                pattern_fill(&old[1], 1, guard_key(q->index, !judge->side * 2), m->target + done + b);
                fail(q, m->number, "%s: byte %u is 0x%02x%s, not 0x%02x, when its completion came", text, done + b, landed[b],
                     landed[b] == old[0]                           ? " (nothing landed)"
                     : m->shape == READBACK && landed[b] == old[1] ? " (from before the write)"
                                                                   : "",
                     expected[done + b]);
            }
        done += m->source[p].length;
    }
}

static void compare_bank(struct flow_qp *q, uint32_t batch, bool source)
{
    struct worker *w = q->worker;
    struct judge *judge = w->judge;
    const struct plan *plan = source ? &q->out.plan[batch % BANKS] : &q->in.plan[batch % BANKS];
    uint8_t *bank = source ? source_bank(q, batch) : target_bank(q, batch);
    uint32_t used = source ? plan->source_used : plan->target_used;
    uint64_t guard = guard_key(q->index, judge->side * 2 + source);
    if (source)
        source_image(&judge->params, judge->side, plan, guard, w->image, w->scratch);
    else
        target_image(&judge->params, !judge->side, plan, guard, w->image, w->scratch);
    if (memcmp(bank, w->image, used) != 0) {
        uint32_t at = 0;
        while (bank[at] == w->image[at])
            at++;
        uint32_t wrong = 0;
        for (uint32_t b = at; b < used; b++)
            wrong += bank[b] != w->image[b];
        int i = message_at(plan, at, source);
        char text[128] = "a guard between the buffers";
        if (i >= 0)
            describe(&plan->messages[i], text, sizeof(text));
        fail(q, i >= 0 ? plan->messages[i].number : plan->messages[0].number,
             "%s bank of batch %u, offset %u (%s): 0x%02x, not 0x%02x; %u bytes differ", source ? "source" : "target", batch, at,
             text, bank[at], w->image[at], wrong);
    }
    pattern_fill(bank, used, guard, 0);
}

void flow_send_completion(struct flow_qp *q, const struct ibv_wc *wc)
{
    struct outgoing *out = &q->out;
    if (out->completed >= out->posted)
        fail(q, UINT64_MAX, "a send completion with nothing outstanding: wr_id 0x%llx %s", (unsigned long long)wc->wr_id,
             status_name(wc->status));
    uint32_t batch = out->completed;
    struct plan *plan = &out->plan[batch % BANKS];
    uint32_t i = out->next;
    while (!plan->messages[i].signalled)
        i++;
    const struct message *m = &plan->messages[i];
    char text[128];
    describe(m, text, sizeof(text));
    if (wc->status != IBV_WC_SUCCESS)
        fail(q, m->number, "%s or one before: %s, vendor_err 0x%x, wr_id %s", text, status_name(wc->status), wc->vendor_err,
             wc->wr_id == m->wr_id ? "as expected" : "another");
    if (wc->wr_id != m->wr_id)
        fail(q, m->number, "%s: wr_id 0x%llx, not 0x%llx", text, (unsigned long long)wc->wr_id, (unsigned long long)m->wr_id);
    if (wc->opcode != WC_OPCODE[m->op])
        fail(q, m->number, "%s: completion opcode %d", text, wc->opcode);
    if ((m->op == OP_READ || is_atomic(m)) && wc->byte_len != m->size)
        fail(q, m->number, "%s: byte_len %u", text, wc->byte_len);
    for (uint32_t k = out->next; k <= i; k++)
        if (plan->messages[k].op == OP_READ || is_atomic(&plan->messages[k]))
            check_answer(q, batch, k);
    out->next = i + 1;
    if (out->next == plan->count) {
        compare_bank(q, batch, true);
        out->next = 0;
        out->completed++;
    }
}

/* ---- receiving ---- */

void flow_arm(struct flow_qp *q)
{
    struct judge *judge = q->worker->judge;
    struct incoming *in = &q->in;
    if (in->planned >= judge->params.messages)
        return;
    uint32_t batch = in->armed;
    struct plan *plan = &in->plan[batch % BANKS];
    plan_make(&judge->params, !judge->side, q->index, batch, in->planned, in->model, plan);
    in->planned += plan->count;
    in->armed++;
    struct ibv_recv_wr wr[MAX_BATCH];
    static __thread struct ibv_sge sge[MAX_BATCH][MAX_SGES];
    uint64_t numbers[MAX_BATCH];
    uint32_t count = 0;
    uint8_t *bank = target_bank(q, batch);
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct message *m = &plan->messages[i];
        if (!consumes_receive(m))
            continue;
        for (uint32_t p = 0; p < m->receive_count; p++)
            sge[count][p] = (struct ibv_sge){
                .addr = (uintptr_t)bank + m->receive[p].offset,
                .length = m->receive[p].length,
                .lkey = q->mr[m->receive[p].key]->lkey,
            };
        wr[count] = (struct ibv_recv_wr){
            .wr_id = m->receive_wr_id,
            .sg_list = sge[count],
            .num_sge = (int)m->receive_count,
        };
        if (count > 0)
            wr[count - 1].next = &wr[count];
        numbers[count] = m->number;
        count++;
    }
    struct ibv_recv_wr *bad = NULL;
    int rc = ibv_post_recv(q->qp, wr, &bad);
    if (rc)
        fail(q, bad ? numbers[bad - wr] : UINT64_MAX, "ibv_post_recv: %s", errno_name(rc));
    memset(sge, SCRIBBLE, sizeof(sge));
}

/* What a completed message, or a WRITE before it, must have left, unless a later WRITE may already be over it. */
static void check_arrived(struct flow_qp *q, uint32_t batch, uint32_t i)
{
    struct judge *judge = q->worker->judge;
    const struct plan *plan = &q->in.plan[batch % BANKS];
    const struct message *m = &plan->messages[i];
    if (m->op == OP_READ || is_atomic(m) || m->overlaid || m->size == 0)
        return;
    const uint8_t *bank = target_bank(q, batch);
    uint8_t *expected = q->worker->scratch;
    message_bytes(&judge->params, !judge->side, plan, i, expected);
    struct piece whole = {m->target, m->size, 0};
    bool write = m->op == OP_WRITE || m->op == OP_WRITE_IMM;
    const struct piece *pieces = write ? &whole : m->receive;
    uint32_t done = 0;
    for (uint32_t p = 0; done < m->size; p++) {
        uint32_t n = pieces[p].length < m->size - done ? pieces[p].length : m->size - done;
        const uint8_t *there = bank + pieces[p].offset;
        if (memcmp(there, expected + done, n) != 0) {
            uint32_t b = 0;
            while (there[b] == expected[done + b])
                b++;
            char text[128];
            describe(m, text, sizeof(text));
            fail(q, m->number, "received %s: byte %u is 0x%02x, not 0x%02x, when the receive completed", text, done + b, there[b],
                 expected[done + b]);
        }
        done += n;
    }
}

void flow_receive_completion(struct flow_qp *q, const struct ibv_wc *wc)
{
    struct incoming *in = &q->in;
    if (in->compared >= in->armed)
        fail(q, UINT64_MAX, "a receive completion with none posted: wr_id 0x%llx", (unsigned long long)wc->wr_id);
    uint32_t batch = in->compared;
    struct plan *plan = &in->plan[batch % BANKS];
    uint32_t i = in->next;
    while (!consumes_receive(&plan->messages[i]))
        i++;
    const struct message *m = &plan->messages[i];
    char text[128];
    describe(m, text, sizeof(text));
    if (wc->status != IBV_WC_SUCCESS)
        fail(q, m->number, "receive for %s: %s, vendor_err 0x%x", text, status_name(wc->status), wc->vendor_err);
    if (wc->wr_id != m->receive_wr_id)
        fail(q, m->number, "receive for %s: wr_id 0x%llx, not 0x%llx", text, (unsigned long long)wc->wr_id,
             (unsigned long long)m->receive_wr_id);
    enum ibv_wc_opcode opcode = m->op == OP_WRITE_IMM ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV;
    if (wc->opcode != opcode)
        fail(q, m->number, "receive for %s: opcode %d, not %d", text, wc->opcode, opcode);
    if (wc->byte_len != m->size)
        fail(q, m->number, "receive for %s: byte_len %u", text, wc->byte_len);
    bool with_imm = m->op != OP_SEND;
    if (!!(wc->wc_flags & IBV_WC_WITH_IMM) != with_imm)
        fail(q, m->number, "receive for %s: wc_flags 0x%x", text, wc->wc_flags);
    if (with_imm && wc->imm_data != htobe32(m->imm))
        fail(q, m->number, "receive for %s: immediate 0x%x, not 0x%x", text, be32toh(wc->imm_data), m->imm);
    for (uint32_t k = in->next; k <= i; k++)
        check_arrived(q, batch, k);
    in->next = i + 1;
    if (in->next < plan->count)
        return;
    compare_bank(q, batch, false);
    count_sent(&q->worker->received, plan);
    in->next = 0;
    in->compared++;
    in->owed++;
    if (!in->late)
        flow_arm(q);
}

bool flow_done(const struct flow_qp *q)
{
    uint32_t messages = q->worker->judge->params.messages;
    return q->out.planned == messages && q->out.completed == q->out.posted && q->in.planned == messages &&
           q->in.compared == q->in.armed && q->in.owed == 0;
}
