/**
 * One class per measurement: its load, the checks of its results, and its rows. Does not know how the service was
 * started or how rows are shown.
 */
@NullMarked
package org.sallyport.bench.scenario;

import org.jspecify.annotations.NullMarked;
