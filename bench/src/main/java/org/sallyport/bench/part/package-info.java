/**
 * The steps that the service performs in its process for each call, without a service around them. Knows nothing of how
 * they are measured.
 */
@NullMarked
package org.sallyport.bench.part;

import org.jspecify.annotations.NullMarked;
