/**
 * The tools there are: what each backend offers, and the compiled schema of each tool's arguments. Knows nothing of who may
 * call them.
 */
@NullMarked
package org.sallyport.catalog;

import org.jspecify.annotations.NullMarked;
