package org.sallyport.messaging;

/** The names of all destinations; {@code jms-config} creates the same ones, and a test compares them. */
public final class JmsDestinations {
    /** Queue: executions that wait for a runner. */
    public static final String JOBS = "sallyport.jobs";

    /** Topic: broadcasts to all nodes. */
    public static final String CONTROL = "sallyport.control";

    /** Queue: messages that could not be delivered. */
    public static final String DEAD_LETTERS = "sallyport.dead-letters";

    /**
     * Selects the jobs in {@link #DEAD_LETTERS}; the broker stores the original address of a message in this property.
     */
    public static final String DEAD_JOB_SELECTOR = "_AMQ_ORIG_ADDRESS = '" + JOBS + "'";

    /** Queue: tool calls for backends of the kind {@code java}, which the service hosts itself. */
    public static final String JAVA_TOOLS = "sallyport.tool.java";

    /** Prefix of the queues that hold the calls of one backend each. */
    public static final String TOOL_PREFIX = "sallyport.tool.";

    /** Prefix of the destinations between the service and external connectors. */
    public static final String EXTERNAL_PREFIX = "sallyport.external.";

    /** Topic: calls that an external connector held when it disappeared. */
    public static final String ABANDONED_CALLS = "sallyport.abandoned-calls";

    /** Prefix of the reply queues, one for each node incarnation. */
    public static final String REPLY_PREFIX = "sallyport.reply.";

    /**
     * System property with the name of this incarnation; the resource adapter sets it before any listener is deployed.
     */
    public static final String INCARNATION_PROPERTY = "sallyport.node.incarnation";

    /**
     * The reply queue of this incarnation, resolved by the resource adapter: inside an EAR the container reads names
     * before the adapter has started.
     */
    public static final String REPLY_QUEUE = REPLY_PREFIX + "{incarnation}";

    /** Resource adapter of the listeners, resolved by the container: it has another name inside an EAR. */
    public static final String LISTENER_ADAPTER = "${MPCONFIG=sallyport.jms.listener-adapter:artemis}";

    /** Resource adapter of the connection factory, resolved by the container: it has a third name inside an EAR. */
    public static final String FACTORY_ADAPTER = "${MPCONFIG=sallyport.jms.factory-adapter:artemis}";

    /** Queue: the calls for the external connectors of {@code backend}. */
    public static String externalCalls(String backend) {
        return EXTERNAL_PREFIX + backend + ".calls";
    }

    /** Topic: the commands to the external connectors of {@code backend}. */
    public static String externalCommands(String backend) {
        return EXTERNAL_PREFIX + backend + ".commands";
    }

    /** Topic: the status messages of the external connectors of {@code backend}. */
    public static String externalStatus(String backend) {
        return EXTERNAL_PREFIX + backend + ".status";
    }

    /** Queue: the replies of the connectors of {@code backend}, and of no other backend, to one node incarnation. */
    public static String externalReplies(String backend, String incarnation) {
        return EXTERNAL_PREFIX + backend + ".replies." + incarnation;
    }

    private JmsDestinations() {}
}
