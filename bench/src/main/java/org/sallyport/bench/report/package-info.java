/**
 * Figures as people and programs read them. Does not know where they come from.
 */
@NullMarked
package org.sallyport.bench.report;

import org.jspecify.annotations.NullMarked;
