/* What a context of ours can do, in the order of verbs.h. A null entry of the extended table makes the inline verb answer EOPNOTSUPP by itself;
 * the entries of the old table are called without a look, so every one of them is filled. */
#include <string.h>
#include <time.h>

#include "shim_verbs.h"

static struct ibv_mw *no_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	(void)pd;
	(void)type;
	return mroce_null(EOPNOTSUPP);
}

static int no_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
	(void)qp;
	(void)mw;
	(void)bind;
	return mroce_error(EOPNOTSUPP);
}

static int no_dealloc_mw(struct ibv_mw *mw)
{
	(void)mw;
	return mroce_error(EOPNOTSUPP);
}

static int no_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	(void)srq;
	*bad = wr;
	return mroce_error(EOPNOTSUPP);
}

/* ibv_close_xrcd calls without a look. */
static int no_close_xrcd(struct ibv_xrcd *xrcd)
{
	(void)xrcd;
	return mroce_error(EOPNOTSUPP);
}

/* The clock of completion timestamps. */
static int query_rt_values(struct ibv_context *context, struct ibv_values_ex *values)
{
	(void)context;
	if (values->comp_mask & ~(uint32_t)IBV_VALUES_MASK_RAW_CLOCK)
		return mroce_error(EOPNOTSUPP);
	if (values->comp_mask & IBV_VALUES_MASK_RAW_CLOCK)
		clock_gettime(CLOCK_MONOTONIC, &values->raw_clock);
	return 0;
}

void mroce_fill_ops(struct verbs_context *v)
{
	struct ibv_context_ops *ops = &v->context.ops;

	ops->_compat_query_device = ibv_query_device;
	ops->_compat_query_port = ibv_query_port;
	ops->alloc_mw = no_alloc_mw;
	ops->bind_mw = no_bind_mw;
	ops->dealloc_mw = no_dealloc_mw;
	ops->poll_cq = mroce_poll_cq;
	ops->req_notify_cq = mroce_req_notify_cq;
	ops->post_srq_recv = no_post_srq_recv;
	ops->post_send = mroce_post_send;
	ops->post_recv = mroce_post_recv;

	v->query_port = mroce_query_port_ex;
	v->query_rt_values = query_rt_values;
	v->create_cq_ex = mroce_create_cq_ex;
	v->query_device_ex = mroce_query_device_ex;
	v->create_qp_ex = mroce_create_qp_ex;
	v->close_xrcd = no_close_xrcd;
}
