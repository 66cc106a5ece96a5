/**
 * The RDMA Verbs for Java programs. May import java.base only.
 */
package io.metaroce.verbs;
