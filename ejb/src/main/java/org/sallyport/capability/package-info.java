/**
 * Published scripts: their names, versions and contents, and what a store of them must promise. Pure: knows nothing of how they
 * are stored, checked or run.
 */
@NullMarked
package org.sallyport.capability;

import org.jspecify.annotations.NullMarked;
