/**
 * The tenant's event bus: events that scripts and callers emit for the scripts of their tenant and for subscribers.
 * Pure: knows nothing of the database and messages, and treats the payload as opaque JSON.
 */
@NullMarked
package org.sallyport.event;

import org.jspecify.annotations.NullMarked;
