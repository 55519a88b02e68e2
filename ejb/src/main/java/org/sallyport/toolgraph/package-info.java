/**
 * The tool graph: which tools scripts call after which, how often and how successfully, and for which intents. Each
 * tenant's graph is built from the traces of its ended executions and serves the authors of scripts. Knows names of
 * tools and words of intents, but no arguments and results of tools.
 */
@NullMarked
package org.sallyport.toolgraph;

import org.jspecify.annotations.NullMarked;
