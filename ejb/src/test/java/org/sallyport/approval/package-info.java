/** Tests. */
@NullMarked
package org.sallyport.approval;

import org.jspecify.annotations.NullMarked;
