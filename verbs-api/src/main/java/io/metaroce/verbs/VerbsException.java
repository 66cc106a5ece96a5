package io.metaroce.verbs;

/** A verb was refused. The message names the verb, the errno and the reason. */
public final class VerbsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String verb;
    private final int errno;

    /**
     * @param verb the name in libibverbs without {@code ibv_}
     * @param errno the number that the man page of the verb names
     */
    public VerbsException(String verb, int errno, String reason) {
        super(verb + ": " + Errno.name(errno) + ": " + reason);
        this.verb = verb;
        this.errno = errno;
    }

    public VerbsException(String verb, int errno, String reason, Throwable cause) {
        super(verb + ": " + Errno.name(errno) + ": " + reason, cause);
        this.verb = verb;
        this.errno = errno;
    }

    /** The name in libibverbs without {@code ibv_}, {@code modify_qp} for instance. */
    public String verb() {
        return verb;
    }

    /** The number, see {@link Errno}. */
    public int errno() {
        return errno;
    }

    /** The name in errno.h, {@code EINVAL} for instance. */
    public String errnoName() {
        return Errno.name(errno);
    }
}
