/**
 * Approvals: questions that people answer before an execution continues, and their votes. Knows nothing of how they are
 * presented.
 */
@NullMarked
package org.sallyport.approval;

import org.jspecify.annotations.NullMarked;
