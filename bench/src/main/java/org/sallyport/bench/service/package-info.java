/**
 * The service under test: its start and stop, its requests, and the resources of its processes. Knows nothing of rows
 * and figures.
 */
@NullMarked
package org.sallyport.bench.service;

import org.jspecify.annotations.NullMarked;
