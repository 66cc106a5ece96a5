package io.metaroce.provider.api;

import io.metaroce.verbs.Errno;

/** A sentence for what a verb refused. */
final class Reasons {
    private Reasons() {}

    static String of(String verb, int errno) {
        return switch (errno) {
            case Errno.EBUSY -> "something still uses it";
            case Errno.ENOMEM -> "the device has as many of these as it can";
            case Errno.ENODATA -> "the GID table has no such index";
            case Errno.ENETUNREACH -> "no route leads to the GID of the address vector";
            case Errno.EFAULT -> "the memory is not mapped, or not writable";
            case Errno.EIO -> "the device has failed; see the log";
            case Errno.EOPNOTSUPP ->
                verb.equals("modify_qp")
                        ? "a GID index that speaks RoCEv2 (odd), which this device does not serve yet, or a rate limit"
                        : "the device does not do this";
            case Errno.EINVAL -> invalid(verb);
            default -> "refused";
        };
    }

    private static String invalid(String verb) {
        return switch (verb) {
            case "modify_qp" ->
                "this transition does not exist, lacks an attribute, has one too many, or a value is out of range";
            case "reg_mr" ->
                "no bytes, a range that ends past the address space, or access flags that exclude each other";
            case "create_qp" -> "a capacity that the device has not, or a queue of another device";
            case "create_cq", "resize_cq" -> "a size out of range";
            default -> "an argument that is not valid";
        };
    }
}
