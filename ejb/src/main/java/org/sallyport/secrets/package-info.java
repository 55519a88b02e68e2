/** Secrets: named values of a tenant, encrypted in every store. Knows nothing of their users. */
@NullMarked
package org.sallyport.secrets;

import org.jspecify.annotations.NullMarked;
