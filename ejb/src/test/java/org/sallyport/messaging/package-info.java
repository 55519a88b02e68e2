/** Tests. */
@NullMarked
package org.sallyport.messaging;

import org.jspecify.annotations.NullMarked;
