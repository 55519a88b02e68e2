/**
 * Measures the sandbox without a service, and compares it with other script engines. Knows nothing of REST, messages
 * and databases.
 */
@NullMarked
package org.sallyport.bench.guest;

import org.jspecify.annotations.NullMarked;
