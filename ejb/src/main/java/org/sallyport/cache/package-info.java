/** Maps of bounded size. Knows nothing of what they hold. */
@NullMarked
package org.sallyport.cache;

import org.jspecify.annotations.NullMarked;
