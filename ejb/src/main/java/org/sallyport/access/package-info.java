/**
 * Who calls the service: API keys, roles, callers, and whose tokens are not taken. Knows nothing of HTTP and of tokens themselves.
 */
@NullMarked
package org.sallyport.access;

import org.jspecify.annotations.NullMarked;
