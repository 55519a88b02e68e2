/**
 * Calls declared operations of HTTP interfaces, and nothing inside the installation's own network unless told to. Knows
 * nothing of messages and of the database.
 */
@NullMarked
package org.sallyport.connector.http;

import org.jspecify.annotations.NullMarked;
