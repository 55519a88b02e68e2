package org.sallyport.runner;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.sallyport.execution.SuspendRequest;
import org.sallyport.execution.Suspension;
import org.sallyport.tool.ToolReply;

/**
 * What a script waits for that is to be parked.
 *
 * @param timer until its first timer is due, 0 when it has none
 * @param approvalExpiry until when people have time for what they are asked
 * @param events the events it waits for
 * @param replies answers of tools that are still to come, by the ordinals of their calls
 */
record WaitConditions(
        Duration timer,
        Optional<Instant> approvalExpiry,
        List<HostServiceCalls.PendingEventWait> events,
        Map<Long, CompletionStage<ToolReply>> replies) {

    /** A moment more: who ends what nobody decided wakes it, and it would be woken in vain before. */
    private static final Duration APPROVAL_EXPIRY_GRACE = Duration.ofSeconds(5);

    /** Whether the answers of tools come here and the rest may wake it anywhere: then it must stay. */
    boolean needsThisNode() {
        return !replies.isEmpty() && (approvalExpiry.isPresent() || !events.isEmpty());
    }

    /** Whether an answer is here by now. */
    boolean hasReply() {
        return replies.values().stream()
                .anyMatch(answer -> answer.toCompletableFuture().isDone());
    }

    /** For how long it would wait, if that is longer than {@code most}. */
    Optional<Duration> excessiveWait(Duration most, Instant now) {
        return Stream.concat(
                        Stream.of(timer),
                        events.stream()
                                .filter(event -> !event.since().plus(most).isAfter(now))
                                .map(event ->
                                        Duration.between(event.since(), now).plusMillis(1)))
                .filter(wait -> wait.compareTo(most) > 0)
                .findFirst();
    }

    /**
     * How it is parked.
     *
     * @param most how long it may be parked for an event
     */
    SuspendRequest suspendRequest(Duration most, Instant now) {
        List<Instant> ends = new ArrayList<>();
        if (!timer.isZero()) {
            ends.add(now.plus(timer));
        }
        approvalExpiry.ifPresent(end -> ends.add(end.plus(APPROVAL_EXPIRY_GRACE)));
        events.forEach(event -> {
            ends.add(event.since().plus(most));
            event.until().ifPresent(ends::add);
        });
        Duration wait = ends.stream()
                .min(Instant::compareTo)
                .map(end -> Duration.between(now, end))
                .filter(left -> !left.isNegative())
                .orElse(Duration.ZERO);
        return new SuspendRequest(reason(), wait, eventWaits(), Optional.empty());
    }

    private Suspension.SuspensionReason reason() {
        if (approvalExpiry.isPresent()) {
            return Suspension.SuspensionReason.APPROVAL;
        }
        return events.isEmpty() ? Suspension.SuspensionReason.TIMER : Suspension.SuspensionReason.EVENT;
    }

    /** Of each name the first that could come. */
    private List<SuspendRequest.EventWait> eventWaits() {
        Map<String, Long> first = new HashMap<>();
        events.forEach(event -> event.names().forEach(name -> first.merge(name, event.after(), Math::min)));
        return first.entrySet().stream()
                .map(each -> new SuspendRequest.EventWait(each.getKey(), each.getValue()))
                .toList();
    }

    /**
     * How it is parked while the answers of its tools come to this node.
     *
     * @param holder the holder of this node's lease
     * @param latest when the last of them has come or will not come
     */
    SuspendRequest suspendRequestOnThisNode(String holder, Duration latest) {
        return new SuspendRequest(Suspension.SuspensionReason.TOOL, latest, List.of(), Optional.of(holder));
    }
}
