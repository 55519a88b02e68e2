/**
 * Callbacks to receivers of ended executions: their payload, signature and retries. Knows nothing of how executions
 * run, and of stores only their contracts.
 */
@NullMarked
package org.sallyport.callback;

import org.jspecify.annotations.NullMarked;
