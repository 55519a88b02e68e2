/**
 * The {@code sallyport} commands: options, what each command does, and how every ending becomes an exit code. It knows
 * only the public REST API and the service process on this machine, nothing of the service's inside.
 */
@NullMarked
package org.sallyport.cli;

import org.jspecify.annotations.NullMarked;
