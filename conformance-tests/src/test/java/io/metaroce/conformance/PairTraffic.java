package io.metaroce.conformance;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/**
 * UDP traffic with a TCP connection beside it, as a program for {@code mroce pair}. The server prints {@code received N}
 * and the client {@code sent N}. After every burst the client asks over TCP whether all that arrived was taken, so no
 * buffer overflows: what is missing was lost on the way.
 */
final class PairTraffic {
    private static final int SIDE_PORT = 5000;
    private static final int BURST = 50;
    private static final int ECT0 = 2;

    private PairTraffic() {}

    /** Arguments: {@code server PORT} or {@code client PORT ADDRESS COUNT}. */
    public static void main(String[] args) throws IOException {
        int port = Integer.parseInt(args[1]);
        if (args[0].equals("server")) {
            serve(port);
        } else {
            send(new InetSocketAddress(args[2], port), Integer.parseInt(args[3]));
        }
    }

    private static void serve(int port) throws IOException {
        try (DatagramChannel udp = DatagramChannel.open();
                ServerSocket listener = new ServerSocket()) {
            udp.bind(new InetSocketAddress(port)).configureBlocking(false);
            listener.bind(new InetSocketAddress(SIDE_PORT));
            int received = 0;
            ByteBuffer buffer = ByteBuffer.allocate(64);
            try (Socket side = listener.accept()) {
                while (side.getInputStream().read() >= 0) {
                    while (udp.receive(buffer.clear()) != null) {
                        received++;
                    }
                    side.getOutputStream().write('.');
                }
            }
            System.out.println("received " + received);
        }
    }

    private static void send(InetSocketAddress server, int count) throws IOException {
        try (DatagramChannel udp = DatagramChannel.open();
                Socket side = new Socket(server.getAddress(), SIDE_PORT)) {
            udp.setOption(StandardSocketOptions.IP_TOS, ECT0);
            side.setTcpNoDelay(true);
            ByteBuffer payload = ByteBuffer.allocate(32);
            for (int sent = 1; sent <= count; sent++) {
                udp.send(payload.clear(), server);
                if (sent % BURST == 0 || sent == count) {
                    side.getOutputStream().write('?');
                    if (side.getInputStream().read() < 0) {
                        throw new IOException("the server closed the connection");
                    }
                }
            }
            System.out.println("sent " + count);
        }
    }
}
