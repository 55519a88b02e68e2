/**
 * Exports finished spans to an OpenTelemetry collector, as OTLP over HTTP. Knows nothing of executions; no other
 * package uses the OpenTelemetry SDK.
 */
@NullMarked
package org.sallyport.otlp;

import org.jspecify.annotations.NullMarked;
