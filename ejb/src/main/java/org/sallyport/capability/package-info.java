/**
 * Published scripts: their names, versions and contents, and the contract of a store of them. Pure: knows nothing of
 * storage, validation and execution.
 */
@NullMarked
package org.sallyport.capability;

import org.jspecify.annotations.NullMarked;
