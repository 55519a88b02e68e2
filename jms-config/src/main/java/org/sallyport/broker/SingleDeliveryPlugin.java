package org.sallyport.broker;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.MessageReference;
import org.apache.activemq.artemis.core.server.Queue;
import org.apache.activemq.artemis.core.server.ServerConsumer;
import org.apache.activemq.artemis.core.server.plugin.ActiveMQServerPlugin;
import org.apache.activemq.artemis.utils.collections.LinkedListIterator;
import org.jspecify.annotations.Nullable;

/**
 * Delivers each call to a connector at most once. Without this plugin, a call whose connector disconnected may return
 * to its queue as undelivered, because the broker does not always count that delivery. The plugin moves returned calls
 * to the dead letters of their address immediately, and delivers them to no consumer until then.
 *
 * <p>Public, with a public constructor, so that an external broker can load it.
 */
public final class SingleDeliveryPlugin implements ActiveMQServerPlugin {

    private static final Logger LOG = System.getLogger(SingleDeliveryPlugin.class.getName());
    private static final SimpleString PREFIX = SimpleString.of(ConnectorPermissions.ADDRESS_PREFIX);
    /** After a consumer closes, the broker returns its messages with some delay. */
    private static final long[] SWEEP_DELAYS_MILLIS = {0, 50, 500, 3_000};

    private volatile @Nullable ActiveMQServer server;

    /** Marks a message that was delivered to a consumer. */
    private static final class DeliveredMarker {}

    private static final DeliveredMarker DELIVERED = new DeliveredMarker();

    /** Called by the broker. */
    public SingleDeliveryPlugin() {}

    @Override
    public void registered(ActiveMQServer guarded) {
        server = guarded;
    }

    private static boolean isConnectorCallQueue(Queue queue) {
        // Called for every message of every queue.
        return queue.getAddress().startsWith(PREFIX)
                && queue.getAddress().toString().endsWith(".calls");
    }

    @Override
    public boolean canAccept(ServerConsumer consumer, MessageReference call) {
        if (!isConnectorCallQueue(call.getQueue()) || call.getProtocolData(DeliveredMarker.class) == null) {
            return true;
        }
        scheduleSweep(call.getQueue(), 0);
        return false;
    }

    @Override
    public void beforeDeliver(ServerConsumer consumer, MessageReference call) {
        if (isConnectorCallQueue(call.getQueue())) {
            call.setProtocolData(DeliveredMarker.class, DELIVERED);
        }
    }

    @Override
    public void afterCloseConsumer(ServerConsumer consumer, boolean failed) {
        if (isConnectorCallQueue(consumer.getQueue())) {
            for (long millis : SWEEP_DELAYS_MILLIS) {
                scheduleSweep(consumer.getQueue(), millis);
            }
        }
    }

    private void scheduleSweep(Queue queue, long millis) {
        ActiveMQServer guarded = server;
        if (guarded == null) {
            return;
        }
        try {
            guarded.getScheduledPool().schedule(() -> deadLetterDelivered(queue), millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.log(Level.DEBUG, "The broker stops", e);
        }
    }

    private static void deadLetterDelivered(Queue queue) {
        List<Long> had = new ArrayList<>();
        try (LinkedListIterator<MessageReference> calls = queue.iterator()) {
            while (calls.hasNext()) {
                MessageReference call = calls.next();
                if (call.getProtocolData(DeliveredMarker.class) != null) {
                    had.add(call.getMessageID());
                }
            }
        }
        for (long id : had) {
            try {
                queue.sendMessageToDeadLetterAddress(id);
            } catch (Exception e) {
                LOG.log(
                        Level.WARNING,
                        "A call that its connector lost could not be moved from {0} to the dead" + " letters: {1}",
                        queue.getName(),
                        e);
            }
        }
    }
}
