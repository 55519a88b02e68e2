/**
 * What people are asked before executions go on, and what they say. Knows nothing of how they are shown it.
 */
@NullMarked
package org.sallyport.approval;

import org.jspecify.annotations.NullMarked;
