package org.sallyport.messaging;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.sallyport.tool.CallId;

/** Command to the external connectors of a backend, sent on {@link JmsDestinations#externalCommands}. */
public sealed interface ConnectorCommand {

    /**
     * The caller of a call no longer waits for its reply.
     *
     * @param call the call to cancel
     */
    record CancelCallCommand(CallId call) implements ConnectorCommand {}

    /** Asks all running connectors of the backend to register. */
    record RegisterCommand() implements ConnectorCommand {}

    /**
     * The service did not accept a connector's registration.
     *
     * @param instance the connector instance that sent the registration
     * @param reason why the registration was refused
     */
    record RegistrationRefusedCommand(String instance, String reason) implements ConnectorCommand {}

    /**
     * Encodes version 1: {@code {"v":1,"withdraw"}}, {@code {"v":1,"register":true}} or
     * {@code {"v":1,"refused":{"instance","reason"}}}.
     */
    default String encode() {
        ObjectNode json = MessageJson.newMessage();
        if (this instanceof CancelCallCommand withdraw) {
            json.put("withdraw", withdraw.call().toString());
        } else if (this instanceof RegisterCommand) {
            json.put("register", true);
        } else if (this instanceof RegistrationRefusedCommand refused) {
            json.putObject("refused").put("instance", refused.instance()).put("reason", refused.reason());
        }
        return json.toString();
    }
}
