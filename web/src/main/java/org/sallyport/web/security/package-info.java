/** Lets callers in: checks the key of every request before anything else sees it. Knows nothing of what is asked for. */
@NullMarked
package org.sallyport.web.security;

import org.jspecify.annotations.NullMarked;
