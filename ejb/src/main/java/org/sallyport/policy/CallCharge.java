package org.sallyport.policy;

import org.sallyport.execution.Cost;
import org.sallyport.execution.FencingToken;
import org.sallyport.tool.ToolName;

/**
 * What a call costs that is about to be made.
 *
 * @param fence the run that makes it
 * @param call ordinal of the call
 * @param tool what is called
 * @param cost how much, more than nothing
 */
public record CallCharge(FencingToken fence, long call, ToolName tool, Cost cost) {}
