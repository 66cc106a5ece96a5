/* Queue pairs: create, modify, query, destroy. */
#include <stdlib.h>
#include <string.h>

#include "shim_verbs.h"

static uint32_t round64(uint32_t n)
{
	return (n + 63) & ~63u;
}

static bool caps_are_bad(const struct ibv_qp_cap *cap)
{
	return cap->max_send_wr > MROCE_MAX_QP_WR || cap->max_recv_wr > MROCE_MAX_QP_WR || cap->max_send_sge > MROCE_MAX_SGE ||
		cap->max_recv_sge > MROCE_MAX_SGE || cap->max_inline_data > MROCE_MAX_INLINE;
}

static bool is_known_type(enum ibv_qp_type type)
{
	return type == IBV_QPT_RC || type == IBV_QPT_UC || type == IBV_QPT_UD || type == IBV_QPT_RAW_PACKET || type == IBV_QPT_XRC_SEND ||
		type == IBV_QPT_XRC_RECV || type == IBV_QPT_DRIVER;
}

static int make_rings(struct mroce_qp *qp, const struct ibv_qp_cap *cap)
{
	uint32_t sges = 16 * cap->max_send_sge;

	qp->sq_stride = round64(sizeof(struct mroce_send_slot) + (sges > cap->max_inline_data ? sges : cap->max_inline_data));
	qp->rq_stride = round64(sizeof(struct mroce_recv_slot) + 16 * cap->max_recv_sge);
	qp->sq_entries = mroce_pow2(cap->max_send_wr);
	qp->rq_entries = mroce_pow2(cap->max_recv_wr);
	qp->sq_mask = qp->sq_entries - 1;
	qp->rq_mask = qp->rq_entries - 1;
	qp->sq_limit = cap->max_send_wr ? qp->sq_entries : 0;
	qp->rq_limit = cap->max_recv_wr ? qp->rq_entries : 0;
	qp->max_send_sge = cap->max_send_sge;
	qp->max_recv_sge = cap->max_recv_sge;
	/* What the slot holds anyway is offered. */
	qp->max_inline = qp->sq_stride - sizeof(struct mroce_send_slot);
	if (qp->max_inline > MROCE_MAX_INLINE)
		qp->max_inline = MROCE_MAX_INLINE;
	qp->sq = mroce_ring_new(qp->sq_entries, qp->sq_stride);
	qp->rq = mroce_ring_new(qp->rq_entries, qp->rq_stride);
	qp->cap = (struct ibv_qp_cap){ qp->sq_limit, qp->rq_limit, qp->max_send_sge, qp->max_recv_sge, qp->max_inline };
	return qp->sq && qp->rq ? 0 : ENOMEM;
}

static struct ibv_qp *create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr, bool ex, uint64_t send_ops)
{
	struct mroce_cmd_create_qp cmd = { 0 };

	if (attr->qp_type != IBV_QPT_RC)
		return mroce_null(is_known_type(attr->qp_type) ? EOPNOTSUPP : EINVAL);
	if (attr->srq)
		return mroce_null(EOPNOTSUPP);
	if (!attr->send_cq || !attr->recv_cq || attr->send_cq->context != pd->context || attr->recv_cq->context != pd->context ||
	    caps_are_bad(&attr->cap))
		return mroce_null(EINVAL);
	struct mroce_qp *qp = load_relaxed(&mroce_forked) ? NULL : aligned_alloc(64, sizeof(*qp));

	if (!qp)
		return mroce_null(load_relaxed(&mroce_forked) ? ENODEV : ENOMEM);
	memset(qp, 0, sizeof(*qp));
	int error = ex ? mroce_fill_qp_ex(qp, send_ops) : 0;
	if (!error)
		error = make_rings(qp, &attr->cap);
	if (!error) {
		cmd.pd = pd->handle;
		cmd.qp_type = attr->qp_type;
		cmd.send_cq = to_cq(attr->send_cq)->id;
		cmd.recv_cq = to_cq(attr->recv_cq)->id;
		cmd.sq_sig_all = attr->sq_sig_all != 0;
		cmd.max_send_sge = qp->max_send_sge;
		cmd.max_recv_sge = qp->max_recv_sge;
		cmd.max_inline = qp->max_inline;
		cmd.sq_ring = (uintptr_t)qp->sq;
		cmd.rq_ring = (uintptr_t)qp->rq;
		cmd.cookie = cmd.sq_cookie = (uintptr_t)qp;
		error = mroce_command(MROCE_OP_CREATE_QP, &cmd);
	}
	if (error) {
		mroce_ring_free(qp->sq);
		mroce_ring_free(qp->rq);
		free(qp);
		return mroce_null(error);
	}
	qp->id = cmd.qp;
	qp->sq_sig_all = attr->sq_sig_all != 0;
	attr->cap = qp->cap;
	qp->ibv.context = pd->context;
	qp->ibv.qp_context = attr->qp_context;
	qp->ibv.pd = pd;
	qp->ibv.send_cq = attr->send_cq;
	qp->ibv.recv_cq = attr->recv_cq;
	qp->ibv.handle = cmd.qp;
	qp->ibv.qp_num = cmd.qpn;
	qp->ibv.state = IBV_QPS_RESET;
	qp->ibv.qp_type = attr->qp_type;
	pthread_mutex_init(&qp->ibv.mutex, NULL);
	pthread_cond_init(&qp->ibv.cond, NULL);
	return &qp->ibv;
}

