/**
 * Tells an OpenTelemetry collector what executions did, once they have ended, from what is recorded of them: nothing of it is on the
 * way of a running script. Knows nothing of how executions run, and of stores only what they must promise.
 */
@NullMarked
package org.sallyport.telemetry;

import org.jspecify.annotations.NullMarked;
