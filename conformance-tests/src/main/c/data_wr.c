/* SPDX-License-Identifier: Apache-2.0
 * The same work requests through ibv_wr_* (ibv_wr_post(3)). */
#include "data_judge.h"

#include <errno.h>

#define WR_OPS                                                                                                          \
    (IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM | \
     IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)

struct ibv_qp *wr_create(struct ibv_pd *pd, const struct ibv_qp_init_attr *init)
{
    struct ibv_qp_init_attr_ex ex = {
        .qp_context = init->qp_context,
        .send_cq = init->send_cq,
        .recv_cq = init->recv_cq,
        .cap = init->cap,
        .qp_type = init->qp_type,
        .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
        .pd = pd,
        .send_ops_flags = WR_OPS,
    };
    return ibv_create_qp_ex(pd->context, &ex);
}

static void build(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)
{
    qp->wr_id = wr->wr_id;
    qp->wr_flags = wr->send_flags & (IBV_SEND_SIGNALED | IBV_SEND_FENCE | IBV_SEND_SOLICITED);
    switch (wr->opcode) {
    case IBV_WR_SEND:
        ibv_wr_send(qp);
        break;
    case IBV_WR_SEND_WITH_IMM:
        ibv_wr_send_imm(qp, wr->imm_data);
        break;
    case IBV_WR_RDMA_WRITE:
        ibv_wr_rdma_write(qp, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr);
        break;
    case IBV_WR_RDMA_WRITE_WITH_IMM:
        ibv_wr_rdma_write_imm(qp, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr, wr->imm_data);
        break;
    case IBV_WR_RDMA_READ:
        ibv_wr_rdma_read(qp, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr);
        break;
    case IBV_WR_ATOMIC_CMP_AND_SWP:
        ibv_wr_atomic_cmp_swp(qp, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr, wr->wr.atomic.compare_add, wr->wr.atomic.swap);
        break;
    default:
        ibv_wr_atomic_fetch_add(qp, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr, wr->wr.atomic.compare_add);
    }
    size_t count = (size_t)wr->num_sge;
    if (wr->send_flags & IBV_SEND_INLINE) {
        struct ibv_data_buf buffers[MAX_SGES];
        for (size_t i = 0; i < count; i++)
            buffers[i] = (struct ibv_data_buf){(void *)(uintptr_t)wr->sg_list[i].addr, wr->sg_list[i].length};
        if (count == 1)
            ibv_wr_set_inline_data(qp, buffers[0].addr, buffers[0].length);
        else
            ibv_wr_set_inline_data_list(qp, count, buffers);
    } else if (count == 1) {
        ibv_wr_set_sge(qp, wr->sg_list->lkey, wr->sg_list->addr, wr->sg_list->length);
    } else {
        ibv_wr_set_sge_list(qp, count, wr->sg_list);
    }
}

int wr_post(struct ibv_qp_ex *qp, const struct ibv_send_wr *first)
{
    /* A batch that is thrown away must leave no trace. */
    ibv_wr_start(qp);
    build(qp, first);
    ibv_wr_abort(qp);
    ibv_wr_start(qp);
    for (const struct ibv_send_wr *wr = first; wr; wr = wr->next)
        build(qp, wr);
    return ibv_wr_complete(qp);
}
