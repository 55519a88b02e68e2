/** Tests. */
@NullMarked
package org.sallyport.policy;

import org.jspecify.annotations.NullMarked;
