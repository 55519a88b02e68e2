/**
 * Fast paths for scripts that are one tool call: a small parser of its own recognizes them, and they run without an
 * engine and without a worker, with exactly the result that the engine would give. In doubt the engine runs the script.
 */
@NullMarked
package org.sallyport.sandbox.directcall;

import org.jspecify.annotations.NullMarked;
