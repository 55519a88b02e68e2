/**
 * A client of the public REST API under {@code /api/v1}: requests, long polls, problems, and views of the responses. It
 * does not know how results are shown or where the service runs.
 */
@NullMarked
package org.sallyport.cli.api;

import org.jspecify.annotations.NullMarked;
