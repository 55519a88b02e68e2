/**
 * Isolation of workers by the operating system: detects the available features and wraps a worker's command in them.
 * Knows neither scripts nor frames; starts no processes except its own probes.
 */
@NullMarked
package org.sallyport.sandbox.isolation;

import org.jspecify.annotations.NullMarked;
