/** What the audit log is told, and of what. */
@NullMarked
package org.sallyport.web.audit;

import org.jspecify.annotations.NullMarked;
