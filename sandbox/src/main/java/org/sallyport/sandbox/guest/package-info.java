/**
 * Runs scripts in GraalJS: one fresh context a session, an event loop without a thread of its own, and {@code
 * prelude.js}, which builds all that a script sees. Used inside workers and by {@link
 * org.sallyport.sandbox.guest.InProcessSandbox}. Knows no process and no wire; names, values and results are JSON text.
 */
@NullMarked
package org.sallyport.sandbox.guest;

import org.jspecify.annotations.NullMarked;
