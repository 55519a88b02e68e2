/**
 * Backends that are databases: statements that an operator wrote, each a tool. Knows nothing of the service's own database,
 * and writes no SQL itself.
 */
@NullMarked
package org.sallyport.connector.sql;

import org.jspecify.annotations.NullMarked;
