/** Tests and contracts of policy documents. */
@NullMarked
package org.sallyport.policyengine;

import org.jspecify.annotations.NullMarked;
