/**
 * Backends that are databases: each tool is an SQL statement that an operator wrote. Knows nothing of the service's own
 * database, and generates no SQL itself.
 */
@NullMarked
package org.sallyport.connector.sql;

import org.jspecify.annotations.NullMarked;
