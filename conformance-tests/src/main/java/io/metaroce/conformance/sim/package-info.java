/**
 * The shipped engine in simulated networks: nodes, random workloads of verbs, and one checker per invariant of protocol section 16. A run is named by its seed.
 */
@NullMarked
package io.metaroce.conformance.sim;

import org.jspecify.annotations.NullMarked;
