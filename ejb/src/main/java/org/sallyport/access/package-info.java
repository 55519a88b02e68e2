/**
 * Who calls the service: API keys, roles and callers. Knows nothing of HTTP.
 */
@NullMarked
package org.sallyport.access;

import org.jspecify.annotations.NullMarked;
