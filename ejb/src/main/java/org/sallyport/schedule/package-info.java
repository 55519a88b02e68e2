/**
 * Schedules: their times, missed times and overlaps, and the contract of a store of schedules. Pure: knows nothing of
 * storage; of the run request it knows only that it is JSON.
 */
@NullMarked
package org.sallyport.schedule;

import org.jspecify.annotations.NullMarked;
