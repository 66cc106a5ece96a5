/**
 * What the whole must show. May import anything; nothing imports it.
 */
package io.metaroce.conformance;
