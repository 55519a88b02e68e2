/** Tests of authentication, authorization and rate limits. Knows nothing of a running server. */
@NullMarked
package org.sallyport.web.security;

import org.jspecify.annotations.NullMarked;
