/**
 * Secrets: named values of a tenant, encrypted in every store and redacted from everything that is shown or stored.
 * Knows nothing of their users.
 */
@NullMarked
package org.sallyport.secret;

import org.jspecify.annotations.NullMarked;
