/* SPDX-License-Identifier: Apache-2.0
 * ibv_post_send and ibv_post_recv: what is refused at once, with which errno, and where bad_wr points. */
#include "errno_judge.h"

#include <stdio.h>
#include <string.h>

static struct ibv_send_wr send_wr(struct ibv_sge *sge, int count)
{
    return (struct ibv_send_wr){
        .wr_id = 1,
        .sg_list = sge,
        .num_sge = count,
        .opcode = IBV_WR_SEND,
        .send_flags = IBV_SEND_SIGNALED,
    };
}

static const char *where(const void *bad, const void *wr)
{
    return bad == wr ? "same" : bad ? "other" : "null";
}

static void state_cases(struct judge_device *device)
{
    static const enum ibv_qp_state states[] = {IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR,
                                               IBV_QPS_RTS,   IBV_QPS_SQD,  IBV_QPS_ERR};
    for (size_t i = 0; i < COUNT_OF(states); i++) {
        struct pair pair;
        pair_create(&pair, device);
        pair_walk(&pair, states[i]);
        struct ibv_sge sge = sge_of(&pair, 0, 0, 8);
        struct ibv_send_wr wr = send_wr(&sge, 1);
        struct ibv_send_wr *bad = NULL;
        int rc = ibv_post_send(pair.qp[0], &wr, &bad);
        report(case_name("post.send.state.%s", state_name(states[i])), "%s bad_wr=%s", errno_name(rc), where(bad, &wr));
        pair_close(&pair);
        pair_create(&pair, device);
        pair_walk(&pair, states[i]);
        sge = sge_of(&pair, 0, 0, 8);
        struct ibv_recv_wr recv = {.wr_id = 1, .sg_list = &sge, .num_sge = 1};
        struct ibv_recv_wr *bad_recv = NULL;
        rc = ibv_post_recv(pair.qp[0], &recv, &bad_recv);
        report(case_name("post.recv.state.%s", state_name(states[i])), "%s bad_wr=%s", errno_name(rc), where(bad_recv, &recv));
        pair_close(&pair);
    }
}

/* One spoiled send on a connected pair, with a good one before and after it in the list. */
static void refused(struct judge_device *device, const char *name, void (*spoil)(struct ibv_send_wr *wr, struct pair *pair))
{
    struct pair pair;
    pair_open(&pair, device, NULL);
    for (uint64_t i = 0; i < 4; i++)
        post_receive(&pair, 1, i, 4096, 4096);
    struct ibv_sge sge[40];
    for (size_t i = 0; i < COUNT_OF(sge); i++)
        sge[i] = sge_of(&pair, 0, 0, 8);
    struct ibv_send_wr wr[3];
    for (size_t i = 0; i < 3; i++) {
        wr[i] = send_wr(sge, 1);
        wr[i].wr_id = 10 + i;
        wr[i].next = i < 2 ? &wr[i + 1] : NULL;
    }
    spoil(&wr[1], &pair);
    struct ibv_send_wr *bad = NULL;
    int rc = ibv_post_send(pair.qp[0], &wr[0], &bad);
    const char *first = poll_text(pair.send_cq[0], rc ? 1 : 3, WAIT_MS);
    const char *more = rc ? poll_text(pair.send_cq[0], 1, QUIET_MS) : "-";
    report(name, "%s bad_wr=%s done=%s then=%s state=%s", errno_name(rc),
           bad == &wr[0]   ? "first"
           : bad == &wr[1] ? "spoiled"
           : bad           ? "other"
                           : "null",
           first, more, state_name(pair_state(&pair, 0)));
    pair_close(&pair);
}

#define SPOIL(id, statement)                                                                                            \
    static void id(struct ibv_send_wr *wr, struct pair *pair)                                                          \
    {                                                                                                                   \
        (void)pair;                                                                                                     \
        statement;                                                                                                      \
    }

SPOIL(nothing, (void)wr)
SPOIL(sge_over, wr->num_sge = 33)
SPOIL(sge_negative, wr->num_sge = -1)
SPOIL(opcode_99, wr->opcode = (enum ibv_wr_opcode)99)
SPOIL(opcode_negative, wr->opcode = (enum ibv_wr_opcode)-1)
SPOIL(opcode_tso, wr->opcode = IBV_WR_TSO)
SPOIL(no_sges, wr->num_sge = 0)
SPOIL(no_sges_null, (wr->num_sge = 0, wr->sg_list = NULL))

static void inline_over(struct ibv_send_wr *wr, struct pair *pair)
{
    struct ibv_qp_attr attr;
    struct ibv_qp_init_attr init;
    int rc = ibv_query_qp(pair->qp[0], &attr, IBV_QP_CAP, &init);
    if (rc)
        die_errno(rc, "ibv_query_qp");
    wr->sg_list[1].length = init.cap.max_inline_data + 1;
    wr->sg_list = &wr->sg_list[1];
    wr->send_flags |= IBV_SEND_INLINE;
}

static void inline_most(struct ibv_send_wr *wr, struct pair *pair)
{
    inline_over(wr, pair);
    wr->sg_list->length--;
    wr->sg_list->lkey = 0xdeadbeef;
}

static void inline_read(struct ibv_send_wr *wr, struct pair *pair)
{
    wr->opcode = IBV_WR_RDMA_READ;
    wr->send_flags |= IBV_SEND_INLINE;
    wr->wr.rdma.remote_addr = (uintptr_t)pair->memory[1];
    wr->wr.rdma.rkey = pair->mr[1]->rkey;
}

