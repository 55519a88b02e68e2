package org.sallyport.broker;

import jakarta.resource.ResourceException;
import jakarta.resource.spi.ConnectionEventListener;
import jakarta.resource.spi.ConnectionRequestInfo;
import jakarta.resource.spi.LocalTransaction;
import jakarta.resource.spi.ManagedConnection;
import jakarta.resource.spi.ManagedConnectionMetaData;
import java.io.PrintWriter;
import javax.security.auth.Subject;
import javax.transaction.xa.XAResource;
import org.jspecify.annotations.Nullable;

/** A pooled connection that disregards the user offered by the container, as its factory does. */
record SallyportManagedConnection(ManagedConnection artemis) implements ManagedConnection {

    @Override
    public Object getConnection(@Nullable Subject offered, ConnectionRequestInfo info) throws ResourceException {
        return artemis.getConnection(null, info);
    }

    @Override
    public void destroy() throws ResourceException {
        artemis.destroy();
    }

    @Override
    public void cleanup() throws ResourceException {
        artemis.cleanup();
    }

    @Override
    public void associateConnection(Object connection) throws ResourceException {
        artemis.associateConnection(connection);
    }

    @Override
    public void addConnectionEventListener(ConnectionEventListener listener) {
        artemis.addConnectionEventListener(listener);
    }

    @Override
    public void removeConnectionEventListener(ConnectionEventListener listener) {
        artemis.removeConnectionEventListener(listener);
    }

    @Override
    public XAResource getXAResource() throws ResourceException {
        return artemis.getXAResource();
    }

    @Override
    public LocalTransaction getLocalTransaction() throws ResourceException {
        return artemis.getLocalTransaction();
    }

    @Override
    public ManagedConnectionMetaData getMetaData() throws ResourceException {
        return artemis.getMetaData();
    }

    @Override
    public void setLogWriter(PrintWriter writer) throws ResourceException {
        artemis.setLogWriter(writer);
    }

    @Override
    public PrintWriter getLogWriter() throws ResourceException {
        return artemis.getLogWriter();
    }
}
