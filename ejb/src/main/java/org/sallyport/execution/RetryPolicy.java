package org.sallyport.execution;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.sallyport.tool.ToolErrorCode;

/**
 * Whether and when a failed execution is followed by another attempt, which is an execution of its own.
 *
 * @param attempts maximum number of attempts, including the first; at least 1
 * @param initialDelay delay before the second attempt, from {@link #MIN_DELAY}; it doubles before each further attempt
 * @param maxDelay maximum delay before an attempt, at least {@code initialDelay}
 * @param errorCodes the error codes after which there is another attempt, of {@link #allowedCodes}
 * @param afterWrites whether there is another attempt even if the failed one may have changed something
 */
public record RetryPolicy(
        int attempts, Duration initialDelay, Duration maxDelay, Set<String> errorCodes, boolean afterWrites) {
    /** Shortest delay, so that a script that fails at once is not repeated without a pause. */
    public static final Duration MIN_DELAY = Duration.ofMillis(100);

    public static final Duration DEFAULT_DELAY = Duration.ofSeconds(1);

    /** Maximum delay of a policy that names none, unless its first delay is longer. */
    public static final Duration DEFAULT_MAX_DELAY = Duration.ofMinutes(1);

    private static final Set<String> DEFAULT_CODES = Stream.concat(
                    Stream.of(ErrorCode.SANDBOX_UNAVAILABLE, ErrorCode.INTERNAL_ERROR)
                            .map(ErrorCode::code),
                    Arrays.stream(ToolErrorCode.values())
                            .filter(ToolErrorCode::isRetryable)
                            .map(ToolErrorCode::code))
            .collect(Collectors.toUnmodifiableSet());

    private static final Set<String> ALLOWED_CODES = Stream.of(
                    DEFAULT_CODES.stream(),
                    Stream.of(
                                    ErrorCode.SCRIPT_ERROR,
                                    ErrorCode.UNHANDLED_REJECTION,
                                    ErrorCode.DEADLOCK,
                                    ErrorCode.OUTPUT_MISMATCH,
                                    ErrorCode.TOOL_ERROR,
                                    ErrorCode.CPU_LIMIT,
                                    ErrorCode.MEMORY_LIMIT,
                                    ErrorCode.WALL_CLOCK_LIMIT)
                            .map(ErrorCode::code),
                    Stream.of(
                                    ToolErrorCode.TOOL_FAILED,
                                    ToolErrorCode.OUTCOME_UNKNOWN,
                                    ToolErrorCode.QUOTA_EXCEEDED,
                                    ToolErrorCode.TOOLS_MISSING,
                                    ToolErrorCode.SANDBOX_NOT_ALLOWED,
                                    ToolErrorCode.CAPABILITY_FAILED)
                            .map(ToolErrorCode::code))
            .flatMap(codes -> codes)
            .collect(Collectors.toUnmodifiableSet());

    /** Codes after which an execution always may have changed something. */
    private static final Set<String> WRITE_CODES =
            Set.of(ToolErrorCode.OUTCOME_UNKNOWN.code(), ToolErrorCode.CAPABILITY_FAILED.code());

    private static final String SEPARATOR = ";";
    private static final int STORED_PARTS = 5;

    public RetryPolicy {
        errorCodes = Set.copyOf(errorCodes);
    }

    /** Returns the error codes of a policy that names none: failures that may be over at the next attempt. */
    public static Set<String> defaultCodes() {
        return DEFAULT_CODES;
    }

    /**
     * Returns the error codes that a policy may name. Not among them are errors that every attempt would have, such as
     * {@code syntax-error}, refusals, such as {@code denied}, and {@code worker-lost}, {@code runner-lost} and
     * {@code replay-failed}: the service has repeated such an execution itself as often as it may.
     */
    public static Set<String> allowedCodes() {
        return ALLOWED_CODES;
    }

    /**
     * Returns those of the allowed codes after which there is never another attempt without {@link #afterWrites}: with
     * them, the execution always may have changed something.
     */
    public static Set<String> writeCodes() {
        return WRITE_CODES;
    }

    /**
     * Returns the full delay after {@code attemptsMade} attempts. It doubles with each attempt, up to {@link
     * #maxDelay}.
     *
     * @param attemptsMade at least 1
     */
    public Duration fullDelayAfter(int attemptsMade) {
        long initial = initialDelay.toMillis();
        int doublings = attemptsMade - 1;
        // With as many leading zeros as doublings, the shift would overflow.
        return doublings >= Long.numberOfLeadingZeros(initial) - 1
                ? maxDelay
                : Duration.ofMillis(Math.min(maxDelay.toMillis(), initial << doublings));
    }

    /**
     * Returns the delay after {@code attemptsMade} attempts: a random part of the full delay, at least half of it, so
     * that executions that failed together are not repeated together.
     */
    public Duration delayAfter(int attemptsMade, RandomGenerator random) {
        long full = fullDelayAfter(attemptsMade).toMillis();
        return Duration.ofMillis(full - (long) (random.nextDouble() * (full / 2)));
    }

    /** Returns the text from which {@link #ofStored} makes an equal policy. */
    public String toStoredText() {
        return String.join(
                SEPARATOR,
                Integer.toString(attempts),
                Long.toString(initialDelay.toMillis()),
                Long.toString(maxDelay.toMillis()),
                Boolean.toString(afterWrites),
                String.join(",", new TreeSet<>(errorCodes)));
    }

    /** Returns the policy of a text of {@link #toStoredText}. */
    public static RetryPolicy ofStored(String text) {
        List<String> parts = List.of(text.split(SEPARATOR, STORED_PARTS));
        return new RetryPolicy(
                Integer.parseInt(parts.get(0)),
                Duration.ofMillis(Long.parseLong(parts.get(1))),
                Duration.ofMillis(Long.parseLong(parts.get(2))),
                Set.of(parts.get(4).split(",")),
                Boolean.parseBoolean(parts.get(3)));
    }

    /**
     * How an execution with a retry policy relates to the other attempts.
     *
     * @param attempt number of this attempt, from 1
     * @param first the execution of the first attempt; empty for that attempt itself
     * @param previous the execution of the attempt before this one
     * @param next the execution of the attempt after this one
     * @param stop why no attempt follows this one, which has failed
     */
    public record RetryStatus(
            int attempt,
            Optional<ExecutionId> first,
            Optional<ExecutionId> previous,
            Optional<ExecutionId> next,
            Optional<RetryStop> stop) {}

    /** Why a failed execution with a retry policy is not followed by another attempt. */
    public enum RetryStop {
        /** The policy does not name the error. */
        ERROR,
        /** All attempts were made. */
        ATTEMPTS,
        /** The execution may have changed something. */
        WRITES,
        /** The next attempt would begin after the deadline. */
        DEADLINE,
        /** The batch of the execution was stopped. */
        BATCH,
        /** The next attempt could not be stored: the disk is nearly full, or storing it failed. */
        STORAGE;

        /** Returns the name that clients see. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
