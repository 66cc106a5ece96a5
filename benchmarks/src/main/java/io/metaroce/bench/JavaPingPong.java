package io.metaroce.bench;

import io.metaroce.verbs.AccessFlags;
import io.metaroce.verbs.CompletionChannel;
import io.metaroce.verbs.CompletionQueue;
import io.metaroce.verbs.DeviceContext;
import io.metaroce.verbs.Gid;
import io.metaroce.verbs.MemoryRegion;
import io.metaroce.verbs.ProtectionDomain;
import io.metaroce.verbs.QpCapacity;
import io.metaroce.verbs.QueuePair;
import io.metaroce.verbs.RdmaDevices;
import io.metaroce.verbs.SendFlags;
import io.metaroce.verbs.WorkCompletion;
import io.metaroce.verbs.WorkOpcode;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Locale;

/**
 * The ping-pong of {@code ibv_rc_pingpong} for Java: one process waits, the other names its host; each sends when it has received. QPN and GID are exchanged over
 * TCP; {@code METAROCE_IFACE} names the network device. One file that needs nothing but the jars beside the library:
 *
 * <pre>
 * java --enable-native-access=ALL-UNNAMED -cp 'native-shim/target/mroce/lib/*' \
 *     benchmarks/src/main/java/io/metaroce/bench/JavaPingPong.java [-s BYTES] [-n ITERATIONS] [-p PORT] [-c] [-e] [HOST | --self]
 * </pre>
 *
 * {@code -c} checks every byte, {@code -e} sleeps on a completion channel instead of polling, {@code --self} plays both sides in one process.
 */
public final class JavaPingPong {
    private static final int DEPTH = 16;
    private static final long RECEIVE = 1;
    private static final long SEND = 2;

    private int bytes = 4096;
    private int iterations = 1000;
    private int port = 18515;
    private boolean check;
    private boolean events;
    private boolean self;
    private String host = "";

