/**
 * Inbound webhooks: addresses with which systems without an API key start a capability or emit an event. Knows nothing
 * of the database, requests and stored secrets.
 */
@NullMarked
package org.sallyport.webhook;

import org.jspecify.annotations.NullMarked;
