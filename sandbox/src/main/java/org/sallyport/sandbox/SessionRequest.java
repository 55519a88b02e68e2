package org.sallyport.sandbox;

import java.util.List;

/**
 * Everything a session starts with.
 *
 * @param id names the session in logs and problems; unique among live sessions (execution id and attempt)
 * @param tenant sessions of different tenants never share a worker, unless configured so
 * @param script what to run
 * @param args the execution's input, JSON text
 * @param context the execution's extra context, JSON text
 * @param limits what the session may use
 * @param tools the tools the script sees
 */
public record SessionRequest(
        String id,
        String tenant,
        Script script,
        String args,
        String context,
        SessionLimits limits,
        List<GuestTool> tools) {
    public SessionRequest {
        tools = List.copyOf(tools);
    }
}
