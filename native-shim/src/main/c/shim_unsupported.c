/* Public verbs that this device does not have yet, or that software has no use for: the answer is libibverbs' own for a provider without them. */
#include "shim_verbs.h"

/* Structs of later headers, by pointer only. */
struct ibv_dmah;
struct ibv_dmah_init_attr;
struct ibv_mr_init_attr;
struct ibv_buf;
struct ibv_comp_cntr;
struct ibv_comp_cntr_init_attr;
struct ibv_comp_cntr_caps;
struct ibv_qp_attach_comp_cntr_attr;
/* A later header's object whose layout begins with its context. */
struct has_context {
	struct ibv_context *context;
};
#define CONTEXT(object) (((const struct has_context *)(const void *)(object))->context)

/* Those that the headers of release 44 do not declare. */
struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access);
struct ibv_mr *ibv_reg_mr_ex(struct ibv_pd *pd, struct ibv_mr_init_attr *attr);
struct ibv_dmah *ibv_alloc_dmah(struct ibv_context *context, struct ibv_dmah_init_attr *attr);
int ibv_dealloc_dmah(struct ibv_dmah *dmah);
int ibv_dm_export_dmabuf_fd(struct ibv_dm *dm);
void *ibv_alloc_buf(struct ibv_pd *pd, size_t size, struct ibv_buf **buf);
struct ibv_mr *ibv_reg_buf_mr(struct ibv_pd *pd, struct ibv_buf *buf, void *addr, size_t length, int access);
void ibv_free_buf(struct ibv_buf *buf);
int ibv_export_buf_dmabuf_fd(struct ibv_buf *buf);
int _ibv_query_comp_cntr_caps(struct ibv_context *context, struct ibv_comp_cntr_caps *caps, size_t size);
struct ibv_comp_cntr *ibv_create_comp_cntr(struct ibv_context *context, struct ibv_comp_cntr_init_attr *attr);
int ibv_qp_attach_comp_cntr(struct ibv_qp *qp, struct ibv_comp_cntr *counter, struct ibv_qp_attach_comp_cntr_attr *attr);
int ibv_destroy_comp_cntr(struct ibv_comp_cntr *counter);
int ibv_set_comp_cntr(struct ibv_comp_cntr *counter, uint64_t value);
int ibv_set_err_comp_cntr(struct ibv_comp_cntr *counter, uint64_t value);
int ibv_inc_comp_cntr(struct ibv_comp_cntr *counter, uint64_t amount);
int ibv_inc_err_comp_cntr(struct ibv_comp_cntr *counter, uint64_t amount);
int ibv_read_comp_cntr(struct ibv_comp_cntr *counter, uint64_t *value);
int ibv_read_err_comp_cntr(struct ibv_comp_cntr *counter, uint64_t *value);

/* ---- shared receive queues, address handles, multicast ---- */

EXPORT struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	FORWARD(mroce_owns(pd->context), mroce_null(ENOSYS), "IBVERBS_1.1", ibv_create_srq, pd, attr);
	return mroce_null(EOPNOTSUPP);
}

EXPORT int ibv_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask)
{
	FORWARD(mroce_owns(srq->context), ENOSYS, "IBVERBS_1.1", ibv_modify_srq, srq, attr, mask);
	return mroce_error(EOPNOTSUPP);
}

EXPORT int ibv_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr)
{
	FORWARD(mroce_owns(srq->context), ENOSYS, "IBVERBS_1.1", ibv_query_srq, srq, attr);
	return mroce_error(EOPNOTSUPP);
}

EXPORT int ibv_destroy_srq(struct ibv_srq *srq)
{
	FORWARD(mroce_owns(srq->context), ENOSYS, "IBVERBS_1.1", ibv_destroy_srq, srq);
	return mroce_error(EOPNOTSUPP);
}

