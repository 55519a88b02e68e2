/**
 * The endpoints: decode a request, call one core method, map the result. Knows nothing of how work is stored, queued or
 * run.
 */
@NullMarked
package org.sallyport.web;

import org.jspecify.annotations.NullMarked;
