/**
 * The {@code sallyport} commands: options, effects and exit codes. Knows only the public REST API and the service
 * process on this machine, and nothing of the service's internals.
 */
@NullMarked
package org.sallyport.cli;

import org.jspecify.annotations.NullMarked;
