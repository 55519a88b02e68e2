/**
 * What the integration tests start servers and talk to them with. Knows the server as its users do: a command line,
 * settings, an HTTP API, a data directory. Knows nothing of what is inside.
 */
@NullMarked
package org.sallyport.it.harness;

import org.jspecify.annotations.NullMarked;
