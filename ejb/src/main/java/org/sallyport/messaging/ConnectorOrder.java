package org.sallyport.messaging;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.sallyport.tool.CallId;

/** What the connectors of a backend that run elsewhere are told besides their calls, on {@link Destinations#externalOrders}. */
public sealed interface ConnectorOrder {

    /**
     * "Nobody waits for this call any more."
     *
     * @param call the call
     */
    record Withdraw(CallId call) implements ConnectorOrder {}

    /** "Whoever is there: register." */
    record Register() implements ConnectorOrder {}

    /**
     * "What you registered was not taken."
     *
     * @param instance who is meant
     * @param reason what is wrong with it
     */
    record Refused(String instance, String reason) implements ConnectorOrder {}

    /** Version 1: {@code {"v":1,"withdraw"}}, {@code {"v":1,"register":true}} or {@code {"v":1,"refused":{"instance","reason"}}}. */
    default String encode() {
        ObjectNode json = MessageJson.object();
        if (this instanceof Withdraw withdraw) {
            json.put("withdraw", withdraw.call().toString());
        } else if (this instanceof Register) {
            json.put("register", true);
        } else if (this instanceof Refused refused) {
            json.putObject("refused").put("instance", refused.instance()).put("reason", refused.reason());
        }
        return json.toString();
    }
}
