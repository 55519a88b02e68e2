/** The doors: decode a request, call one core method, map the answer. Knows nothing of how work is stored, queued or run. */
@NullMarked
package org.sallyport.web;

import org.jspecify.annotations.NullMarked;
