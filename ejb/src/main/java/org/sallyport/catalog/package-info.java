/**
 * The catalog of tools: the tools of each backend, the names that the store assigns to them, and the compiled schema of
 * each tool's arguments. Knows nothing of grants and policy.
 */
@NullMarked
package org.sallyport.catalog;

import org.jspecify.annotations.NullMarked;
