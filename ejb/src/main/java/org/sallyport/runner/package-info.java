/**
 * Runs executions: receives a job, claims the execution, drives its session, and writes its journal and outcome. Also
 * cancels executions and recovers lost ones. Knows nothing of HTTP. Of the tools it knows only the bridge.
 */
@NullMarked
package org.sallyport.runner;

import org.jspecify.annotations.NullMarked;
