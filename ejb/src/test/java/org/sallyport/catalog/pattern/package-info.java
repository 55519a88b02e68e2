/** Tests of the translation of patterns. */
@NullMarked
package org.sallyport.catalog.pattern;

import org.jspecify.annotations.NullMarked;
