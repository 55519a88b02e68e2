/**
 * Output for people: escaped text, tables, durations, code frames and the waterfall of a trace. It does not know where
 * data comes from or what a command means.
 */
@NullMarked
package org.sallyport.cli.terminal;

import org.jspecify.annotations.NullMarked;
