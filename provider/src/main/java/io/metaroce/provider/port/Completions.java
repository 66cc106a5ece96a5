package io.metaroce.provider.port;

/** Where the engine puts completions. Numbers are those of verbs.h. */
public interface Completions {
    /**
     * Appends a CQE. The heads of the queues must have been published before (a program that posts on its completion must find a free slot).
     *
     * @param cq CQ index
     * @param status {@code enum ibv_wc_status}
     * @param opcode {@code enum ibv_wc_opcode}
     * @param imm immediate data in network order as the sender's program gave it, or the invalidated rkey
     * @param wcFlags {@code enum ibv_wc_flags}: GRH 1, WITH_IMM 2, WITH_INV 8
     * @param solicited true for a receive with the solicited bit and for every failed CQE
     * @return false when the CQ was full: the CQE is lost, the device has raised CQ_ERR and the engine must put the CQ's QPs into ERR
     */
    boolean add(
            int cq,
            int qp,
            long wrId,
            int status,
            int opcode,
            int byteLen,
            int imm,
            int wcFlags,
            int srcQpn,
            boolean solicited);

    /** Free slots of a CQ, at least 0. */
    int room(int cq);

    /** End of a batch: publishes tails, fires armed CQs (concurrency.md section 3). Called once per duty cycle that added something. */
    void publish();

    /** Whether something was added since {@link #publish}. */
    default boolean hasNews() {
        return false;
    }
}
