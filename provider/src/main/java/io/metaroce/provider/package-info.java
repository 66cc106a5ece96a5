/**
 * The provider behind both the Java API and the native shim. May import {@code verbs} and {@code wire}.
 */
package io.metaroce.provider;
