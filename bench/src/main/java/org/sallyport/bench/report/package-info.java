/** The report of a run, for people and for programs. Does not know how the figures are measured. */
@NullMarked
package org.sallyport.bench.report;

import org.jspecify.annotations.NullMarked;
