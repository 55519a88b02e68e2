/**
 * Calls tools and capabilities of other installations. Each call is one remote execution, which is found by the id of
 * the call. Knows nothing of messages and of the database.
 */
@NullMarked
package org.sallyport.connector.sallyport;

import org.jspecify.annotations.NullMarked;
