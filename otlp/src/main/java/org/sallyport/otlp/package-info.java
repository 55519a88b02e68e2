/**
 * Sends finished spans to an OpenTelemetry collector, as OTLP over HTTP. Knows nothing of executions; the OpenTelemetry SDK is
 * seen nowhere else.
 */
@NullMarked
package org.sallyport.otlp;

import org.jspecify.annotations.NullMarked;
