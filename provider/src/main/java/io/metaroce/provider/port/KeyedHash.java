package io.metaroce.provider.port;

/** HMAC-SHA-256 (RFC 2104) under a key that whoever hands this out keeps to itself. Called in handshakes only, by one thread at a time. */
@FunctionalInterface
public interface KeyedHash {
    /** The 32 bytes of the hash of {@code message}. */
    byte[] hash(byte[] message);
}
