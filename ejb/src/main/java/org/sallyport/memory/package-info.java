/**
 * Budgets of bytes that work must reserve before it holds them, and the end of the process when memory has run out
 * nevertheless. Knows nothing of the work.
 */
@NullMarked
package org.sallyport.memory;

import org.jspecify.annotations.NullMarked;
