/**
 * Reads the rows of a CSV file and makes arguments of them, by the input schema of a capability. Knows nothing of HTTP,
 * batches and the store.
 */
@NullMarked
package org.sallyport.submission.rows;

import org.jspecify.annotations.NullMarked;
