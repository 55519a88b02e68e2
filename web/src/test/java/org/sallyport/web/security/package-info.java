/** Tests of the door's lock. Knows nothing of a running server. */
@NullMarked
package org.sallyport.web.security;

import org.jspecify.annotations.NullMarked;
