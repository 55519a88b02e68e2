/**
 * Exports spans of ended executions to an OpenTelemetry collector, built from their records, so that running scripts
 * are not slowed down. Knows nothing of how executions run, and of stores only their interfaces.
 */
@NullMarked
package org.sallyport.telemetry;

import org.jspecify.annotations.NullMarked;
