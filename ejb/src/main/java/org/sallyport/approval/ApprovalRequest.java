package org.sallyport.approval;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.sallyport.execution.ExecutionId;
import org.sallyport.policy.ApprovalTerms;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/**
 * What people are to be asked.
 *
 * @param execution which execution waits for it
 * @param call ordinal of the call it is about
 * @param kind what is asked
 * @param round 0, or how often the same was asked and answered before
 * @param tool what is called
 * @param arguments with what, as people are shown it
 * @param rule which rule of the policy asks
 * @param terms how it is asked
 */
public record ApprovalRequest(
        ExecutionId execution,
        long call,
        ApprovalKind kind,
        int round,
        ToolName tool,
        Json arguments,
        String rule,
        ApprovalTerms terms) {

    /** Of what is to be done: who approves it approves this and nothing else. SHA-256, hexadecimal. */
    public String hash() {
        return hash(tool, arguments);
    }

    /** As {@link #hash()}. */
    public static String hash(ToolName tool, Json arguments) {
        try {
            byte[] shown = (tool + "\n" + arguments.text()).getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(shown));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
