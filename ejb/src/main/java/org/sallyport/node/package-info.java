/**
 * The nodes of an installation and the leases under which they run executions. The store's clock measures leases; other
 * packages decide what a lease protects.
 */
@NullMarked
package org.sallyport.node;

import org.jspecify.annotations.NullMarked;
