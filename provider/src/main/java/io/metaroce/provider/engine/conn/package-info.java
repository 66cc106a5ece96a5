/**
 * Where paths and streams meet: connections, their handshake, what goes out next and what comes in (protocol sections 2, 3, 5, 10, 13, 14). May import {@code
 * io.metaroce.wire}, {@code io.metaroce.provider.port}, {@code io.metaroce.provider.engine} and its packages path, cc and timer; not stream.
 */
@NullMarked
package io.metaroce.provider.engine.conn;

import org.jspecify.annotations.NullMarked;
