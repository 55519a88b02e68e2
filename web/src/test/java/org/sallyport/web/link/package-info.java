/** Tests of the door for people who come by a link. Knows nothing of a running server. */
@NullMarked
package org.sallyport.web.link;

import org.jspecify.annotations.NullMarked;
