package org.sallyport.policy;

import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.sallyport.tool.ToolName;

/**
 * In what a call is made.
 *
 * @param tenant whose execution calls
 * @param before gives the tools that it called before, in order; asked only by rules that need it
 * @param now the time by which rules that have hours are judged
 */
public record Situation(String tenant, Supplier<List<ToolName>> before, Instant now) {}
