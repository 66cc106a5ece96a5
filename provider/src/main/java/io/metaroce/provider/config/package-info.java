/**
 * What a user sets: environment variables, parsed once at the opening of a device. May import java.base only.
 */
@NullMarked
package io.metaroce.provider.config;

import org.jspecify.annotations.NullMarked;
