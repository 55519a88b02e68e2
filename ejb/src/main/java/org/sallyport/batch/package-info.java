/**
 * Executions that were submitted together, and the contract of a store of batches. Pure: knows nothing of storage,
 * dispatch and execution.
 */
@NullMarked
package org.sallyport.batch;

import org.jspecify.annotations.NullMarked;
