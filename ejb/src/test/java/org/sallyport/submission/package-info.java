/** Tests. */
@NullMarked
package org.sallyport.submission;

import org.jspecify.annotations.NullMarked;
