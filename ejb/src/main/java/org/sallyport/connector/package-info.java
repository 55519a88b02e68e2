/**
 * Speaks to backends: takes calls from a backend's queue, lets its connector answer, sends the reply. Knows nothing of
 * executions beyond the call's name.
 */
@NullMarked
package org.sallyport.connector;

import org.jspecify.annotations.NullMarked;
