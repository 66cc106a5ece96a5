/**
 * The measured scenarios of {@code mroce sim}: the shipped engine in simulated fabrics, with figures instead of checkers. Payload bytes are not copied here (nobody
 * reads them), everything else is as on a wire.
 */
@NullMarked
package io.metaroce.conformance.scenario;

import org.jspecify.annotations.NullMarked;