EXPORT struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	FORWARD(mroce_owns(pd->context), mroce_null(ENOSYS), "IBVERBS_1.1", ibv_create_ah, pd, attr);
	return mroce_null(EOPNOTSUPP);
}

EXPORT int ibv_destroy_ah(struct ibv_ah *ah)
{
	FORWARD(mroce_owns(ah->context), ENOSYS, "IBVERBS_1.1", ibv_destroy_ah, ah);
	return mroce_error(EOPNOTSUPP);
}

EXPORT int ibv_init_ah_from_wc(struct ibv_context *context, uint8_t port, struct ibv_wc *wc, struct ibv_grh *grh, struct ibv_ah_attr *attr)
{
	FORWARD(mroce_owns(context), ENOSYS, "IBVERBS_1.1", ibv_init_ah_from_wc, context, port, wc, grh, attr);
	return mroce_error(EOPNOTSUPP);
}

EXPORT struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc, struct ibv_grh *grh, uint8_t port)
{
	FORWARD(mroce_owns(pd->context), mroce_null(ENOSYS), "IBVERBS_1.1", ibv_create_ah_from_wc, pd, wc, grh, port);
	return mroce_null(EOPNOTSUPP);
}

EXPORT int ibv_resolve_eth_l2_from_gid(struct ibv_context *context, struct ibv_ah_attr *attr, uint8_t mac[ETHERNET_LL_SIZE], uint16_t *vid)
{
	FORWARD(mroce_owns(context), ENOSYS, "IBVERBS_1.1", ibv_resolve_eth_l2_from_gid, context, attr, mac, vid);
	return mroce_error(EOPNOTSUPP);
}

EXPORT int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	FORWARD(mroce_owns(qp->context), ENOSYS, "IBVERBS_1.1", ibv_attach_mcast, qp, gid, lid);
	return mroce_error(EOPNOTSUPP);
}

EXPORT int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	FORWARD(mroce_owns(qp->context), ENOSYS, "IBVERBS_1.1", ibv_detach_mcast, qp, gid, lid);
	return mroce_error(EOPNOTSUPP);
}

/* ---- memory ---- */

/* The old MR stays as it was: that is what ERR_INPUT says. */
EXPORT int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length, int access)
{
	FORWARD(mroce_owns(mr->context), IBV_REREG_MR_ERR_INPUT, "IBVERBS_1.1", ibv_rereg_mr, mr, flags, pd, addr, length, access);
	errno = EOPNOTSUPP;
	return IBV_REREG_MR_ERR_INPUT;
}

EXPORT struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access)
{
	FORWARD(mroce_owns(pd->context), mroce_null(ENOSYS), "IBVERBS_1.12", ibv_reg_dmabuf_mr, pd, offset, length, iova, fd, access);
	return mroce_null(EOPNOTSUPP);
}

EXPORT struct ibv_mr *ibv_reg_mr_ex(struct ibv_pd *pd, struct ibv_mr_init_attr *attr)
{
	FORWARD(mroce_owns(pd->context), mroce_null(ENOSYS), "IBVERBS_1.15", ibv_reg_mr_ex, pd, attr);
	return mroce_null(EOPNOTSUPP);
}

EXPORT struct ibv_dmah *ibv_alloc_dmah(struct ibv_context *context, struct ibv_dmah_init_attr *attr)
{
	FORWARD(mroce_owns(context), mroce_null(ENOSYS), "IBVERBS_1.15", ibv_alloc_dmah, context, attr);
	return mroce_null(EOPNOTSUPP);
}

EXPORT int ibv_dealloc_dmah(struct ibv_dmah *dmah)
{
	FORWARD(mroce_owns(CONTEXT(dmah)), ENOSYS, "IBVERBS_1.15", ibv_dealloc_dmah, dmah);
	return mroce_error(EOPNOTSUPP);
}

EXPORT int ibv_dm_export_dmabuf_fd(struct ibv_dm *dm)
{
	FORWARD(mroce_owns(dm->context), -1, "IBVERBS_1.16", ibv_dm_export_dmabuf_fd, dm);
	errno = EOPNOTSUPP;
	return -1;
}

