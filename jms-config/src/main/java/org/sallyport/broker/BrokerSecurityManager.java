package org.sallyport.broker;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import javax.security.auth.Subject;
import org.apache.activemq.artemis.core.security.CheckType;
import org.apache.activemq.artemis.core.security.Role;
import org.apache.activemq.artemis.spi.core.protocol.RemotingConnection;
import org.apache.activemq.artemis.spi.core.security.ActiveMQSecurityManager5;
import org.apache.activemq.artemis.spi.core.security.jaas.UserPrincipal;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates and authorizes the accounts of the broker: those of the service, which have the role {@value #ROLE},
 * and one for the connector of each backend that has one, named like the backend, with the permissions of
 * {@link ConnectorPermissions}. Denies unknown and anonymous users everything. Thread-safe.
 */
final class BrokerSecurityManager implements ActiveMQSecurityManager5, ConnectorAccountsMXBean {

    static final String ROLE = "sallyport";

    private static final Logger LOG = System.getLogger(BrokerSecurityManager.class.getName());

    private final Map<String, String> servicePasswords;
    private final Map<String, String> connectorPasswords = new ConcurrentHashMap<>();
    private volatile ConnectionControl connections = ConnectionControl.NONE;

    /** The broker's control of its connections. */
    interface ConnectionControl {
        ConnectionControl NONE = new ConnectionControl() {
            @Override
            public void clearCaches() {}

            @Override
            public void closeConnections(String user) {}
        };

        /** Makes the broker authenticate and authorize each user again instead of using an earlier answer. */
        void clearCaches();

        void closeConnections(String user);
    }

    BrokerSecurityManager(Map<String, String> passwords) {
        this.servicePasswords = Map.copyOf(passwords);
    }

    void setConnectionControl(ConnectionControl control) {
        this.connections = control;
    }

    /**
     * Closes connections before the new password is valid, so that a connector that uses it at once is not
     * disconnected.
     */
    @Override
    public synchronized void admit(String backend, String password) {
        if (servicePasswords.containsKey(backend)) {
            throw new IllegalArgumentException("the service itself uses the name '" + backend + "' at the broker");
        }
        String before = connectorPasswords.get(backend);
        if (before != null && constantTimeEquals(before, password)) {
            return;
        }
        dismiss(backend);
        connectorPasswords.put(backend, password);
        // The broker may have cached that it refused this user.
        control(backend, ConnectionControl::clearCaches);
    }

    @Override
    public synchronized void dismiss(String backend) {
        if (connectorPasswords.remove(backend) != null) {
            control(backend, ConnectionControl::clearCaches);
            control(backend, each -> each.closeConnections(backend));
        }
    }

    private void control(String backend, Consumer<ConnectionControl> action) {
        try {
            action.accept(connections);
        } catch (RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "The broker could not be told of the changed account of connector {0}: {1}",
                    backend,
                    e.getMessage());
        }
    }

    @Override
    public @Nullable Subject authenticate(
            @Nullable String user,
            @Nullable String password,
            @Nullable RemotingConnection connection,
            @Nullable String domain) {
        // The broker accepts only principals of its own classes.
        return user != null && validateUser(user, password)
                ? new Subject(true, Set.of(new UserPrincipal(user)), Set.of(), Set.of())
                : null;
    }

    private static boolean constantTimeEquals(String one, String other) {
        return MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns whether the user is a connector. */
    boolean isConnector(@Nullable String user) {
        return user != null && connectorPasswords.containsKey(user) && !servicePasswords.containsKey(user);
    }

    @Override
    public boolean authorize(Subject subject, Set<Role> roles, CheckType check, String address) {
        // A qualified queue name starts with the address of the queue.
        int queue = address.indexOf("::");
        String plain = queue < 0 ? address : address.substring(0, queue);
        return subject.getPrincipals(UserPrincipal.class).stream()
                .map(UserPrincipal::getName)
                .anyMatch(user -> isConnector(user)
                        ? ConnectorPermissions.isAllowed(user, check, plain)
                        : servicePasswords.containsKey(user) && inRole(roles, check));
    }

    private static boolean inRole(Set<Role> roles, CheckType check) {
        return roles.stream().anyMatch(role -> role.getName().equals(ROLE) && check.hasRole(role));
    }

    @Override
    public boolean validateUser(@Nullable String user, @Nullable String password) {
        if (user == null || password == null) {
            return false;
        }
        String own = servicePasswords.get(user);
        String expected = own == null ? connectorPasswords.get(user) : own;
        return expected != null && constantTimeEquals(expected, password);
    }

    /** Without an address, the permissions of a connector cannot be determined. */
    @Override
    public boolean validateUserAndRole(
            @Nullable String user, @Nullable String password, Set<Role> roles, CheckType check) {
        return validateUser(user, password) && !isConnector(user) && inRole(roles, check);
    }
}
