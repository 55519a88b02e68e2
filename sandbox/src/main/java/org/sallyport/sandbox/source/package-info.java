/**
 * Turns what an author wrote into the body of one asynchronous function: forms of scripts, types removed, and the way
 * back from a place in that body to the author's own line and column. Knows no engine: the check of JavaScript itself
 * is given to it as a {@link org.sallyport.sandbox.source.SyntaxCheck}.
 */
@NullMarked
package org.sallyport.sandbox.source;

import org.jspecify.annotations.NullMarked;
