package org.sallyport.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BrokerSecurityManagerTest {
    private static final String CONNECTOR = "files";
    private static final String FIRST = "first password";
    private static final String SECOND = "second password";

    private final BrokerSecurityManager accounts = new BrokerSecurityManager(Map.of("ann", "secret"));
    private final List<String> actions = new ArrayList<>();

    /** Records what the broker is told, with the passwords that are valid at that moment. */
    private final class RecordingControl implements BrokerSecurityManager.ConnectionControl {
        @Override
        public void clearCaches() {
            actions.add("clear " + validPasswords());
        }

        @Override
        public void closeConnections(String user) {
            actions.add("close " + user + " " + validPasswords());
        }
    }

    private List<String> validPasswords() {
        return List.of(FIRST, SECOND).stream()
                .filter(password -> accounts.authenticate(CONNECTOR, password, null, null) != null)
                .toList();
    }

    @BeforeEach
    void recordActions() {
        accounts.setConnectionControl(new RecordingControl());
    }

    @Test
    void connectorOfANewAccountIsNotDisconnected() {
        accounts.admit(CONNECTOR, FIRST);
        accounts.admit(CONNECTOR, FIRST);

        assertThat(actions).containsExactly("clear [first password]");
    }

    @Test
    void connectionsAreClosedWhileNoPasswordIsValid() {
        accounts.admit(CONNECTOR, FIRST);
        actions.clear();

        accounts.admit(CONNECTOR, SECOND);

        assertThat(actions).containsExactly("clear []", "close files []", "clear [second password]");
    }

    @Test
    void removedAccountIsDisconnectedOnce() {
        accounts.admit(CONNECTOR, FIRST);
        actions.clear();

        accounts.dismiss(CONNECTOR);
        accounts.dismiss(CONNECTOR);

        assertThat(actions).containsExactly("clear []", "close files []");
    }
}
