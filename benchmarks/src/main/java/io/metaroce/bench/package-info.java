/**
 * Benchmarks. May import anything; nothing but tests imports it.
 */
package io.metaroce.bench;