EXPORT void *ibv_alloc_buf(struct ibv_pd *pd, size_t size, struct ibv_buf **buf)
{
	FORWARD(mroce_owns(pd->context), mroce_null(ENOSYS), "IBVERBS_1.17", ibv_alloc_buf, pd, size, buf);
	return mroce_null(EOPNOTSUPP);
}

EXPORT struct ibv_mr *ibv_reg_buf_mr(struct ibv_pd *pd, struct ibv_buf *buf, void *addr, size_t length, int access)
{
	FORWARD(mroce_owns(pd->context), mroce_null(ENOSYS), "IBVERBS_1.17", ibv_reg_buf_mr, pd, buf, addr, length, access);
	return mroce_null(EOPNOTSUPP);
}

/* Buffers are never ours. */
EXPORT void ibv_free_buf(struct ibv_buf *buf)
{
	typeof(&ibv_free_buf) real = REAL_SYMBOL(typeof(&ibv_free_buf), "ibv_free_buf", "IBVERBS_1.17");

	if (real)
		real(buf);
}

EXPORT int ibv_export_buf_dmabuf_fd(struct ibv_buf *buf)
{
	FORWARD(false, -1, "IBVERBS_1.18", ibv_export_buf_dmabuf_fd, buf);
	return -1;
}

/* ---- sharing by file descriptor ---- */

EXPORT struct ibv_pd *ibv_import_pd(struct ibv_context *context, uint32_t handle)
{
	FORWARD(mroce_owns(context), mroce_null(ENOSYS), "IBVERBS_1.10", ibv_import_pd, context, handle);
	return mroce_null(EOPNOTSUPP);
}

EXPORT struct ibv_mr *ibv_import_mr(struct ibv_pd *pd, uint32_t handle)
{
	FORWARD(mroce_owns(pd->context), mroce_null(ENOSYS), "IBVERBS_1.10", ibv_import_mr, pd, handle);
	return mroce_null(EOPNOTSUPP);
}

EXPORT struct ibv_dm *ibv_import_dm(struct ibv_context *context, uint32_t handle)
{
	FORWARD(mroce_owns(context), mroce_null(ENOSYS), "IBVERBS_1.13", ibv_import_dm, context, handle);
	return mroce_null(EOPNOTSUPP);
}

EXPORT void ibv_unimport_pd(struct ibv_pd *pd)
{
	typeof(&ibv_unimport_pd) real = mroce_owns(pd->context) ? NULL : REAL_SYMBOL(typeof(&ibv_unimport_pd), "ibv_unimport_pd", "IBVERBS_1.10");

	if (real)
		real(pd);
}

EXPORT void ibv_unimport_mr(struct ibv_mr *mr)
{
	typeof(&ibv_unimport_mr) real = mroce_owns(mr->context) ? NULL : REAL_SYMBOL(typeof(&ibv_unimport_mr), "ibv_unimport_mr", "IBVERBS_1.10");

	if (real)
		real(mr);
}

EXPORT void ibv_unimport_dm(struct ibv_dm *dm)
{
	typeof(&ibv_unimport_dm) real = mroce_owns(dm->context) ? NULL : REAL_SYMBOL(typeof(&ibv_unimport_dm), "ibv_unimport_dm", "IBVERBS_1.13");

	if (real)
		real(dm);
}

/* ---- queue pair extras ---- */

EXPORT int ibv_query_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	FORWARD(mroce_owns(qp->context), ENOSYS, "IBVERBS_1.10", ibv_query_ece, qp, ece);
	return mroce_error(EOPNOTSUPP);
}

EXPORT int ibv_set_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	FORWARD(mroce_owns(qp->context), ENOSYS, "IBVERBS_1.10", ibv_set_ece, qp, ece);
	return mroce_error(EOPNOTSUPP);
}

