/**
 * The service under test: its start and end, its requests, and what its processes use. Knows nothing of rows and figures.
 */
@NullMarked
package org.sallyport.bench.service;

import org.jspecify.annotations.NullMarked;
