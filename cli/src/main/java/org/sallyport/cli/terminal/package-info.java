/**
 * What a person sees: text made safe for a terminal, tables, durations, code frames and the waterfall of a trace. It does
 * not know how data is fetched nor what a command means.
 */
@NullMarked
package org.sallyport.cli.terminal;

import org.jspecify.annotations.NullMarked;
