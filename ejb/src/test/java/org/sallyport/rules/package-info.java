/** Tests. */
@NullMarked
package org.sallyport.rules;

import org.jspecify.annotations.NullMarked;
