/** Metrics of this node for Prometheus. */
@NullMarked
package org.sallyport.web.metrics;

import org.jspecify.annotations.NullMarked;
