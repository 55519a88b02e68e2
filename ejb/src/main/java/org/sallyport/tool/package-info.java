/**
 * What a tool is and what a call of one looks like: names, hints, calls, results, errors, and the bridge between a
 * script and its tools. The lowest room: knows nothing of executions, storage or messages.
 */
@NullMarked
package org.sallyport.tool;

import org.jspecify.annotations.NullMarked;
