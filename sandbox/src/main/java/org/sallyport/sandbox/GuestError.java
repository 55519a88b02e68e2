package org.sallyport.sandbox;

import org.jspecify.annotations.Nullable;

/**
 * The failure of a tool call, as the script catches it: a {@code ToolError}.
 *
 * @param code stable code, such as {@code tool-failed} or {@code timeout}
 * @param message text for the author of the script; contains no details of the host
 * @param retryable whether the same call may succeed later
 * @param details further details as JSON text, or null
 */
public record GuestError(
        String code,
        String message,
        boolean retryable,
        @Nullable String details) {}
