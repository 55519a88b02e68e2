package org.sallyport.messaging;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.sallyport.tool.CallId;

/** What the connectors of a backend that run elsewhere are told besides their calls, on {@link JmsDestinations#externalCommands}. */
public sealed interface ConnectorCommand {

    /**
     * "Nobody waits for this call any more."
     *
     * @param call the call
     */
    record CancelCallCommand(CallId call) implements ConnectorCommand {}

    /** "Whoever is there: register." */
    record RegisterCommand() implements ConnectorCommand {}

    /**
     * "What you registered was not taken."
     *
     * @param instance who is meant
     * @param reason what is wrong with it
     */
    record RegistrationRefusedCommand(String instance, String reason) implements ConnectorCommand {}

    /** Version 1: {@code {"v":1,"withdraw"}}, {@code {"v":1,"register":true}} or {@code {"v":1,"refused":{"instance","reason"}}}. */
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
