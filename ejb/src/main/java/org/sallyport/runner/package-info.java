/**
 * Runs executions: takes a job, claims it, drives its session, writes what happens and how it ends; cancels, and sweeps up
 * what was lost. Knows nothing of HTTP, and of tools only the bridge.
 */
@NullMarked
package org.sallyport.runner;

import org.jspecify.annotations.NullMarked;
