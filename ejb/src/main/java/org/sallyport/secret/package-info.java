/**
 * Secrets: named values of a tenant, sealed wherever they are kept, and taken out of whatever is shown or stored. Knows
 * nothing of who uses them.
 */
@NullMarked
package org.sallyport.secret;

import org.jspecify.annotations.NullMarked;
