/**
 * Distributed trace contexts: the headers of the W3C recommendation Trace Context, parsed strictly, and the trace and
 * span ids of the service. Knows nothing of executions and sends nothing.
 */
@NullMarked
package org.sallyport.tracecontext;

import org.jspecify.annotations.NullMarked;
