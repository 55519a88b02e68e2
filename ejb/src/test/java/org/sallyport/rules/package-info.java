/** Tests and contracts of policy documents. */
@NullMarked
package org.sallyport.rules;

import org.jspecify.annotations.NullMarked;
