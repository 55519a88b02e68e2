/**
 * Maps client certificates, which take the place of API keys, to callers. Knows nothing of the validation of
 * certificates: the TLS handshake has done it.
 */
@NullMarked
package org.sallyport.identity.mtls;

import org.jspecify.annotations.NullMarked;
