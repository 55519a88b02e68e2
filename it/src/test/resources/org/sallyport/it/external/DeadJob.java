import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.api.core.client.ClientProducer;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ClientSessionFactory;
import org.apache.activemq.artemis.api.core.client.ServerLocator;

/**
 * Creates a dead letter like the broker does, but without the delay of some minutes. Arguments: URL, user, password,
 * execution.
 */
public final class DeadJob {
    public static void main(String[] args) throws Exception {
        try (ServerLocator locator = ActiveMQClient.createServerLocator(args[0]);
                ClientSessionFactory factory = locator.createSessionFactory();
                ClientSession session = factory.createSession(args[1], args[2], false, true, true, false, 1);
                ClientProducer producer = session.createProducer()) {
            ClientMessage message = session.createMessage(Message.TEXT_TYPE, false);
            message.getBodyBuffer()
                    .writeNullableSimpleString(SimpleString.of("{\"v\":1,\"id\":\"" + args[3]
                            + "\",\"tenant\":\"default\",\"priority\":4,\"attempt\":0}"));
            message.putStringProperty("_AMQ_ORIG_ADDRESS", "sallyport.jobs");
            producer.send("sallyport.dead-letters", message);
            System.out.println("sent");
        }
    }
}
