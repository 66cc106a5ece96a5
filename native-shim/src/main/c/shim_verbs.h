/* Verbs that are reached through a context's tables, and the insides of posting that shim_post.c and shim_wr.c share. */
#ifndef MROCE_SHIM_VERBS_H
#define MROCE_SHIM_VERBS_H

#include "shim.h"

int mroce_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
int mroce_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
int mroce_poll_cq(struct ibv_cq *cq, int max, struct ibv_wc *wc);
int mroce_req_notify_cq(struct ibv_cq *cq, int solicited_only);
struct ibv_cq_ex *mroce_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr);
struct ibv_qp *mroce_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr);

/* Drives the engine once when a poll found nothing, and gives the core away after a few dozen such polls in a row. */
void mroce_idle_poll(void);
void mroce_busy_poll(void);

/* Publishes the send queue up to `tail` (lock held on entry, free on return), rings the doorbell and drives if nobody does. */
void mroce_publish_sends(struct mroce_qp *qp, uint32_t tail);

/* shim_wr.c: 0, or EOPNOTSUPP when an operation in `send_ops` does not exist here. */
int mroce_fill_qp_ex(struct mroce_qp *qp, uint64_t send_ops);
/* shim_poll_ex.c: 0, or EOPNOTSUPP when a flag in `wc_flags` does not exist here. */
int mroce_fill_cq_ex(struct mroce_cq *cq, uint64_t wc_flags);

#endif
