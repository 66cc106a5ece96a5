package io.metaroce.conformance.sim;

/** A completion as a program sees it. */
public record SimCqe(int qp, long wrId, int status, int opcode, int byteLen, int imm, int wcFlags, boolean receive) {}