EXPORT struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	FORWARD(mroce_owns(pd->context), mroce_null(ENOSYS), "IBVERBS_1.1", ibv_create_qp, pd, attr);
	return create_qp(pd, attr, false, 0);
}

struct ibv_qp *mroce_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	const uint32_t known = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;

	(void)context;
	if ((attr->comp_mask & ~known) || ((attr->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS) && attr->create_flags))
		return mroce_null(EOPNOTSUPP);
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_PD) || !attr->pd)
		return mroce_null(EINVAL);
	/* The extended struct begins with the plain one. */
	return create_qp(attr->pd, (struct ibv_qp_init_attr *)attr, attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, attr->send_ops_flags);
}

static void flatten(const struct ibv_qp_attr *a, struct mroce_qp_attr *f)
{
	f->qp_state = a->qp_state;
	f->cur_qp_state = a->cur_qp_state;
	f->path_mtu = a->path_mtu;
	f->path_mig_state = a->path_mig_state;
	f->qkey = a->qkey;
	f->rq_psn = a->rq_psn;
	f->sq_psn = a->sq_psn;
	f->dest_qp_num = a->dest_qp_num;
	f->qp_access_flags = a->qp_access_flags;
	f->pkey_index = a->pkey_index;
	f->alt_pkey_index = a->alt_pkey_index;
	f->en_sqd_async_notify = a->en_sqd_async_notify;
	f->max_rd_atomic = a->max_rd_atomic;
	f->max_dest_rd_atomic = a->max_dest_rd_atomic;
	f->min_rnr_timer = a->min_rnr_timer;
	f->port_num = a->port_num;
	f->timeout = a->timeout;
	f->retry_cnt = a->retry_cnt;
	f->rnr_retry = a->rnr_retry;
	f->alt_port_num = a->alt_port_num;
	f->alt_timeout = a->alt_timeout;
	f->rate_limit = a->rate_limit;
	f->cap_send_wr = a->cap.max_send_wr;
	f->cap_recv_wr = a->cap.max_recv_wr;
	f->cap_send_sge = a->cap.max_send_sge;
	f->cap_recv_sge = a->cap.max_recv_sge;
	f->cap_inline = a->cap.max_inline_data;
	f->ah_flow_label = a->ah_attr.grh.flow_label;
	f->ah_sgid_index = a->ah_attr.grh.sgid_index;
	f->ah_hop_limit = a->ah_attr.grh.hop_limit;
	f->ah_traffic_class = a->ah_attr.grh.traffic_class;
	f->ah_dlid = a->ah_attr.dlid;
	f->ah_sl = a->ah_attr.sl;
	f->ah_src_path_bits = a->ah_attr.src_path_bits;
	f->ah_static_rate = a->ah_attr.static_rate;
	f->ah_is_global = a->ah_attr.is_global;
	f->ah_port_num = a->ah_attr.port_num;
	memcpy(f->ah_dgid, a->ah_attr.grh.dgid.raw, 16);
}

