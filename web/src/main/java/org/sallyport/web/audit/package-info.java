/** Has the audit log written of what callers do. Knows requests and callers; nothing of what is done. */
@NullMarked
package org.sallyport.web.audit;

import org.jspecify.annotations.NullMarked;
