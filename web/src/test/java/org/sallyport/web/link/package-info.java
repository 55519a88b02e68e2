/** Tests of the endpoint for people who open an approval link. Knows nothing of a running server. */
@NullMarked
package org.sallyport.web.link;

import org.jspecify.annotations.NullMarked;
