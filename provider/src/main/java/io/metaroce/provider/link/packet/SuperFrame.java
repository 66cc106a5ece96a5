package io.metaroce.provider.link.packet;

import io.metaroce.wire.Mem;

/**
 * Datagrams that follow each other on one path, joined behind one header: the kernel or the netdev cuts them apart again (UDP segmentation offload, udp(7)), so that
 * what the kernel does for each frame is done once for all of them. All have the length of the first; a shorter one is the last.
 */
final class SuperFrame {
    /** Bytes of the longest IP packet: eight full datagrams at an MTU of 1500, one burst. */
    static final int MAX_PACKET = 12_000;

    private static final int MAX_SEGMENTS = 64; // UDP_MAX_SEGMENTS before Linux 6.9

    private final TxRing ring;
    private final int maxBytes;
    private long at; // virtio header of the frame that more can join; 0: none
    private long destination;
    private boolean v4;
    private int sourcePort;
    private int segmentBytes;
    private int segments;
    private int end; // bytes from the virtio header to where the next payload goes
    private int packetId;

    /**
     * @param maxPacket bytes of the longest IP packet to join datagrams in, at most what a slot of the ring holds; 0: each datagram is a frame
     */
    SuperFrame(TxRing ring, int maxPacket) {
        this.ring = ring;
        this.maxBytes = FrameTemplate.ETHERNET_AND_VIRTIO_BYTES + maxPacket;
    }

    /** Whether this kernel takes and gives such frames by packet sockets: since Linux 6.2. */
    static boolean isKnownTo(String kernelRelease) {
        String[] parts = kernelRelease.split("\\D+", 3);
        if (parts.length < 2 || parts[0].isEmpty() || parts[1].isEmpty()) {
            return false;
        }
        int major = Integer.parseInt(parts[0]);
        return major > 6 || (major == 6 && Integer.parseInt(parts[1]) >= 2);
    }

    /** Where a payload of up to {@code longest} bytes to a destination goes; 0: the ring is full. */
    long begin(long to, boolean isV4, int longest) {
        if (at != 0 && to == destination && end + longest <= maxBytes && ring.hasRoomForTwo()) {
            return at + end;
        }
        return beginAlone(isV4);
    }

    /** As {@link #begin}, for a frame that joins no other. */
    long beginAlone(boolean isV4) {
        close();
        long slot = ring.begin();
        return slot == 0 ? 0 : slot + FrameTemplate.headerBytes(isV4);
    }

    /** Takes the payload at {@link #begin}. */
    void commit(long to, long headers, boolean isV4, int port, int bytes) {
        int headerBytes = FrameTemplate.headerBytes(isV4);
        if (at != 0) {
            if (port == sourcePort && bytes <= segmentBytes) {
                end += bytes;
                segments++;
                packetId++; // the kernel gives each datagram the next one
                if (bytes < segmentBytes || segments == MAX_SEGMENTS) {
                    close();
                }
                return;
            }
            long payload = at + end;
            close();
            Mem.copy(payload, ring.begin() + headerBytes, bytes);
        }
        at = ring.begin();
        destination = to;
        v4 = isV4;
        sourcePort = port;
        segmentBytes = bytes;
        segments = 1;
        // Now: when the frame is sent the destination may be forgotten.
        end = FrameTemplate.write(at, headers, isV4, port, bytes, packetId++);
    }

    /** The frame at {@link #beginAlone} with its headers, for a way that is not the ring's. */
    long complete(long headers, boolean isV4, int port, int bytes) {
        long frame = ring.begin();
        FrameTemplate.write(frame, headers, isV4, port, bytes, packetId++);
        return frame;
    }

    /** Nothing joins the last frame any more. */
    void close() {
        if (at == 0) {
            return;
        }
        if (segments > 1) {
            FrameTemplate.segmented(at, v4, end - FrameTemplate.headerBytes(v4), segmentBytes);
        }
        ring.commit(end);
        at = 0;
    }
}
