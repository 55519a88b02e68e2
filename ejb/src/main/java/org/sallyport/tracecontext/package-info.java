/**
 * In which distributed trace something happens: the headers of the W3C recommendation Trace Context, read strictly, and the ids that
 * the service gives to what it does. Knows nothing of executions and sends nothing.
 */
@NullMarked
package org.sallyport.tracecontext;

import org.jspecify.annotations.NullMarked;
