package org.sallyport.connector.external;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import org.sallyport.connector.BackendConnection;
import org.sallyport.connector.BackendRegistry;
import org.sallyport.messaging.ConnectorCommand;
import org.sallyport.messaging.ToolRequestMessage;
import org.sallyport.redaction.Redactor;

/** An external backend whose connector registers and does not answer calls, without a broker. */
public final class SilentConnectorFixture {
    private static final Duration HEARTBEAT_TIMEOUT = Duration.ofHours(1);

    private SilentConnectorFixture() {}

    /**
     * Opens the connection to the backend.
     *
     * @param tools the tools that the connector registers, as a JSON array
     * @param taken whether the connector takes calls from its queue; if not, the service can take them back
     * @param onCall runs when a call is sent
     */
    public static BackendConnection open(
            String name,
            String tools,
            boolean taken,
            Runnable onCall,
            BackendConnection.ConnectionListener listener,
            BackendRegistry.BackendExecutors executors) {
        return new ExternalBackend(
                name,
                HEARTBEAT_TIMEOUT,
                listener,
                new SilentConnectorChannel(
                        "{\"v\":1,\"register\":{\"instance\":\"i1\",\"revision\":\"1\",\"tools\":" + tools + "}}",
                        taken,
                        onCall),
                new AlwaysEnabledAccount(),
                executors,
                new TimeSource(InstantSource.system(), System::nanoTime),
                new SecureRandom());
    }

    /** Registers the connector when it is opened. */
    private record SilentConnectorChannel(String registration, boolean taken, Runnable onCall)
            implements ConnectorChannel {

        @Override
        public void open(ChannelReceiver receiver) {
            receiver.onStatusMessage(() -> registration);
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void sendCall(String correlation, ToolRequestMessage request, long worthMillis) {
            onCall.run();
        }

        @Override
        public void sendCommand(ConnectorCommand command) {}

        @Override
        public boolean retractCall(String correlation) {
            return !taken;
        }

        @Override
        public void close() {}
    }

    private static final class AlwaysEnabledAccount implements ConnectorAccount {
        @Override
        public Redactor enable() {
            return Redactor.NONE;
        }

        @Override
        public void disable() {}
    }
}
