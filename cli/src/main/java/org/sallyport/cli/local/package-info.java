/**
 * The service process on this machine: its command line, its record on disk, starting it, waiting for it, and ending it
 * with everything that it started. It does not know executions.
 */
@NullMarked
package org.sallyport.cli.local;

import org.jspecify.annotations.NullMarked;
