package io.metaroce.verbs;

/**
 * Limits of a device, as {@code struct ibv_device_attr} has them.
 *
 * @param nodeGuid its GUID
 * @param maxQp queue pairs
 * @param maxQpWr work requests outstanding on one queue of a queue pair
 * @param maxSge scatter/gather entries of a work request
 * @param maxInline bytes of an inline work request
 * @param maxCq completion queues
 * @param maxCqe entries of a completion queue
 * @param maxMr memory regions
 * @param maxPd protection domains
 * @param maxRdAtomic READs and atomics outstanding on a queue pair, as requester and as responder
 * @param maxMessageBytes longest message
 */
public record DeviceAttributes(
        long nodeGuid,
        int maxQp,
        int maxQpWr,
        int maxSge,
        int maxInline,
        int maxCq,
        int maxCqe,
        int maxMr,
        int maxPd,
        int maxRdAtomic,
        long maxMessageBytes) {}
