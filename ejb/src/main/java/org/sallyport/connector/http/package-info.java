/**
 * Calls operations of HTTP interfaces; addresses inside the installation's own network only if configured. Knows
 * nothing of messages and of the database.
 */
@NullMarked
package org.sallyport.connector.http;

import org.jspecify.annotations.NullMarked;
