package org.sallyport.connector.mcp;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.catalog.BackendStatus.BackendState;

/** What is wrong with a server while it is connected. Not thread-safe. */
final class McpServerFaults {
    private int missedPings;
    /** Why the server refused the credentials of the last ping; empty after an answer. */
    private Optional<String> refusalOfPing = Optional.empty();
    /** Why the server refused the credentials of the last call; empty after an answer. */
    private Optional<String> refusalOfCall = Optional.empty();
    /** Why the last request for the tool list failed; empty if the list is current. */
    private Optional<String> listingFailure = Optional.empty();
    /** Fault of the current tool list that does not prevent calls; empty if there is none. */
    private Optional<String> listNote;

    McpServerFaults(Optional<String> listNote) {
        this.listNote = listNote;
    }

    BackendState state() {
        return worst().isPresent() ? BackendState.DEGRADED : BackendState.READY;
    }

    /** Describes the worst fault; empty if there is none. */
    Optional<String> description() {
        return worst().or(() -> listNote);
    }

    /** Faults that affect all tools come first. */
    private Optional<String> worst() {
        return missedPings > 0
                ? Optional.of("it does not answer pings")
                : refusalOfPing.or(() -> refusalOfCall).or(() -> listingFailure);
    }

    /** Number of pings in a row that were not answered. */
    int missedPings() {
        return missedPings;
    }

    /**
     * Records a ping; returns whether the faults changed. A server that refuses a ping is not lost.
     *
     * @param failure null if the ping was answered
     */
    boolean recordPing(@Nullable Throwable failure) {
        McpFailure.RequestRefused refused = failure != null
                        && McpFailure.of(failure) instanceof McpFailure.RequestRefused answer
                        && answer.showsLiveServer()
                ? answer
                : null;
        Optional<String> refusal =
                refused != null && refused.isForCredentials() ? Optional.of(refused.reason()) : Optional.empty();
        int missed = failure == null || refused != null ? 0 : missedPings + 1;
        if (missed == missedPings && refusal.equals(refusalOfPing)) {
            return false;
        }
        missedPings = missed;
        refusalOfPing = refusal;
        return true;
    }

    /**
     * Records whether the credentials of the last call were refused; returns whether the faults changed.
     *
     * @param refusal the reason; empty if the call was answered
     */
    boolean recordCall(Optional<String> refusal) {
        boolean changed = !refusal.equals(refusalOfCall);
        refusalOfCall = refusal;
        return changed;
    }

    /** Records a request for the tool list; returns whether the faults changed. */
    boolean recordListing(Optional<String> failure, Optional<String> note) {
        boolean changed = !failure.equals(listingFailure) || !note.equals(listNote);
        listingFailure = failure;
        listNote = note;
        return changed;
    }
}
