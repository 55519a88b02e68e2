/**
 * When executions begin by themselves: times, what happens to those that were missed or come too early, and what a store of
 * schedules must promise. Pure: knows nothing of how they are stored, and of what runs only that it is JSON.
 */
@NullMarked
package org.sallyport.schedule;

import org.jspecify.annotations.NullMarked;
