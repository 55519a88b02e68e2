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
public final class OneDelivery implements ActiveMQServerPlugin {

    private static final Logger LOG = System.getLogger(OneDelivery.class.getName());
    private static final SimpleString PREFIX = SimpleString.of(ConnectorRights.PREFIX);
    /** After a consumer has closed its messages are put back, which may take a moment. */
    private static final long[] LOOKS_MILLIS = {0, 50, 500, 3_000};

    private volatile @Nullable ActiveMQServer server;

    /** That somebody has had a message. */
    private static final class Had {}

    private static final Had HAD = new Had();

    /** Called by the broker. */
    public OneDelivery() {}

    @Override
    public void registered(ActiveMQServer guarded) {
        server = guarded;
    }

    private static boolean concerns(Queue queue) {
        // Asked for every message of every queue.
        return queue.getAddress().startsWith(PREFIX)
                && queue.getAddress().toString().endsWith(".calls");
    }

    @Override
    public boolean canAccept(ServerConsumer consumer, MessageReference call) {
        if (!concerns(call.getQueue()) || call.getProtocolData(Had.class) == null) {
            return true;
        }
        later(call.getQueue(), 0);
        return false;
    }

    @Override
    public void beforeDeliver(ServerConsumer consumer, MessageReference call) {
        if (concerns(call.getQueue())) {
            call.setProtocolData(Had.class, HAD);
        }
    }

    @Override
    public void afterCloseConsumer(ServerConsumer consumer, boolean failed) {
        if (concerns(consumer.getQueue())) {
            for (long millis : LOOKS_MILLIS) {
                later(consumer.getQueue(), millis);
            }
        }
    }

    private void later(Queue queue, long millis) {
        ActiveMQServer guarded = server;
        if (guarded == null) {
            return;
        }
        try {
            guarded.getScheduledPool().schedule(() -> sortOut(queue), millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.log(Level.DEBUG, "The broker stops", e);
        }
    }

    private static void sortOut(Queue queue) {
        List<Long> had = new ArrayList<>();
        try (LinkedListIterator<MessageReference> calls = queue.iterator()) {
            while (calls.hasNext()) {
                MessageReference call = calls.next();
                if (call.getProtocolData(Had.class) != null) {
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
