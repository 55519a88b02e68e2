package org.sallyport.messaging;

/** The names of all destinations; {@code jms-config} creates the same ones, and a test compares them. */
public final class JmsDestinations {
    /** Queue: an execution waits for a runner. */
    public static final String JOBS = "sallyport.jobs";

    /** Topic: every node hears it. */
    public static final String CONTROL = "sallyport.control";

    /** Queue: what could not be delivered. */
    public static final String DEAD_LETTERS = "sallyport.dead-letters";

    /** Selects of {@link #DEAD_LETTERS} what was a job; the broker says in this property where a message was. */
    public static final String DEAD_JOB_SELECTOR = "_AMQ_ORIG_ADDRESS = '" + JOBS + "'";

    /** Queue: tool calls for backends of the kind {@code java}, which the service hosts itself. */
    public static final String JAVA_TOOLS = "sallyport.tool.java";

    /** Prefix of the queues with the calls for one backend each. */
    public static final String TOOL_PREFIX = "sallyport.tool.";

    /** Prefix of what lies between the service and the connectors of other processes. */
    public static final String EXTERNAL_PREFIX = "sallyport.external.";

    /** Topic: calls that a connector of another process had when it went away. */
    public static final String ABANDONED_CALLS = "sallyport.lost";

    /** Prefix of the reply queues, one for each incarnation of a node. */
    public static final String REPLY_PREFIX = "sallyport.reply.";

    /** The system property in which the resource adapter names this life of the process, before any listener is deployed. */
    public static final String INCARNATION_PROPERTY = "sallyport.node.incarnation";

    /**
     * The reply queue of this incarnation, for the resource adapter to resolve: inside an EAR the container reads names
     * before the adapter has started.
     */
    public static final String REPLY_QUEUE = REPLY_PREFIX + "{incarnation}";

    /** The resource adapter of listeners, for the container to resolve: named differently inside an EAR. */
    public static final String LISTENER_ADAPTER = "${MPCONFIG=sallyport.jms.listener-adapter:artemis}";

    /** The resource adapter of the connection factory, for the container to resolve: yet another name inside an EAR. */
    public static final String FACTORY_ADAPTER = "${MPCONFIG=sallyport.jms.factory-adapter:artemis}";

    /** Queue: the calls for the connector of {@code backend}, which runs elsewhere. */
    public static String externalCalls(String backend) {
        return EXTERNAL_PREFIX + backend + ".calls";
    }

    /** Topic: what the connectors of {@code backend} are told besides. */
    public static String externalCommands(String backend) {
        return EXTERNAL_PREFIX + backend + ".orders";
    }

    /** Topic: what the connectors of {@code backend} say of themselves. */
    public static String externalStatus(String backend) {
        return EXTERNAL_PREFIX + backend + ".registrations";
    }

    /** Queue: the answers of the connectors of {@code backend}, and of no other, to that life of a node. */
    public static String externalReplies(String backend, String life) {
        return EXTERNAL_PREFIX + backend + ".answers." + life;
    }

    private JmsDestinations() {}
}
