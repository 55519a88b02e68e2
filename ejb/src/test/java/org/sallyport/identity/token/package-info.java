/** Tests of tokens: an issuer with real keys over HTTP, and attacks on services that trust it. */
@NullMarked
package org.sallyport.identity.token;

import org.jspecify.annotations.NullMarked;
