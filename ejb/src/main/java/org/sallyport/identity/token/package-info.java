/**
 * Verifies tokens of external issuers: validity, caller and roles. A library handles signatures and key sets. Talks to
 * issuers over HTTP; knows nothing of requests.
 */
@NullMarked
package org.sallyport.identity.token;

import org.jspecify.annotations.NullMarked;
