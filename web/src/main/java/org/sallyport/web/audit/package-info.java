/** Writes the audit log of callers' actions. Knows requests and callers; knows nothing of the operations. */
@NullMarked
package org.sallyport.web.audit;

import org.jspecify.annotations.NullMarked;
