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
 * Knows the accounts that may use the broker: those of the service, which hold the role {@value #ROLE}, and one for the
 * connector of each backend that has one, named as the backend, which may do what {@link ConnectorRights} says. Unknown and
 * nameless callers get nothing. Thread-safe.
 */
final class Accounts implements ActiveMQSecurityManager5, ConnectorAccountsMXBean {

    static final String ROLE = "sallyport";

    private static final Logger LOG = System.getLogger(Accounts.class.getName());

    private final Map<String, String> passwords;
    private final Map<String, String> connectors = new ConcurrentHashMap<>();
    private volatile Consumer<String> expel = user -> {};

    Accounts(Map<String, String> passwords) {
        this.passwords = Map.copyOf(passwords);
    }

    /** @param expel ends the connections of that user */
    void expelling(Consumer<String> expel) {
        this.expel = expel;
    }

    @Override
    public void admit(String backend, String password) {
        if (passwords.containsKey(backend)) {
            throw new IllegalArgumentException("the service itself uses the name '" + backend + "' at the broker");
        }
        String before = connectors.put(backend, password);
        if (before == null || !same(before, password)) {
            putOut(backend);
        }
    }

    @Override
    public void dismiss(String backend) {
        if (connectors.remove(backend) != null) {
            putOut(backend);
        }
    }

    private void putOut(String user) {
        try {
            expel.accept(user);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "The connections of connector {0} could not be ended: {1}", user, e.getMessage());
        }
    }

    @Override
    public @Nullable Subject authenticate(
            @Nullable String user,
            @Nullable String password,
            @Nullable RemotingConnection connection,
            @Nullable String domain) {
        // The broker takes principals of its own classes only.
        return user != null && validateUser(user, password)
                ? new Subject(true, Set.of(new UserPrincipal(user)), Set.of(), Set.of())
                : null;
    }

    private static boolean same(String one, String other) {
        return MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }

    /** Whether that user is a connector. */
    boolean isConnector(@Nullable String user) {
        return user != null && connectors.containsKey(user) && !passwords.containsKey(user);
    }

    @Override
    public boolean authorize(Subject subject, Set<Role> roles, CheckType check, String address) {
        // Together with a queue's name the address of that queue comes before it.
        int queue = address.indexOf("::");
        String plain = queue < 0 ? address : address.substring(0, queue);
        return subject.getPrincipals(UserPrincipal.class).stream()
                .map(UserPrincipal::getName)
                .anyMatch(user -> isConnector(user)
                        ? ConnectorRights.allow(user, check, plain)
                        : passwords.containsKey(user) && inRole(roles, check));
    }

    private static boolean inRole(Set<Role> roles, CheckType check) {
        return roles.stream().anyMatch(role -> role.getName().equals(ROLE) && check.hasRole(role));
    }

    @Override
    public boolean validateUser(@Nullable String user, @Nullable String password) {
        if (user == null || password == null) {
            return false;
        }
        String own = passwords.get(user);
        String expected = own == null ? connectors.get(user) : own;
        return expected != null && same(expected, password);
    }

    /** Without an address nothing can be said of a connector. */
    @Override
    public boolean validateUserAndRole(
            @Nullable String user, @Nullable String password, Set<Role> roles, CheckType check) {
        return validateUser(user, password) && !isConnector(user) && inRole(roles, check);
    }
}
