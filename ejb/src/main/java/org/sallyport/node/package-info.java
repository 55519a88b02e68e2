/**
 * The nodes of an installation and the leases under which they run executions. A lease is counted by the store's clock;
 * what it protects is decided by others.
 */
@NullMarked
package org.sallyport.node;

import org.jspecify.annotations.NullMarked;
