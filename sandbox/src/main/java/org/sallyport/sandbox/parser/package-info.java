/**
 * Turns a script into the body of one async function: recognizes the forms of scripts, strips types, and maps positions
 * in that body back to the author's own line and column. Knows no engine: the caller provides the syntax check of the
 * engine as a {@link org.sallyport.sandbox.parser.SyntaxCheck}.
 */
@NullMarked
package org.sallyport.sandbox.parser;

import org.jspecify.annotations.NullMarked;
