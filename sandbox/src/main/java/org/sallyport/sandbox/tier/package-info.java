/**
 * The cheap ways to run a script that is one tool call: recognised by a small parser of its own, run without an engine and
 * without a worker, with exactly the outcome that the engine would give. Whatever is in doubt is left to the engine.
 */
@NullMarked
package org.sallyport.sandbox.tier;

import org.jspecify.annotations.NullMarked;
