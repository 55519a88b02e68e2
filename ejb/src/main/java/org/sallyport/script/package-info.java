/**
 * Scripts that completed successfully and are saved under a name: their identity, their names, and the contract of a
 * store of them. Pure: knows nothing of storage and execution.
 */
@NullMarked
package org.sallyport.script;

import org.jspecify.annotations.NullMarked;
