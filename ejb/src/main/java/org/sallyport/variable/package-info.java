/**
 * Variables of tenants, which capabilities declare and their scripts see as {@code env}. Does not know how values are
 * encrypted.
 */
@NullMarked
package org.sallyport.variable;

import org.jspecify.annotations.NullMarked;
