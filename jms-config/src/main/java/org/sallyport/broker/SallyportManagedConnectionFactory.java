package org.sallyport.broker;

import jakarta.resource.ResourceException;
import jakarta.resource.spi.ConnectionManager;
import jakarta.resource.spi.ConnectionRequestInfo;
import jakarta.resource.spi.ManagedConnection;
import jakarta.resource.spi.ManagedConnectionFactory;
import jakarta.resource.spi.ResourceAdapter;
import jakarta.resource.spi.ResourceAdapterAssociation;
import java.io.PrintWriter;
import java.util.Set;
import javax.security.auth.Subject;
import org.apache.activemq.artemis.ra.ActiveMQRAManagedConnectionFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes connections for the application, always with the account of the resource adapter. A container that knows no
 * user for a pool offers the empty one instead of none; Artemis would take that for the user's name.
 */
public final class SallyportManagedConnectionFactory implements ManagedConnectionFactory, ResourceAdapterAssociation {

    private static final long serialVersionUID = 1L;

    private final ActiveMQRAManagedConnectionFactory artemis = new ActiveMQRAManagedConnectionFactory();

    /** Called by the container. */
    public SallyportManagedConnectionFactory() {}

    @Override
    public Object createConnectionFactory(ConnectionManager manager) throws ResourceException {
        return artemis.createConnectionFactory(new OnBehalf(this, manager));
    }

    @Override
    public Object createConnectionFactory() throws ResourceException {
        return artemis.createConnectionFactory();
    }

    @Override
    public ManagedConnection createManagedConnection(@Nullable Subject offered, ConnectionRequestInfo info)
            throws ResourceException {
        return new SallyportManagedConnection(artemis.createManagedConnection(null, info));
    }

    @Override
    @SuppressWarnings("rawtypes") // As the interface has it.
    public @Nullable ManagedConnection matchManagedConnections(
            Set connections, @Nullable Subject offered, ConnectionRequestInfo info) throws ResourceException {
        for (Object candidate : connections) {
            if (candidate instanceof SallyportManagedConnection connection
                    && artemis.matchManagedConnections(Set.of(connection.artemis()), null, info) != null) {
                return connection;
            }
        }
        return null;
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

    /** The container's pool, asked in the name of the factory that it knows. */
    private record OnBehalf(SallyportManagedConnectionFactory factory, ConnectionManager pool)
            implements ConnectionManager {

        @Override
        public Object allocateConnection(ManagedConnectionFactory asked, ConnectionRequestInfo info)
                throws ResourceException {
            return pool.allocateConnection(factory, info);
        }
    }
}
