/** The library modules that an operator lets scripts import. Knows no tenant and runs nothing. */
@NullMarked
package org.sallyport.library;

import org.jspecify.annotations.NullMarked;
