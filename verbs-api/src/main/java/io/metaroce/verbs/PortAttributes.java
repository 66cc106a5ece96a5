package io.metaroce.verbs;

/**
 * The state of a port, as {@code struct ibv_port_attr} has it.
 *
 * @param active whether the link is up
 * @param activeMtu the largest MTU of RoCE that fits the network device
 * @param maxMtu the largest MTU at all
 * @param gids entries of the GID table
 * @param speedMbps speed of the network device in Mbit/s; 0 unknown
 */
public record PortAttributes(boolean active, Mtu activeMtu, Mtu maxMtu, int gids, long speedMbps) {}