/* Tail-ordered placement makes the last byte visible last, and promises nothing about the bytes before it. */
EXPORT int ibv_query_qp_data_in_order(struct ibv_qp *qp, enum ibv_wr_opcode op, uint32_t flags)
{
	FORWARD(mroce_owns(qp->context), 0, "IBVERBS_1.14", ibv_query_qp_data_in_order, qp, op, flags);
	return 0;
}

/* ---- completion counters ---- */

EXPORT int _ibv_query_comp_cntr_caps(struct ibv_context *context, struct ibv_comp_cntr_caps *caps, size_t size)
{
	FORWARD(mroce_owns(context), ENOSYS, "IBVERBS_1.18", _ibv_query_comp_cntr_caps, context, caps, size);
	return mroce_error(EOPNOTSUPP);
}

EXPORT struct ibv_comp_cntr *ibv_create_comp_cntr(struct ibv_context *context, struct ibv_comp_cntr_init_attr *attr)
{
	FORWARD(mroce_owns(context), mroce_null(ENOSYS), "IBVERBS_1.18", ibv_create_comp_cntr, context, attr);
	return mroce_null(EOPNOTSUPP);
}

EXPORT int ibv_qp_attach_comp_cntr(struct ibv_qp *qp, struct ibv_comp_cntr *counter, struct ibv_qp_attach_comp_cntr_attr *attr)
{
	FORWARD(mroce_owns(qp->context), ENOSYS, "IBVERBS_1.18", ibv_qp_attach_comp_cntr, qp, counter, attr);
	return mroce_error(EOPNOTSUPP);
}

EXPORT int ibv_destroy_comp_cntr(struct ibv_comp_cntr *counter)
{
	FORWARD(mroce_owns(CONTEXT(counter)), ENOSYS, "IBVERBS_1.18", ibv_destroy_comp_cntr, counter);
	return mroce_error(EOPNOTSUPP);
}

EXPORT int ibv_set_comp_cntr(struct ibv_comp_cntr *counter, uint64_t value)
{
	FORWARD(mroce_owns(CONTEXT(counter)), ENOSYS, "IBVERBS_1.18", ibv_set_comp_cntr, counter, value);
	return mroce_error(EOPNOTSUPP);
}

EXPORT int ibv_set_err_comp_cntr(struct ibv_comp_cntr *counter, uint64_t value)
{
	FORWARD(mroce_owns(CONTEXT(counter)), ENOSYS, "IBVERBS_1.18", ibv_set_err_comp_cntr, counter, value);
	return mroce_error(EOPNOTSUPP);
}

EXPORT int ibv_inc_comp_cntr(struct ibv_comp_cntr *counter, uint64_t amount)
{
	FORWARD(mroce_owns(CONTEXT(counter)), ENOSYS, "IBVERBS_1.18", ibv_inc_comp_cntr, counter, amount);
	return mroce_error(EOPNOTSUPP);
}

EXPORT int ibv_inc_err_comp_cntr(struct ibv_comp_cntr *counter, uint64_t amount)
{
	FORWARD(mroce_owns(CONTEXT(counter)), ENOSYS, "IBVERBS_1.18", ibv_inc_err_comp_cntr, counter, amount);
	return mroce_error(EOPNOTSUPP);
}

EXPORT int ibv_read_comp_cntr(struct ibv_comp_cntr *counter, uint64_t *value)
{
	FORWARD(mroce_owns(CONTEXT(counter)), ENOSYS, "IBVERBS_1.18", ibv_read_comp_cntr, counter, value);
	return mroce_error(EOPNOTSUPP);
}

EXPORT int ibv_read_err_comp_cntr(struct ibv_comp_cntr *counter, uint64_t *value)
{
	FORWARD(mroce_owns(CONTEXT(counter)), ENOSYS, "IBVERBS_1.18", ibv_read_err_comp_cntr, counter, value);
	return mroce_error(EOPNOTSUPP);
}
