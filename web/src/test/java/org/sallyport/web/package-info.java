/** Tests of the parts that all endpoints share. Knows nothing of a running server. */
@NullMarked
package org.sallyport.web;

import org.jspecify.annotations.NullMarked;
