package org.sallyport.sandbox;

import org.jspecify.annotations.Nullable;

/**
 * Why a tool call failed, as the script catches it: a {@code ToolError}.
 *
 * @param code stable code, such as {@code tool-failed} or {@code timeout}
 * @param message words for the author; holds nothing of the host
 * @param retryable whether the same call may succeed later
 * @param details more, as JSON text, or null
 */
public record GuestError(
        String code,
        String message,
        boolean retryable,
        @Nullable String details) {}
