/** Budgets of bytes that work must reserve before it holds them. Knows nothing of the work. */
@NullMarked
package org.sallyport.memory;

import org.jspecify.annotations.NullMarked;
