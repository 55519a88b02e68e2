/**
 * The audit log: actor, action, object, origin and result. Knows nothing of databases, requests or the actions
 * themselves.
 */
@NullMarked
package org.sallyport.audit;

import org.jspecify.annotations.NullMarked;
