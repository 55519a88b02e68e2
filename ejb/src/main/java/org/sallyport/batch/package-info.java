/**
 * Executions that were submitted together: what a store of batches must promise. Pure: knows nothing of how they are stored,
 * sent or run.
 */
@NullMarked
package org.sallyport.batch;

import org.jspecify.annotations.NullMarked;
