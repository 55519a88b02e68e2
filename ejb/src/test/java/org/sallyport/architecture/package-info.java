/** Tests. */
@NullMarked
package org.sallyport.architecture;

import org.jspecify.annotations.NullMarked;
