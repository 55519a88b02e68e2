/**
 * Support code with which the integration tests start servers and communicate with them. Knows the server as its users
 * do: a command line, settings, an HTTP API, a data directory. Of its internals, knows only the failpoints.
 */
@NullMarked
package org.sallyport.it.harness;

import org.jspecify.annotations.NullMarked;
