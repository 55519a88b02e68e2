/** Tests of submission: limits, cached results and the fair queue of jobs. */
@NullMarked
package org.sallyport.submission;

import org.jspecify.annotations.NullMarked;
