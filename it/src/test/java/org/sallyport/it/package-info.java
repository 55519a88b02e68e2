/**
 * Tests of the service as it ships: a server process on the outside of which everything is done and seen. Knows nothing of
 * its rooms.
 */
@NullMarked
package org.sallyport.it;

import org.jspecify.annotations.NullMarked;
