/** Tests. */
@NullMarked
package org.sallyport.configuration;

import org.jspecify.annotations.NullMarked;
