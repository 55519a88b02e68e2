/**
 * Tools and their calls: names, hints, calls, results, errors, and the bridge between a script and its tools. The
 * lowest layer: knows nothing of executions, storage or messages.
 */
@NullMarked
package org.sallyport.tool;

import org.jspecify.annotations.NullMarked;
