/**
 * The database: executions, their trace and output, keys, and what the demo backend remembers, in H2 or PostgreSQL by the
 * same statements. Entities stay inside; a change of state is one compare-and-set. Knows nothing of messages, HTTP or how
 * a script runs.
 */
@NullMarked
package org.sallyport.store;

import org.jspecify.annotations.NullMarked;
