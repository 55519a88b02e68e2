/**
 * Answers requests that no other part of the application answered. Knows problems; knows nothing of the requested
 * operations.
 */
@NullMarked
package org.sallyport.web.error;

import org.jspecify.annotations.NullMarked;
