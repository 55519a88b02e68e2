/** Policies: the calls that an execution may make. Knows nothing of submitters or of how a call is made. */
@NullMarked
package org.sallyport.policy;

import org.jspecify.annotations.NullMarked;
