/**
 * Every setting of the service in one list: its name, type, default, bounds and meaning. The documentation page is
 * generated from it, and a start with an unknown or impossible setting stops here. Knows nothing of where values come
 * from.
 */
@NullMarked
package org.sallyport.configuration;

import org.jspecify.annotations.NullMarked;
