/* Verbs that do not exist here answer what libibverbs documents for a provider without them. */
#include "test.h"

#define NOT_SUPPORTED(call)                                                                                              \
	do {                                                                                                                 \
		errno = 0;                                                                                                       \
		CHECK((call) == NULL);                                                                                           \
		SAME(errno, EOPNOTSUPP);                                                                                         \
	} while (0)

int main(void)
{
	struct ibv_context *context = open_mroce();
	struct ibv_pd *pd = ibv_alloc_pd(context);
	struct ibv_srq_init_attr srq = { .attr = { 10, 1, 0 } };
	struct ibv_srq_init_attr_ex srq_ex = { .attr = { 10, 1, 0 }, .comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = IBV_SRQT_XRC, .pd = pd };
	struct ibv_ah_attr ah = { .port_num = 1 };
	struct ibv_xrcd_init_attr xrcd = { .comp_mask = 3, .fd = -1 };
	struct ibv_alloc_dm_attr dm = { .length = 4096 };
	struct ibv_td_init_attr td = { 0 };
	struct ibv_parent_domain_init_attr parent = { .pd = pd };
	struct ibv_flow_attr flow = { 0 };
	struct ibv_wq_init_attr wq = { 0 };
	struct ibv_counters_init_attr counters = { 0 };
	struct ibv_wc wc = { 0 };
	struct ibv_grh grh = { 0 };
	struct ibv_ece ece = { .vendor_id = 1 };
	union ibv_gid gid = { .raw = { 0xff } };

	CHECK(pd);
	NOT_SUPPORTED(ibv_create_srq(pd, &srq));
	NOT_SUPPORTED(ibv_create_srq_ex(context, &srq_ex));
	NOT_SUPPORTED(ibv_create_ah(pd, &ah));
	NOT_SUPPORTED(ibv_create_ah_from_wc(pd, &wc, &grh, 1));
	NOT_SUPPORTED(ibv_alloc_mw(pd, IBV_MW_TYPE_1));
	NOT_SUPPORTED(ibv_open_xrcd(context, &xrcd));
	NOT_SUPPORTED(ibv_alloc_dm(context, &dm));
	NOT_SUPPORTED(ibv_alloc_td(context, &td));
	NOT_SUPPORTED(ibv_alloc_parent_domain(context, &parent));
	NOT_SUPPORTED(ibv_create_wq(context, &wq));
	NOT_SUPPORTED(ibv_create_counters(context, &counters));
	NOT_SUPPORTED(ibv_alloc_null_mr(pd));
	NOT_SUPPORTED(ibv_reg_dmabuf_mr(pd, 0, 4096, 0, 0, 0));
	NOT_SUPPORTED(ibv_import_pd(context, 0));

	struct ibv_cq *cq = ibv_create_cq(context, 10, NULL, NULL, 0);
	CHECK(cq);
	struct ibv_qp_init_attr ud = { .send_cq = cq, .recv_cq = cq, .cap = { 1, 1, 1, 1, 0 }, .qp_type = IBV_QPT_UD };
	NOT_SUPPORTED(ibv_create_qp(pd, &ud));
	ud.qp_type = IBV_QPT_UC;
	NOT_SUPPORTED(ibv_create_qp(pd, &ud));
	struct ibv_qp *qp = make_qp(pd, cq, 4);
	NOT_SUPPORTED(ibv_create_flow(qp, &flow));
	CHECK(ibv_qp_to_qp_ex(qp) == NULL);
	SAME(ibv_attach_mcast(qp, &gid, 0), EOPNOTSUPP);
	SAME(ibv_detach_mcast(qp, &gid, 0), EOPNOTSUPP);
	SAME(ibv_query_ece(qp, &ece), EOPNOTSUPP);
	SAME(ibv_set_ece(qp, &ece), EOPNOTSUPP);
	SAME(ibv_query_qp_data_in_order(qp, IBV_WR_RDMA_WRITE, 0), 0);
	struct ibv_modify_cq_attr moderate = { .attr_mask = IBV_CQ_ATTR_MODERATE };
	SAME(ibv_modify_cq(cq, &moderate), EOPNOTSUPP);
	struct ibv_cq_init_attr_ex cq_ex = { .cqe = 10, .wc_flags = IBV_WC_EX_WITH_CVLAN };
	NOT_SUPPORTED(ibv_create_cq_ex(context, &cq_ex));
	struct ibv_qp_init_attr_ex qp_ex = { .send_cq = cq, .recv_cq = cq, .cap = { 1, 1, 1, 1, 0 }, .qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, .pd = pd, .send_ops_flags = IBV_QP_EX_WITH_BIND_MW };
	NOT_SUPPORTED(ibv_create_qp_ex(context, &qp_ex));
	char *page = malloc(4096);
	struct ibv_mr *mr = ibv_reg_mr(pd, page, 4096, IBV_ACCESS_LOCAL_WRITE);
	CHECK(mr);
	SAME(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, pd, page, 4096, 0), IBV_REREG_MR_ERR_INPUT);
	SAME(errno, EOPNOTSUPP);
	NOT_SUPPORTED(ibv_reg_mr(pd, page, 4096, IBV_ACCESS_ON_DEMAND));
	SAME(ibv_dereg_mr(mr), 0);
	SAME(ibv_destroy_qp(qp), 0);
	SAME(ibv_destroy_cq(cq), 0);
	SAME(ibv_dealloc_pd(pd), 0);
	SAME(ibv_close_device(context), 0);
	return ok();
}