    private JavaPingPong() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        JavaPingPong run = new JavaPingPong();
        if (!run.parse(arguments)) {
            System.err.println(
                    "usage: JavaPingPong [-s BYTES] [-n ITERATIONS] [-p PORT] [-c] [-e] [HOST | --self]   (no HOST: wait for a peer)");
            System.exit(2);
        }
        if (run.self) {
            run.bothSides();
        } else {
            run.oneSide();
        }
    }

    private boolean parse(String[] arguments) {
        try {
            for (int i = 0; i < arguments.length; i++) {
                switch (arguments[i]) {
                    case "-s" -> bytes = Integer.parseInt(arguments[++i]);
                    case "-n" -> iterations = Integer.parseInt(arguments[++i]);
                    case "-p" -> port = Integer.parseInt(arguments[++i]);
                    case "-c" -> check = true;
                    case "-e" -> events = true;
                    case "--self" -> self = true;
                    default -> host = arguments[i];
                }
            }
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            return false;
        }
        return bytes > 0 && iterations > 0 && !host.startsWith("-") && (host.isEmpty() || !self);
    }

    private void oneSide() throws IOException, InterruptedException {
        try (Side side = new Side();
                Socket peer = meet()) {
            DataOutputStream out = new DataOutputStream(peer.getOutputStream());
            DataInputStream in = new DataInputStream(peer.getInputStream());
            System.out.println("local:  " + side);
            side.tell(out);
            side.connect(in);
            out.writeByte(1); // connected: the first ping finds its receive
            in.readByte();
            side.run(!host.isEmpty());
            out.writeByte(2); // done: neither side ends before the other has all
            in.readByte();
        }
    }

    private Socket meet() throws IOException {
        if (host.isEmpty()) {
            try (ServerSocket server = new ServerSocket(port)) {
                return server.accept();
            }
        }
        Socket socket = new Socket();
        socket.connect(new InetSocketAddress(host, port), 10_000);
        return socket;
    }

    private void bothSides() throws InterruptedException {
        try (Side ping = new Side();
                Side pong = new Side()) {
            ping.connect(pong.gid(), pong.qp.qpNumber());
            pong.connect(ping.gid(), ping.qp.qpNumber());
            Thread other = new Thread(pong, "pong");
            other.start();
            ping.run(true);
            other.join();
        }
    }

    /** One end of the connection. */
    private final class Side implements Runnable, AutoCloseable {
        private final DeviceContext context = RdmaDevices.first().open();
        private final ProtectionDomain pd = context.allocateProtectionDomain();
        private final CompletionChannel channel = context.createCompletionChannel();
        private final CompletionQueue cq = context.createCompletionQueue(2 * DEPTH, channel);
        private final QueuePair qp = pd.createQueuePair(cq, cq, QpCapacity.of(DEPTH, DEPTH));
        private final MemoryRegion sent = pd.allocate(bytes, AccessFlags.LOCAL_WRITE);
        private final MemoryRegion received = pd.allocate(bytes, AccessFlags.LOCAL_WRITE);
        private final WorkCompletion wc = new WorkCompletion();

        Gid gid() {
            return context.gid(0);
        }

        @Override
        public String toString() {
            return "QPN 0x" + Integer.toHexString(qp.qpNumber()) + ", GID " + gid();
        }

        void tell(DataOutputStream out) throws IOException {
            out.writeInt(qp.qpNumber());
            out.write(gid().bytes());
            out.flush();
        }

        void connect(DataInputStream in) throws IOException {
            int remoteQpNumber = in.readInt();
            Gid remote = Gid.of(in.readNBytes(16));
            System.out.println("remote: QPN 0x" + Integer.toHexString(remoteQpNumber) + ", GID " + remote);
            connect(remote, remoteQpNumber);
        }

        void connect(Gid remote, int remoteQpNumber) {
            qp.connect(remote, remoteQpNumber);
            for (int i = 0; i < DEPTH; i++) {
                postReceive();
            }
            fill(sent.buffer(), 0);
        }

        private void postReceive() {
            qp.receives().begin(RECEIVE).sge(received, 0, bytes).commit();
        }

        @Override
        public void run() {
            try {
                run(false);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        void run(boolean first) throws InterruptedException {
            int got = 0;
            int done = 0;
            int sending = 0;
            long start = System.nanoTime();
            if (first) {
                send(sending++);
            }
            while (got < iterations || done < iterations) {
                next();
                if (wc.requireSuccess().opcode() == WorkOpcode.RECV) {
                    if (check) {
                        verify(got);
                    }
                    got++;
                    postReceive();
                    if (sending < iterations) {
                        send(sending++);
                    }
                } else {
                    done++;
                }
            }
            report(System.nanoTime() - start, first);
        }

        private void send(int number) {
            if (check) {
                fill(sent.buffer(), number);
            }
            qp.sends().begin(SEND, SendFlags.SIGNALED).sge(sent, 0, bytes).commit();
        }

        private void next() throws InterruptedException {
            while (!cq.poll(wc)) {
                if (events) {
                    cq.requestNotification(false);
                    if (cq.poll(wc)) {
                        return;
                    }
                    channel.await(Duration.ofSeconds(1));
                }
            }
        }

        private void verify(int number) {
            ByteBuffer buffer = received.buffer();
            for (int i = 0; i < bytes; i++) {
                if (buffer.get(i) != pattern(number, i)) {
                    throw new IllegalStateException("message " + number + " has a wrong byte at " + i);
                }
            }
        }

        private void report(long elapsedNs, boolean first) {
            if (!first && self) {
                return;
            }
            double seconds = elapsedNs / 1e9;
            System.out.printf(
                    Locale.ROOT,
                    "%d bytes in %.4f seconds = %.2f Mbit/s%n%d iterations in %.4f seconds = %.2f us a round trip%n",
                    2L * bytes * iterations,
                    seconds,
                    16.0 * bytes * iterations / seconds / 1e6,
                    iterations,
                    seconds,
                    elapsedNs / 1e3 / iterations);
        }

        @Override
        public void close() {
            qp.close();
            sent.close();
            received.close();
            cq.close();
            channel.close();
            pd.close();
            context.close();
        }
    }

    private static void fill(ByteBuffer buffer, int number) {
        for (int i = 0; i < buffer.limit(); i++) {
            buffer.put(i, pattern(number, i));
        }
    }

    private static byte pattern(int number, int at) {
        return (byte) (number * 7 + at);
    }
}
