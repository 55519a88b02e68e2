/**
 * Which tools scripts call after which, how often and how well, and for which intents: learned of each tenant from what is recorded of
 * executions that have ended, and asked by those who write scripts. Knows names of tools and words of intents, and nothing that a tool
 * was given or gave.
 */
@NullMarked
package org.sallyport.toolgraph;

import org.jspecify.annotations.NullMarked;
