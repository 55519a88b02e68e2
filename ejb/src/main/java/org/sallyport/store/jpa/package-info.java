/**
 * Stores executions, their traces and output, keys, and the state of the demo backend in H2 or PostgreSQL, with the
 * same SQL statements. Entities do not leave the package. A state change is one compare-and-set. Knows nothing of
 * messages, HTTP or how a script runs.
 */
@NullMarked
package org.sallyport.store.jpa;

import org.jspecify.annotations.NullMarked;