static void atomic_base(struct ibv_send_wr *wr, struct pair *pair)
{
    wr->opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
    wr->wr.atomic.remote_addr = (uintptr_t)pair->memory[1];
    wr->wr.atomic.rkey = pair->mr[1]->rkey;
    wr->wr.atomic.compare_add = 1;
    wr->sg_list = &wr->sg_list[1];
}

static void atomic_good(struct ibv_send_wr *wr, struct pair *pair)
{
    atomic_base(wr, pair);
}

static void atomic_length_4(struct ibv_send_wr *wr, struct pair *pair)
{
    atomic_base(wr, pair);
    wr->sg_list->length = 4;
}

static void atomic_inline(struct ibv_send_wr *wr, struct pair *pair)
{
    atomic_base(wr, pair);
    wr->send_flags |= IBV_SEND_INLINE;
}

static void atomic_unaligned(struct ibv_send_wr *wr, struct pair *pair)
{
    atomic_base(wr, pair);
    wr->wr.atomic.remote_addr += 4;
}

static void recv_cases(struct judge_device *device)
{
    struct pair pair;
    pair_create(&pair, device);
    pair_walk(&pair, IBV_QPS_INIT);
    struct ibv_sge sge[40];
    for (size_t i = 0; i < COUNT_OF(sge); i++)
        sge[i] = sge_of(&pair, 0, 0, 8);
    struct ibv_recv_wr wr[3];
    for (size_t i = 0; i < 3; i++)
        wr[i] = (struct ibv_recv_wr){.wr_id = i, .sg_list = sge, .num_sge = 1, .next = i < 2 ? &wr[i + 1] : NULL};
    wr[1].num_sge = 33;
    struct ibv_recv_wr *bad = NULL;
    int rc = ibv_post_recv(pair.qp[0], wr, &bad);
    report("post.recv.sge-over", "%s bad_wr=%s", errno_name(rc),
           bad == &wr[1] ? "spoiled" : where(bad, &wr[0]));
    wr[1].num_sge = 0;
    wr[1].next = NULL;
    rc = ibv_post_recv(pair.qp[0], &wr[1], &bad);
    report("post.recv.no-sges", "%s", errno_name(rc));
    rc = ibv_post_recv(pair.qp[0], NULL, &bad);
    report("post.recv.null-list", "%s", errno_name(rc));
    pair_close(&pair);

    /* Fill the queue: at least as many as granted, then ENOMEM at the right WR. */
    pair_create(&pair, device);
    pair_walk(&pair, IBV_QPS_INIT);
    struct ibv_qp_attr attr;
    struct ibv_qp_init_attr init;
    rc = ibv_query_qp(pair.qp[0], &attr, IBV_QP_CAP, &init);
    if (rc)
        die_errno(rc, "ibv_query_qp");
    unsigned posted = 0;
    while (posted < 100000 && (rc = post_receive(&pair, 0, posted, 0, 8)) == 0)
        posted++;
    report("post.recv.queue-full", "%s posted=%s", errno_name(rc), posted >= init.cap.max_recv_wr ? "cap" : "less");
    pair_close(&pair);
}

static void send_full_case(struct judge_device *device)
{
    struct pair pair;
    pair_open(&pair, device, NULL);
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_SQD};
    struct ibv_qp_init_attr init;
    int rc = ibv_modify_qp(pair.qp[0], &attr, IBV_QP_STATE);
    if (!rc)
        rc = ibv_query_qp(pair.qp[0], &attr, IBV_QP_CAP, &init);
    if (rc)
        die_errno(rc, "SQD and query");
    unsigned posted = 0;
    struct ibv_sge sge = sge_of(&pair, 0, 0, 8);
    struct ibv_send_wr *bad = NULL;
    struct ibv_send_wr wr = send_wr(&sge, 1);
    for (; posted < 100000; posted++) {
        wr = send_wr(&sge, 1);
        wr.opcode = IBV_WR_RDMA_WRITE;
        wr.wr.rdma.remote_addr = (uintptr_t)pair.memory[1];
        wr.wr.rdma.rkey = pair.mr[1]->rkey;
        rc = ibv_post_send(pair.qp[0], &wr, &bad);
        if (rc)
            break;
    }
    report("post.send.queue-full", "%s posted=%s bad_wr=%s", errno_name(rc), posted >= init.cap.max_send_wr ? "cap" : "less",
           where(bad, &wr));
    pair_close(&pair);
}

static void null_case(struct judge_device *device)
{
    struct pair pair;
    pair_open(&pair, device, NULL);
    struct ibv_send_wr *bad = NULL;
    report("post.send.null-list", "%s", errno_name(ibv_post_send(pair.qp[0], NULL, &bad)));
    pair_close(&pair);
}

void post_cases(struct judge_device *device)
{
    state_cases(device);
    static const struct {
        const char *name;
        void (*spoil)(struct ibv_send_wr *wr, struct pair *pair);
    } sends[] = {
        {"good", nothing},
        {"sge-over", sge_over},
        {"sge-negative", sge_negative},
        {"no-sges", no_sges},
        {"no-sges-null", no_sges_null},
        {"opcode-99", opcode_99},
        {"opcode-negative", opcode_negative},
        {"opcode-tso", opcode_tso},
        {"inline-most-bad-lkey", inline_most},
        {"inline-over", inline_over},
        {"inline-read", inline_read},
        {"atomic-good", atomic_good},
        {"atomic-length-4", atomic_length_4},
        {"atomic-inline", atomic_inline},
        {"atomic-unaligned", atomic_unaligned},
    };
    for (size_t i = 0; i < COUNT_OF(sends); i++)
        refused(device, case_name("post.send.%s", sends[i].name), sends[i].spoil);
    send_full_case(device);
    null_case(device);
    recv_cases(device);
}
