/**
 * Codecs of every header on the wire, and memory by address. May import java.base only.
 */
package io.metaroce.wire;
