package io.metaroce.provider.config;

import io.metaroce.provider.port.KeyedHash;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The pre-shared key of METAROCE_PSK_FILE: both ends of a connection must have it. The file is taken as bytes, less the line ends at its end. What is hashed with is
 * not the file itself but HKDF-Extract (RFC 5869) of it, with a salt that names the protocol.
 */
public final class PresharedKey implements KeyedHash {
    /** A shorter key could be guessed. */
    public static final int LEAST_BYTES = 16;

    private static final int MOST_BYTES = 4096;
    private static final String ALGORITHM = "HmacSHA256";
    private static final byte[] SALT = "MetaRoCE pre-shared key 1".getBytes(StandardCharsets.US_ASCII);

    private final Mac mac;

    private PresharedKey(byte[] secret) {
        mac = mac(mac(SALT).doFinal(secret));
    }

    private static Mac mac(byte[] key) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK has no " + ALGORITHM, e);
        }
    }

    /**
     * The key that is these bytes.
     *
     * @throws IllegalArgumentException when there are fewer than {@value #LEAST_BYTES}
     */
    public static PresharedKey of(byte[] secret) {
        if (secret.length < LEAST_BYTES) {
            throw new IllegalArgumentException("a pre-shared key needs " + LEAST_BYTES + " bytes at least, not "
                    + secret.length + " (make one: head -c 32 /dev/urandom | base64)");
        }
        return new PresharedKey(secret);
    }

    /**
     * Reads a file.
     *
     * @throws IllegalArgumentException with a sentence that names the variable, the file and what is wrong with it
     */
    public static PresharedKey read(String file) {
        byte[] bytes;
        try {
            Path path = Path.of(file);
            if (Files.size(path) > MOST_BYTES) {
                throw new IllegalArgumentException(
                        "METAROCE_PSK_FILE=" + file + ": longer than " + MOST_BYTES + " bytes, so it is no key");
            }
            bytes = Files.readAllBytes(path);
        } catch (IOException e) {
            throw new IllegalArgumentException("METAROCE_PSK_FILE=" + file + ": cannot be read (" + e + ")", e);
        }
        int end = bytes.length;
        while (end > 0 && (bytes[end - 1] == '\n' || bytes[end - 1] == '\r')) {
            end--;
        }
        try {
            return of(Arrays.copyOf(bytes, end));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("METAROCE_PSK_FILE=" + file + ": " + e.getMessage(), e);
        }
    }

    @Override
    public byte[] hash(byte[] message) {
        return mac.doFinal(message);
    }
}
