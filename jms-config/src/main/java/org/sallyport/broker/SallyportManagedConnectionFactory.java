package org.sallyport.broker;

import jakarta.resource.ResourceException;
import jakarta.resource.spi.ConnectionEvent;
import jakarta.resource.spi.ConnectionEventListener;
import jakarta.resource.spi.ConnectionManager;
import jakarta.resource.spi.ConnectionRequestInfo;
import jakarta.resource.spi.ManagedConnection;
import jakarta.resource.spi.ManagedConnectionFactory;
import jakarta.resource.spi.ResourceAdapter;
import jakarta.resource.spi.ResourceAdapterAssociation;
import java.io.PrintWriter;
import java.lang.System.Logger.Level;
import java.util.Set;
import javax.security.auth.Subject;
import org.apache.activemq.artemis.ra.ActiveMQRAManagedConnectionFactory;
import org.jspecify.annotations.Nullable;

/**
 * Creates connections for the application, always with the account of the resource adapter and without the container's
 * pool. The application keeps its few connections open itself and needs no pool. The container closes its pools before
 * it stops the application, which must still answer tool calls at that time.
 */
public final class SallyportManagedConnectionFactory implements ManagedConnectionFactory, ResourceAdapterAssociation {

    private static final long serialVersionUID = 1L;

    private final ActiveMQRAManagedConnectionFactory artemis = new ActiveMQRAManagedConnectionFactory();

    /** Called by the container. */
    public SallyportManagedConnectionFactory() {}

    @Override
    public Object createConnectionFactory(ConnectionManager pool) throws ResourceException {
        return artemis.createConnectionFactory(new UnpooledConnectionManager(artemis));
    }

    @Override
    public Object createConnectionFactory() throws ResourceException {
        return artemis.createConnectionFactory(new UnpooledConnectionManager(artemis));
    }

    @Override
    public ManagedConnection createManagedConnection(@Nullable Subject offered, ConnectionRequestInfo info)
            throws ResourceException {
        return artemis.createManagedConnection(null, info);
    }

    @Override
    @SuppressWarnings("rawtypes") // As the interface has it.
    public @Nullable ManagedConnection matchManagedConnections(
            Set connections, @Nullable Subject offered, ConnectionRequestInfo info) throws ResourceException {
        return artemis.matchManagedConnections(connections, null, info);
    }

    @Override
    public void setLogWriter(PrintWriter writer) throws ResourceException {
        artemis.setLogWriter(writer);
    }

    @Override
    public PrintWriter getLogWriter() throws ResourceException {
        return artemis.getLogWriter();
    }

    @Override
    public ResourceAdapter getResourceAdapter() {
        return artemis.getResourceAdapter();
    }

    @Override
    public void setResourceAdapter(ResourceAdapter adapter) throws ResourceException {
        artemis.setResourceAdapter(adapter);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SallyportManagedConnectionFactory that && artemis.equals(that.artemis);
    }

    @Override
    public int hashCode() {
        return artemis.hashCode();
    }

    /** Creates a connection for each request and destroys it when it is closed. */
    private record UnpooledConnectionManager(ActiveMQRAManagedConnectionFactory artemis) implements ConnectionManager {

        @Override
        public Object allocateConnection(ManagedConnectionFactory asked, ConnectionRequestInfo info)
                throws ResourceException {
            ManagedConnection connection = artemis.createManagedConnection(null, info);
            connection.addConnectionEventListener(new DestroyOnCloseListener(connection));
            return connection.getConnection(null, info);
        }
    }

    /** The user of a failed connection receives the failure and closes it. */
    private record DestroyOnCloseListener(ManagedConnection connection) implements ConnectionEventListener {

        @Override
        public void connectionClosed(ConnectionEvent event) {
            try {
                connection.destroy();
            } catch (ResourceException e) {
                System.getLogger(DestroyOnCloseListener.class.getName())
                        .log(Level.DEBUG, "a connection to the broker did not close cleanly", e);
            }
        }

        @Override
        public void connectionErrorOccurred(ConnectionEvent event) {
            // See the class comment.
        }

        @Override
        public void localTransactionStarted(ConnectionEvent event) {
            // The application uses no local transactions with its broker.
        }

        @Override
        public void localTransactionCommitted(ConnectionEvent event) {
            // The application uses no local transactions with its broker.
        }

        @Override
        public void localTransactionRolledback(ConnectionEvent event) {
            // The application uses no local transactions with its broker.
        }
    }
}