static void unflatten(const struct mroce_qp_attr *f, struct ibv_qp_attr *a)
{
	memset(a, 0, sizeof(*a));
	a->qp_state = (enum ibv_qp_state)f->qp_state;
	a->cur_qp_state = (enum ibv_qp_state)f->cur_qp_state;
	a->path_mtu = (enum ibv_mtu)f->path_mtu;
	a->path_mig_state = (enum ibv_mig_state)f->path_mig_state;
	a->qkey = f->qkey;
	a->rq_psn = f->rq_psn;
	a->sq_psn = f->sq_psn;
	a->dest_qp_num = f->dest_qp_num;
	a->qp_access_flags = f->qp_access_flags;
	a->pkey_index = (uint16_t)f->pkey_index;
	a->alt_pkey_index = (uint16_t)f->alt_pkey_index;
	a->en_sqd_async_notify = (uint8_t)f->en_sqd_async_notify;
	a->sq_draining = (uint8_t)f->sq_draining;
	a->max_rd_atomic = (uint8_t)f->max_rd_atomic;
	a->max_dest_rd_atomic = (uint8_t)f->max_dest_rd_atomic;
	a->min_rnr_timer = (uint8_t)f->min_rnr_timer;
	a->port_num = (uint8_t)f->port_num;
	a->timeout = (uint8_t)f->timeout;
	a->retry_cnt = (uint8_t)f->retry_cnt;
	a->rnr_retry = (uint8_t)f->rnr_retry;
	a->alt_port_num = (uint8_t)f->alt_port_num;
	a->alt_timeout = (uint8_t)f->alt_timeout;
	a->rate_limit = f->rate_limit;
	a->ah_attr.grh.flow_label = f->ah_flow_label;
	a->ah_attr.grh.sgid_index = (uint8_t)f->ah_sgid_index;
	a->ah_attr.grh.hop_limit = (uint8_t)f->ah_hop_limit;
	a->ah_attr.grh.traffic_class = (uint8_t)f->ah_traffic_class;
	a->ah_attr.dlid = (uint16_t)f->ah_dlid;
	a->ah_attr.sl = (uint8_t)f->ah_sl;
	a->ah_attr.src_path_bits = (uint8_t)f->ah_src_path_bits;
	a->ah_attr.static_rate = (uint8_t)f->ah_static_rate;
	a->ah_attr.is_global = (uint8_t)f->ah_is_global;
	a->ah_attr.port_num = (uint8_t)f->ah_port_num;
	memcpy(a->ah_attr.grh.dgid.raw, f->ah_dgid, 16);
}

EXPORT int ibv_modify_qp(struct ibv_qp *ibv, struct ibv_qp_attr *attr, int mask)
{
	FORWARD(mroce_owns(ibv->context), ENOSYS, "IBVERBS_1.1", ibv_modify_qp, ibv, attr, mask);
	struct mroce_qp *qp = to_qp(ibv);
	struct mroce_cmd_qp cmd = { .qp = qp->id, .attr_mask = (uint32_t)mask };

	if (mask & IBV_QP_RATE_LIMIT)
		return mroce_error(EOPNOTSUPP);
	flatten(attr, &cmd.attr);
	int error = mroce_command(MROCE_OP_MODIFY_QP, &cmd);
	if (error)
		return mroce_error(error);
	if (mask & IBV_QP_STATE) {
		store_relaxed(&qp->state, attr->qp_state);
		ibv->state = attr->qp_state;
	}
	return 0;
}

EXPORT int ibv_query_qp(struct ibv_qp *ibv, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init)
{
	FORWARD(mroce_owns(ibv->context), ENOSYS, "IBVERBS_1.1", ibv_query_qp, ibv, attr, mask, init);
	struct mroce_qp *qp = to_qp(ibv);
	struct mroce_cmd_qp cmd = { .qp = qp->id, .attr_mask = (uint32_t)mask };
	int error = mroce_command(MROCE_OP_QUERY_QP, &cmd);

	if (error)
		return mroce_error(error);
	unflatten(&cmd.attr, attr);
	attr->cap = qp->cap;
	store_relaxed(&qp->state, attr->qp_state);
	ibv->state = attr->qp_state;
	memset(init, 0, sizeof(*init));
	init->qp_context = ibv->qp_context;
	init->send_cq = ibv->send_cq;
	init->recv_cq = ibv->recv_cq;
	init->cap = qp->cap;
	init->qp_type = ibv->qp_type;
	init->sq_sig_all = (int)qp->sq_sig_all;
	return 0;
}

EXPORT int ibv_destroy_qp(struct ibv_qp *ibv)
{
	FORWARD(mroce_owns(ibv->context), ENOSYS, "IBVERBS_1.1", ibv_destroy_qp, ibv);
	struct mroce_qp *qp = to_qp(ibv);
	struct mroce_cmd_qp cmd = { .qp = qp->id };

	if (load_relaxed(&mroce_forked))
		return 0;
	int error = mroce_command(MROCE_OP_DESTROY_QP, &cmd);
	if (error)
		return mroce_error(error);
	uint32_t reported = mroce_async_forget(mroce_ctx(ibv->context), qp, &qp->async_reported);

	pthread_mutex_lock(&ibv->mutex);
	while (ibv->events_completed != reported)
		pthread_cond_wait(&ibv->cond, &ibv->mutex);
	pthread_mutex_unlock(&ibv->mutex);
	pthread_mutex_destroy(&ibv->mutex);
	pthread_cond_destroy(&ibv->cond);
	mroce_ring_free(qp->sq);
	mroce_ring_free(qp->rq);
	free(qp);
	return 0;
}
