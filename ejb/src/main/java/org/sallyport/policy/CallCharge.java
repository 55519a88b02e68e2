package org.sallyport.policy;

import org.sallyport.execution.Cost;
import org.sallyport.execution.FencingToken;
import org.sallyport.tool.ToolName;

/**
 * The cost of a call that is about to be made.
 *
 * @param fence fencing token of the attempt that makes the call
 * @param call ordinal of the call
 * @param tool the called tool
 * @param cost cost, more than zero
 */
public record CallCharge(FencingToken fence, long call, ToolName tool, Cost cost) {}
