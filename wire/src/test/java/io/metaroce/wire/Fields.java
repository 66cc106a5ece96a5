package io.metaroce.wire;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Optional;

/** Fields of headers by name: bit by bit from {@link HeaderTable}, and by the accessors of the header classes. */
final class Fields {
    private Fields() {}

    static HeaderTable.Field field(String header, String name) {
        return HeaderTable.header(header).fields().stream()
                .filter(f -> f.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError(header + " has no field " + name));
    }

    /** The bits of a field, read one by one. */
    static BigInteger bits(byte[] bytes, int at, HeaderTable.Field field) {
        BigInteger value = BigInteger.ZERO;
        for (int i = 0; i < field.bits(); i++) {
            int bit = at * 8 + field.bitOffset() + i;
            int one = (bytes[bit / 8] >>> (7 - bit % 8)) & 1;
            value = value.shiftLeft(1).or(BigInteger.valueOf(one));
        }
        return value;
    }

    /** Writes the bits of a field, one by one. */
    static void bits(byte[] bytes, int at, HeaderTable.Field field, BigInteger value) {
        for (int i = 0; i < field.bits(); i++) {
            int bit = at * 8 + field.bitOffset() + i;
            int mask = 1 << (7 - bit % 8);
            boolean one = value.testBit(field.bits() - 1 - i);
            bytes[bit / 8] = (byte) (one ? bytes[bit / 8] | mask : bytes[bit / 8] & ~mask);
        }
    }

    static Class<?> headerClass(String header) {
        try {
            return Class.forName("io.metaroce.wire." + header);
        } catch (ClassNotFoundException e) {
            throw new LinkageError("no class for " + header, e);
        }
    }

    private static Optional<Method> method(String header, String name, int arguments) {
        return Arrays.stream(headerClass(header).getDeclaredMethods())
                .filter(m -> m.getName().equals(name) && m.getParameterCount() == arguments)
                .findFirst();
    }

    /** What the getter answers, taken as an unsigned number of the field's width; empty if there is no getter. */
    static Optional<BigInteger> get(String header, long addr, HeaderTable.Field field) {
        return method(header, field.name(), 1).map(m -> {
            long value = ((Number) invoke(m, addr)).longValue();
            BigInteger all = BigInteger.ONE.shiftLeft(field.bits()).subtract(BigInteger.ONE);
            return BigInteger.valueOf(value).and(all);
        });
    }

    /** Calls the setter; false if there is none. */
    static boolean set(String header, long addr, HeaderTable.Field field, BigInteger value) {
        Optional<Method> setter = method(header, field.name(), 2);
        setter.ifPresent(m -> {
            if (m.getParameterTypes()[1] == int.class) {
                invoke(m, addr, value.intValue());
            } else {
                invoke(m, addr, value.longValue());
            }
        });
        return setter.isPresent();
    }

    private static Object invoke(Method method, Object... arguments) {
        try {
            method.setAccessible(true);
            Object result = method.invoke(null, arguments);
            return result == null ? "" : result;
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new LinkageError(method.toString(), e);
        }
    }
}
