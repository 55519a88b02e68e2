/**
 * Calls tools and capabilities of other installations. Each call is one execution there, found again by the id of the call. Knows nothing of
 * messages and of the database.
 */
@NullMarked
package org.sallyport.connector.sallyport;

import org.jspecify.annotations.NullMarked;
