package org.sallyport.broker;

import java.util.Map;
import java.util.Objects;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.persistence.OperationContext;
import org.apache.activemq.artemis.core.postoffice.QueueBinding;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.ServerSession;
import org.apache.activemq.artemis.core.server.plugin.ActiveMQServerPlugin;
import org.apache.activemq.artemis.core.transaction.Transaction;
import org.apache.activemq.artemis.spi.core.protocol.RemotingConnection;
import org.apache.activemq.artemis.spi.core.protocol.SessionCallback;
import org.jspecify.annotations.Nullable;

/** Limits the broker resources of one connector: sessions, subscriptions, message size and queue names. */
final class ConnectorLimitsPlugin implements ActiveMQServerPlugin {

    static final int MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
    private static final int MAX_SESSIONS = 64;
    private static final int MAX_QUEUES = 32;

    private final BrokerSecurityManager accounts;
    private volatile @Nullable ActiveMQServer server;

    ConnectorLimitsPlugin(BrokerSecurityManager accounts) {
        this.accounts = accounts;
    }

    @Override
    public void registered(ActiveMQServer guarded) {
        server = guarded;
    }

    @Override
    public void beforeCreateSession(
            String name,
            @Nullable String user,
            int minLargeMessageSize,
            RemotingConnection connection,
            boolean autoCommitSends,
            boolean autoCommitAcks,
            boolean preAcknowledge,
            boolean xa,
            String defaultAddress,
            SessionCallback callback,
            boolean autoCreateQueues,
            OperationContext context,
            Map<SimpleString, RoutingType> prefixes)
            throws ActiveMQException {
        ActiveMQServer guarded = server;
        if (guarded != null
                && accounts.isConnector(user)
                && guarded.getSessions().stream()
                                .filter(session -> Objects.equals(user, session.getUsername()))
                                .count()
                        >= MAX_SESSIONS) {
            throw rejected("a connector may have at most " + MAX_SESSIONS + " sessions at one time");
        }
    }

    @Override
    public void beforeCreateQueue(QueueConfiguration queue) throws ActiveMQException {
        SimpleString creator = queue.getUser();
        String user = creator == null ? null : creator.toString();
        if (!accounts.isConnector(user)) {
            return;
        }
        if (String.valueOf(queue.getName()).startsWith("sallyport.")) {
            throw rejected("the name of a connector's queue must not begin with 'sallyport.'");
        }
        ActiveMQServer guarded = server;
        if (guarded != null
                && guarded.getPostOffice()
                                .getAllBindings()
                                .filter(QueueBinding.class::isInstance)
                                .filter(binding -> Objects.equals(
                                        creator,
                                        ((QueueBinding) binding).getQueue().getUser()))
                                .count()
                        >= MAX_QUEUES) {
            throw rejected("a connector may have at most " + MAX_QUEUES + " subscriptions at one time");
        }
    }

    @Override
    public void beforeSend(
            ServerSession session, @Nullable Transaction tx, Message message, boolean direct, boolean noAutoCreateQueue)
            throws ActiveMQException {
        if (session != null
                && accounts.isConnector(session.getUsername())
                && message.getWholeMessageSize() > MAX_MESSAGE_BYTES) {
            throw rejected("a message of a connector may have at most " + MAX_MESSAGE_BYTES + " bytes");
        }
    }

    private static ActiveMQException rejected(String why) {
        return new ActiveMQException(why);
    }
}
