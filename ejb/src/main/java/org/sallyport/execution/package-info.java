/**
 * One run of one script: its states and the only moves between them, its limits, its outcome, and what a store of
 * executions must promise. Knows nothing of how it is stored, queued or run.
 */
@NullMarked
package org.sallyport.execution;

import org.jspecify.annotations.NullMarked;
