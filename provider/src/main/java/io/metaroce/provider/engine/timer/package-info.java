/** One enum of the connection layer's timers and one heap for them. May import java.base only. */
@NullMarked
package io.metaroce.provider.engine.timer;

import org.jspecify.annotations.NullMarked;
