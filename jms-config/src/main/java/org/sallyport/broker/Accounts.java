package org.sallyport.broker;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Map;
import java.util.Set;
import org.apache.activemq.artemis.core.security.CheckType;
import org.apache.activemq.artemis.core.security.Role;
import org.apache.activemq.artemis.spi.core.security.ActiveMQSecurityManager;
import org.jspecify.annotations.Nullable;

/** Knows the accounts that may use the broker; each holds the role {@value #ROLE}. Unknown and nameless callers hold none. */
final class Accounts implements ActiveMQSecurityManager {

    static final String ROLE = "sallyport";

    private final Map<String, String> passwords;

    Accounts(Map<String, String> passwords) {
        this.passwords = Map.copyOf(passwords);
    }

    @Override
    public boolean validateUser(@Nullable String user, @Nullable String password) {
        String expected = user == null ? null : passwords.get(user);
        return expected != null
                && password != null
                && MessageDigest.isEqual(
                        expected.getBytes(StandardCharsets.UTF_8), password.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public boolean validateUserAndRole(
            @Nullable String user, @Nullable String password, Set<Role> roles, CheckType check) {
        return validateUser(user, password)
                && roles.stream().anyMatch(role -> role.getName().equals(ROLE) && check.hasRole(role));
    }
}
