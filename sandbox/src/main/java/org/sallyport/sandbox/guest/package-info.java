/**
 * Runs scripts in GraalJS: a new context per session, an event loop without its own thread, and {@code prelude.js},
 * which builds the environment that a script sees. Used inside workers and by {@link
 * org.sallyport.sandbox.guest.InProcessSandbox}. Knows no process and no wire protocol; names, values and results are
 * JSON text.
 */
@NullMarked
package org.sallyport.sandbox.guest;

import org.jspecify.annotations.NullMarked;
