/**
 * Load and statistics: loops over any operation, alone or alternating with another, and their latencies. Knows nothing
 * of the measured systems.
 */
@NullMarked
package org.sallyport.bench.measure;

import org.jspecify.annotations.NullMarked;
