/** Tests and contracts of approvals. */
@NullMarked
package org.sallyport.approval;

import org.jspecify.annotations.NullMarked;
