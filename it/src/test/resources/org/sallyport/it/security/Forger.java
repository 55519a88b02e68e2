import java.io.ByteArrayOutputStream;
import java.io.ObjectOutputStream;
import java.util.HashMap;
import java.util.List;
import java.util.UUID;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.api.core.client.ClientProducer;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ClientSessionFactory;
import org.apache.activemq.artemis.api.core.client.ServerLocator;

/**
 * A foreign client of the message broker. Without a password the broker refuses it; with a password it sends messages
 * that might break the service. Run from its source with the broker's libraries. Arguments: URL, user, password, reply
 * queue, id of an execution.
 */
public final class Forger {
    private static final List<String> TEXTS = List.of(
            "",
            "null",
            "[]",
            "{",
            "not JSON",
            "{\"v\":1}",
            "{\"v\":99,\"result\":\"1\"}",
            "{\"v\":1,\"id\":\"../../x\",\"tenant\":{}}",
            "{\"v\":1,\"result\":\"{not json\",\"queueMillis\":-1,\"backendMillis\":1e99}",
            "{\"v\":1,\"result\":\"\\\"forged\\\"\",\"queueMillis\":0,\"backendMillis\":0}",
            "{\"v\":1,\"cancel\":\"" + UUID.randomUUID() + "\"}",
            "[".repeat(100_000),
            "\"" + "x".repeat(5_000_000) + "\"");

    public static void main(String[] args) throws Exception {
        try (ServerLocator locator = ActiveMQClient.createServerLocator(args[0]);
                ClientSessionFactory factory = locator.createSessionFactory()) {
            for (String[] account :
                    new String[][] {{null, null}, {"sallyport", "guess"}, {"admin", "admin"}, {args[1], ""}}) {
                try {
                    factory.createSession(account[0], account[1], false, true, true, false, 1)
                            .close();
                    System.out.println("let in " + account[0]);
                } catch (ActiveMQException refused) {
                    System.out.println("refused");
                }
            }
            try (ClientSession session = factory.createSession(args[1], args[2], false, true, true, false, 1);
                    ClientProducer producer = session.createProducer()) {
                int sent = 0;
                for (String address : List.of(args[3], "sallyport.jobs", "sallyport.control", "sallyport.tool.java")) {
                    for (String text : TEXTS) {
                        for (String correlation : new String[] {
                            null, "", "x", UUID.randomUUID().toString(), args[4] + "/999", "x".repeat(20_000)
                        }) {
                            producer.send(address, text(session, text, correlation));
                            sent++;
                        }
                    }
                    producer.send(address, object(session, args[4] + "/1"));
                    producer.send(address, properties(session));
                    producer.send(address, session.createMessage(Message.BYTES_TYPE, false));
                    producer.send(address, session.createMessage(Message.MAP_TYPE, false));
                    producer.send(address, session.createMessage((byte) 77, false));
                    sent += 5;
                }
                System.out.println("sent " + sent);
            }
        }
    }

    private static ClientMessage text(ClientSession session, String text, String correlation) {
        ClientMessage message = session.createMessage(Message.TEXT_TYPE, false);
        message.getBodyBuffer().writeNullableSimpleString(SimpleString.of(text));
        if (correlation != null) {
            message.putStringProperty("JMSCorrelationID", correlation);
        }
        return message;
    }

    private static ClientMessage object(ClientSession session, String correlation) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            HashMap<Object, Object> map = new HashMap<>();
            map.put(new java.net.URL("http://127.0.0.1:1/"), "x");
            out.writeObject(map);
        }
        ClientMessage message = session.createMessage(Message.OBJECT_TYPE, false);
        message.getBodyBuffer().writeInt(bytes.size());
        message.getBodyBuffer().writeBytes(bytes.toByteArray());
        message.putStringProperty("JMSCorrelationID", correlation);
        return message;
    }

    private static ClientMessage properties(ClientSession session) {
        ClientMessage message = session.createMessage(Message.TEXT_TYPE, false);
        for (int i = 0; i < 300; i++) {
            message.putStringProperty("p" + i, "x".repeat(100));
        }
        return message;
    }
}
