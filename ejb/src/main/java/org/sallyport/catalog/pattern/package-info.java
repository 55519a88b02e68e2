/**
 * Regular expressions by ECMA-262, translated to expressions of Java. Knows nothing of schemas and does not match
 * texts.
 */
@NullMarked
package org.sallyport.catalog.pattern;

import org.jspecify.annotations.NullMarked;
