/** Tests of what all doors share. Knows nothing of a running server. */
@NullMarked
package org.sallyport.web;

import org.jspecify.annotations.NullMarked;
