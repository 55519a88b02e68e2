/** Tests of tokens: an issuer with real keys over HTTP, and what is thrown at those who trust it. */
@NullMarked
package org.sallyport.token;

import org.jspecify.annotations.NullMarked;
