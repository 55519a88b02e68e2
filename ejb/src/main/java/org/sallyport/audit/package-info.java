/**
 * The audit log: who did what to which object, from where, and what came of it. Pure: knows no database, no requests and nothing
 * of the deeds themselves.
 */
@NullMarked
package org.sallyport.audit;

import org.jspecify.annotations.NullMarked;
