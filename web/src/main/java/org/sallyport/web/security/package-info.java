/**
 * Authenticates and authorizes callers: checks the key of every request before other code sees it. Knows nothing of the
 * operations.
 */
@NullMarked
package org.sallyport.web.security;

import org.jspecify.annotations.NullMarked;
