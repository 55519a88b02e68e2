/**
 * A client of the public REST API under {@code /api/v1}: requests, long polls, problems, and views of what comes back.
 * It does not know how its answers are shown, nor where the service runs.
 */
@NullMarked
package org.sallyport.cli.api;

import org.jspecify.annotations.NullMarked;
