package io.metaroce.provider.engine;

/**
 * What one packet in flight carries, in the words of the stream layer: enough to build the same packet again. One reusable object is passed between the layers; the
 * path keeps the fields in its own in-flight table.
 */
@SuppressWarnings("JavaLangClash") // the name of the protocol; java.lang.Record is never named here
public final class Record {
    /** Frame type: {@code FrameType.DATA} or {@code FrameType.STREAM_CTL}. */
    public int type;
    /** QP index. */
    public int stream;
    /** A counter of the stream's lives (not the wire's 4 bits): a record of an earlier life is a VOID. */
    public int life;
    /** 0 requests, 1 responses. */
    public int space;
    /** First SPSN it carries. */
    public int spsn;
    /** Segments it carries, at least 1. */
    public int segments;
    /** The stream layer's own: which WQE, ticket or control message. */
    public int ref;
}
