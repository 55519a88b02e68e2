/**
 * The tenant's event bus: what scripts emit for other scripts of their tenant. Pure: knows no database, no messages and no
 * JSON beyond carrying it.
 */
@NullMarked
package org.sallyport.event;

import org.jspecify.annotations.NullMarked;
