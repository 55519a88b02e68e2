/**
 * All settings of the service in one list: name, type, default, bounds and meaning. The documentation page is generated
 * from it, and an unknown or invalid setting stops the start. Knows nothing of the origin of values.
 */
@NullMarked
package org.sallyport.configuration;

import org.jspecify.annotations.NullMarked;
