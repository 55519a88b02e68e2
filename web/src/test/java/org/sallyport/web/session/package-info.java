/** Tests of logging in and out. Knows nothing of a running server. */
@NullMarked
package org.sallyport.web.session;

import org.jspecify.annotations.NullMarked;
