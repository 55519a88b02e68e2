package org.sallyport.bridge;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.sallyport.memory.MemoryBudget;
import org.sallyport.messaging.MalformedMessageException;
import org.sallyport.messaging.MessageMemory;
import org.sallyport.messaging.ToolReplyMessage;

/**
 * Decodes replies to tool calls when there is memory for them, and passes them to the bridge. A reply whose tenant
 * holds its share of the memory waits without a thread, so that replies of other tenants pass it. The thread waits only
 * if the tenant also holds its share of the memory for waiting replies. Thread-safe.
 */
public final class ToolReplyReceiver {
    /** Maximum size of all replies that wait without a thread. Enough for two of the largest replies of one tenant. */
    private static final long MAX_WAITING_BYTES = 64L << 20;

    private static final Logger LOG = System.getLogger(ToolReplyReceiver.class.getName());

    private final JmsToolBridge bridge;
    private final MessageMemory memory;
    private final MessageMemory waitingMemory;
    private final Executor executor;

    /**
     * @param budget the memory of replies, until they are delivered
     * @param executor decodes and delivers the replies that waited
     */
    public ToolReplyReceiver(JmsToolBridge bridge, MemoryBudget budget, Executor executor) {
        this(bridge, budget, MAX_WAITING_BYTES, executor);
    }

    /** @param maxWaitingBytes maximum size of all replies that wait without a thread */
    ToolReplyReceiver(JmsToolBridge bridge, MemoryBudget budget, long maxWaitingBytes, Executor executor) {
        this.bridge = bridge;
        this.memory = new MessageMemory(budget);
        this.waitingMemory = new MessageMemory(new MemoryBudget("waiting replies", maxWaitingBytes));
        this.executor = executor;
    }

    /** Receives a reply. Counts and drops it if no call waits for it, or if it is not valid. */
    void receive(String correlation, String body) {
        Optional<JmsToolBridge.AwaitedReply> awaited = bridge.findAwaited(correlation);
        if (awaited.isEmpty()) {
            bridge.countUnexpected(correlation);
            return;
        }
        String tenant = awaited.get().tenant();
        CompletableFuture<MemoryBudget.MemoryReservation> reserved = memory.reserve(tenant, body.length(), executor);
        if (reserved.isDone()) {
            deliver(correlation, body, reserved.join());
            return;
        }
        Optional<MemoryBudget.MemoryReservation> waiting = waitingMemory.tryReserve(tenant, body.length());
        CompletableFuture<Boolean> received = reserved.handle((reservation, cancelled) -> {
            waiting.ifPresent(MemoryBudget.MemoryReservation::close);
            deliverOrCount(correlation, body, reservation);
            return true;
        });
        // At the latest at the deadline of the call.
        awaited.get().answered().thenRun(() -> reserved.cancel(false));
        if (waiting.isEmpty()) {
            received.join(); // The broker keeps the replies that follow.
        }
    }

    private void deliverOrCount(String correlation, String body, MemoryBudget.@Nullable MemoryReservation reservation) {
        if (reservation == null) {
            bridge.countUnexpected(correlation); // Its call has ended.
            return;
        }
        try {
            deliver(correlation, body, reservation);
        } catch (RuntimeException | Error e) {
            LOG.log(Level.ERROR, "a reply that waited for memory could not be delivered; its call ends in time", e);
        }
    }

    private void deliver(String correlation, String body, MemoryBudget.MemoryReservation reservation) {
        try {
            bridge.onReply(correlation, ToolReplyMessage.decode(body).reply());
        } catch (MalformedMessageException e) {
            dropInvalid(e);
        } finally {
            reservation.close();
        }
    }

    /** Counts and logs a message that is not a valid reply. */
    void dropInvalid(Exception reason) {
        bridge.countMalformed();
        LOG.log(Level.WARNING, "dropped an invalid reply message: {0}", reason.getMessage());
    }
}
