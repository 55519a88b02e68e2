/**
 * Tokens that others issue: whether one counts, who its bearer is and what he may do. Signatures and key sets are the library's;
 * knows issuers over HTTP, nothing of requests.
 */
@NullMarked
package org.sallyport.token;

import org.jspecify.annotations.NullMarked;
