/**
 * One class for each thing that is measured: its load, its correctness, and its row. Knows neither how the service was
 * started nor how rows are shown.
 */
@NullMarked
package org.sallyport.bench.row;

import org.jspecify.annotations.NullMarked;
