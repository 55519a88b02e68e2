/**
 * The places at which a node's death matters most, named, so that tests can have it die exactly there. Knows of nothing else;
 * does nothing where no test has put its own class into the application.
 */
@NullMarked
package org.sallyport.failpoint;

import org.jspecify.annotations.NullMarked;
