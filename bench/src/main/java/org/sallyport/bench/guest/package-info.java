/** The sandbox alone, without a service around it, beside what else runs scripts. Knows nothing of REST, messages and databases. */
@NullMarked
package org.sallyport.bench.guest;

import org.jspecify.annotations.NullMarked;
