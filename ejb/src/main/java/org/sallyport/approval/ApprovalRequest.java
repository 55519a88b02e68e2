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
 * A question to people.
 *
 * @param execution the execution that waits for the answer
 * @param call ordinal of the call that the question is about
 * @param kind kind of question
 * @param round how often the same question was asked and answered before, from 0
 * @param tool the called tool
 * @param arguments arguments of the call as they are shown to people
 * @param rule the policy rule that requires the approval
 * @param terms terms of the approval
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

    /**
     * Returns the hash of the call to approve, so that an approval covers this call and no other. SHA-256, hexadecimal.
     */
    public String hash() {
        return hash(tool, arguments);
    }

    /** Returns a copy with other arguments. */
    public ApprovalRequest withArguments(Json others) {
        return new ApprovalRequest(execution, call, kind, round, tool, others, rule, terms);
    }

    /** The hash of this tool with these arguments; see {@link #hash()}. */
    public static String hash(ToolName tool, Json arguments) {
        try {
            byte[] shown = (tool + "\n" + arguments.text()).getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(shown));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
