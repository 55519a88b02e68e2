/** Puts the house together: the one room that sees all others. Nothing sees it. */
@NullMarked
package org.sallyport.wiring;

import org.jspecify.annotations.NullMarked;
