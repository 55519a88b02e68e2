/**
 * What an execution may call. Knows nothing of who asks or of how a call is made.
 */
@NullMarked
package org.sallyport.policy;

import org.jspecify.annotations.NullMarked;
