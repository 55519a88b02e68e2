/** Tenants and their quotas. Knows nothing of databases or of the callers that a quota refuses. */
@NullMarked
package org.sallyport.quota;

import org.jspecify.annotations.NullMarked;
