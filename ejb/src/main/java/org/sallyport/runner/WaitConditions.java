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
 * The conditions for which a script is to be parked.
 *
 * @param timer time until the script's first timer is due; zero when it has none
 * @param approvalExpiry earliest expiry of the open approvals
 * @param events the events that the script waits for
 * @param replies pending tool replies, by call ordinal
 */
record WaitConditions(
        Duration timer,
        Optional<Instant> approvalExpiry,
        List<HostServiceCalls.PendingEventWait> events,
        Map<Long, CompletionStage<ToolReply>> replies) {

    /**
     * Time added to the approval expiry. The sweeper that expires an approval resumes the execution; a wake-up before
     * that would be in vain.
     */
    private static final Duration APPROVAL_EXPIRY_GRACE = Duration.ofSeconds(5);

    /**
     * Returns whether the script must not be parked, because it waits for a tool reply and also for an approval or an
     * event. The reply arrives at this node only, but the approval or the event could resume a parked script on any
     * node.
     */
    boolean needsThisNode() {
        return !replies.isEmpty() && (approvalExpiry.isPresent() || !events.isEmpty());
    }

    /** Returns whether a pending reply has arrived. */
    boolean hasReply() {
        return replies.values().stream()
                .anyMatch(answer -> answer.toCompletableFuture().isDone());
    }

    /** Returns how long the script would wait, if that is longer than {@code maxWait}; otherwise empty. */
    Optional<Duration> excessiveWait(Duration maxWait, Instant now) {
        return Stream.concat(
                        Stream.of(timer),
                        events.stream()
                                .filter(event -> !event.since().plus(maxWait).isAfter(now))
                                .map(event ->
                                        Duration.between(event.since(), now).plusMillis(1)))
                .filter(wait -> wait.compareTo(maxWait) > 0)
                .findFirst();
    }

    /**
     * Returns the request to park the execution.
     *
     * @param maxWait maximum time that the execution may be parked for an event
     */
    SuspendRequest suspendRequest(Duration maxWait, Instant now) {
        List<Instant> ends = new ArrayList<>();
        if (!timer.isZero()) {
            ends.add(now.plus(timer));
        }
        approvalExpiry.ifPresent(end -> ends.add(end.plus(APPROVAL_EXPIRY_GRACE)));
        events.forEach(event -> {
            ends.add(event.since().plus(maxWait));
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

    /** Returns, for each event name, the lowest sequence number after which an event counts. */
    private List<SuspendRequest.EventWait> eventWaits() {
        Map<String, Long> first = new HashMap<>();
        events.forEach(event -> event.names().forEach(name -> first.merge(name, event.after(), Math::min)));
        return first.entrySet().stream()
                .map(each -> new SuspendRequest.EventWait(each.getKey(), each.getValue()))
                .toList();
    }

    /**
     * Returns the request to park the execution while its tool replies arrive at this node.
     *
     * @param leaseOwner the lease owner of this node
     * @param latest time after which no further reply is expected
     */
    SuspendRequest suspendRequestOnThisNode(String leaseOwner, Duration latest) {
        return new SuspendRequest(Suspension.SuspensionReason.TOOL, latest, List.of(), Optional.of(leaseOwner));
    }
}
