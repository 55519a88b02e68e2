/**
 * One run of one script: its states and the only transitions between them, its limits, its outcome, and the contract of
 * a store of executions. Knows nothing of storage, queues and runners.
 */
@NullMarked
package org.sallyport.execution;

import org.jspecify.annotations.NullMarked;
