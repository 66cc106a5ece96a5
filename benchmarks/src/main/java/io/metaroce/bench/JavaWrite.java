package io.metaroce.bench;

import io.metaroce.verbs.AccessFlags;
import io.metaroce.verbs.CompletionQueue;
import io.metaroce.verbs.DeviceContext;
import io.metaroce.verbs.MemoryRegion;
import io.metaroce.verbs.ProtectionDomain;
import io.metaroce.verbs.QpCapacity;
import io.metaroce.verbs.QueuePair;
import io.metaroce.verbs.RdmaDevices;
import io.metaroce.verbs.SendFlags;
import io.metaroce.verbs.WorkCompletion;
import java.nio.charset.StandardCharsets;

/** The least program: one RDMA WRITE between two queue pairs of this process. Started as {@link JavaPingPong} is. */
public final class JavaWrite {
    private JavaWrite() {}

    public static void main(String[] arguments) {
        try (DeviceContext device = RdmaDevices.first().open();
                ProtectionDomain pd = device.allocateProtectionDomain();
                MemoryRegion memory = pd.allocate(8192, AccessFlags.ALL);
                CompletionQueue cq = device.createCompletionQueue(64);
                QueuePair a = pd.createQueuePair(cq, cq, QpCapacity.of(16, 16));
                QueuePair b = pd.createQueuePair(cq, cq, QpCapacity.of(16, 16))) {
            a.connect(device.gid(0), b.qpNumber()); // two programs tell each other GID and number first
            b.connect(device.gid(0), a.qpNumber());
            memory.buffer().put(0, "hello".getBytes(StandardCharsets.UTF_8));
            a.sends()
                    .begin(1, SendFlags.SIGNALED)
                    .write(memory.rkey(), memory.address() + 4096)
                    .sge(memory, 0, 5)
                    .commit();
            WorkCompletion done = new WorkCompletion();
            while (!cq.poll(done)) {
                Thread.onSpinWait();
            }
            byte[] arrived = new byte[5];
            memory.buffer().get(4096, arrived);
            System.out.println(done.requireSuccess() + ": " + new String(arrived, StandardCharsets.UTF_8));
        }
    }
}
