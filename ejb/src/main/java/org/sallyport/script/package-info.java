/**
 * Scripts that went well and are kept under a name: which are the same, what they are called, and what a store of them must promise.
 * Pure: knows nothing of how they are stored or run.
 */
@NullMarked
package org.sallyport.script;

import org.jspecify.annotations.NullMarked;
