package io.metaroce.conformance.sim;

/** A deliberate fault between the engine and the world, which the checker named must report: the proof that it can fail. */
public enum Mutation {
    NONE,
    /** I1: a placement is done twice. */
    PLACE_TWICE,
    /** I2: two completions change places. */
    SWAP_COMPLETIONS,
    /** I2: a completion is shown twice. */
    DOUBLE_COMPLETION,
    /** I3: an atomic runs twice. */
    ATOMIC_TWICE,
    /** I4: the engines get a wider window than the checker was told. */
    WIDE_WINDOW,
    /** I5: resends never leave the host. (A copy on another path still may, so that the work ends.) */
    SWALLOW_RESENDS,
    /** I6: after its first frames nothing of one QP leaves its host, while others do. */
    STARVE_QP,
    /** I6: what one QP posts after its first messages is kept from its engine, so that it waits while nothing is in flight. */
    HIDE_POSTS,
    /** I8: one segment never leaves the host, whatever the path. */
    SWALLOW_SEGMENT,
    /** I7: a frame of the present life is declared one of the past. */
    CALL_IT_STALE,
    /** I9: an ACK gives more than there is. (Nobody believes it: its tag is wrong then.) */
    GENEROUS_HINT,
    /** No fault of ours, but of a network that passes only what fits an MTU of 1500: everything must still be delivered. */
    NARROW_NETWORK,
    /** The same, after twenty packets that did not fit have passed. */
    NARROWING_NETWORK
}
