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
 * Gives a call to one connector once. Without it, a call whose connector broke off may come back to its queue as if nobody had
 * had it, since the broker counts that delivery sometimes and sometimes not. What comes back goes to the dead letters of its
 * address at once, and until then to nobody.
 *
 * <p>Public with a constructor of its own, so that an external broker can load it.
 */
public final class SingleDeliveryPlugin implements ActiveMQServerPlugin {

    private static final Logger LOG = System.getLogger(SingleDeliveryPlugin.class.getName());
    private static final SimpleString PREFIX = SimpleString.of(ConnectorPermissions.ADDRESS_PREFIX);
    /** After a consumer has closed its messages are put back, which may take a moment. */
    private static final long[] SWEEP_DELAYS_MILLIS = {0, 50, 500, 3_000};

    private volatile @Nullable ActiveMQServer server;

    /** That somebody has had a message. */
    private static final class DeliveredMarker {}

    private static final DeliveredMarker DELIVERED = new DeliveredMarker();

    /** Called by the broker. */
    public SingleDeliveryPlugin() {}

    @Override
    public void registered(ActiveMQServer guarded) {
        server = guarded;
    }

    private static boolean isConnectorCallQueue(Queue queue) {
        // Asked for every message of every queue.
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
                LOG.log(Level.WARNING, "A call that its connector lost stays in {0}: {1}", queue.getName(), e);
            }
        }
    }
}
