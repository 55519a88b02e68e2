/**
 * The record of what was delivered to a script: trace events and output in order, and the promise under which they are
 * kept. Knows nothing of how it is stored.
 */
@NullMarked
package org.sallyport.journal;

import org.jspecify.annotations.NullMarked;
