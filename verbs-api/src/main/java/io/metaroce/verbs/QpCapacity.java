package io.metaroce.verbs;

/**
 * What a queue pair must hold at least ({@code struct ibv_qp_cap}); it may hold more.
 *
 * @param sendWr work requests outstanding on the send queue
 * @param receiveWr receives posted
 * @param sendSge scatter/gather entries of a send
 * @param receiveSge scatter/gather entries of a receive
 * @param inlineBytes bytes of an inline send
 */
public record QpCapacity(int sendWr, int receiveWr, int sendSge, int receiveSge, int inlineBytes) {
    /** One scatter/gather entry each, 64 bytes inline. */
    public static QpCapacity of(int sendWr, int receiveWr) {
        return new QpCapacity(sendWr, receiveWr, 1, 1, 64);
    }
}
