/**
 * Tells others that executions have ended: which are to be told, what they are told and how it is signed, and when it is tried
 * again. Knows nothing of how executions run, and of stores only what they must promise.
 */
@NullMarked
package org.sallyport.callback;

import org.jspecify.annotations.NullMarked;
