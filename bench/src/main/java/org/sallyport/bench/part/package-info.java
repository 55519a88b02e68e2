/** What the service does with a call inside its process, without a service around it. Knows nothing of how it is measured. */
@NullMarked
package org.sallyport.bench.part;

import org.jspecify.annotations.NullMarked;
