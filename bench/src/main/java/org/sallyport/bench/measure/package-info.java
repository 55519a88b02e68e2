/**
 * Load and statistics: loops over any operation, alone and by turns with another, and the latencies they see. Knows nothing of what is
 * measured.
 */
@NullMarked
package org.sallyport.bench.measure;

import org.jspecify.annotations.NullMarked;
