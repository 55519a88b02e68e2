/** Policy documents: JSON documents of rules as people write them. Knows nothing of storage or of submitters. */
@NullMarked
package org.sallyport.policyengine;

import org.jspecify.annotations.NullMarked;
