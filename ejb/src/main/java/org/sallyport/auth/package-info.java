/**
 * Callers of the service: API keys, roles, callers and blocked subjects. Knows nothing of HTTP or of the contents of
 * tokens.
 */
@NullMarked
package org.sallyport.auth;

import org.jspecify.annotations.NullMarked;
