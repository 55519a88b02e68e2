/** Tests of settings and their documentation. */
@NullMarked
package org.sallyport.configuration;

import org.jspecify.annotations.NullMarked;
