/** Tests of what the service says of its health. */
@NullMarked
package org.sallyport.web.health;

import org.jspecify.annotations.NullMarked;
