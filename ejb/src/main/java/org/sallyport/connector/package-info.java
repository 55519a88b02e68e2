/**
 * Calls backends: receives calls from a backend's queue, passes them to the backend's connector and sends the reply.
 * Knows nothing of executions except the call id.
 */
@NullMarked
package org.sallyport.connector;

import org.jspecify.annotations.NullMarked;
