package io.metaroce.shim;

import io.metaroce.provider.slots.Boot;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** {@link Upcalls} by java.lang.foreign. The stubs live as long as the VM. */
final class FfmUpcalls implements Upcalls {
    @Override
    public void publish(long boot, Backend backend) {
        FunctionDescriptor drive = FunctionDescriptor.of(ValueLayout.JAVA_INT);
        FunctionDescriptor command =
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG);
        Boot.fnDrive(boot, stub(backend, "drive", drive));
        Boot.fnCommand(boot, stub(backend, "command", command));
    }

    private static long stub(Backend backend, String name, FunctionDescriptor descriptor) {
        MethodType type = descriptor.toMethodType();
        try {
            MethodHandle method = MethodHandles.lookup()
                    .findVirtual(Backend.class, name, type)
                    .bindTo(backend);
            return Linker.nativeLinker()
                    .upcallStub(method, descriptor, Arena.global())
                    .address();
        } catch (NoSuchMethodException | IllegalAccessException e) {
            throw new IllegalStateException("no method " + name + " of type " + type, e);
        }
    }
}
