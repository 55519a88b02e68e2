/** Tests of the audited operations, and an audit store in memory. */
@NullMarked
package org.sallyport.web.audit;

import org.jspecify.annotations.NullMarked;
