/**
 * Who drives the engine, and the opening of a device: the one package that sees all others of the provider.
 */
@NullMarked
package io.metaroce.provider.run;

import org.jspecify.annotations.NullMarked;
