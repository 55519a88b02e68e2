/**
 * The record of everything that was delivered to a script: trace events and output in order, and the guarantees under
 * which they are stored. Knows nothing of the storage.
 */
@NullMarked
package org.sallyport.journal;

import org.jspecify.annotations.NullMarked;
