/**
 * The tenant's event bus: events that scripts emit for other scripts of their tenant. Pure: knows nothing of the
 * database and messages, and treats the payload as opaque JSON.
 */
@NullMarked
package org.sallyport.event;

import org.jspecify.annotations.NullMarked;
