package org.sallyport.broker;

import java.util.UUID;

/** The name of this life of the node: another after each start, so that no reply reaches the wrong life. */
final class NodeIncarnation {

    /** Where the application reads it. Whoever sets it before the start has chosen the name. */
    static final String PROPERTY = "sallyport.node.incarnation";

    private NodeIncarnation() {}

    static synchronized String name() {
        String name = System.getProperty(PROPERTY);
        if (name == null) {
            name = UUID.randomUUID().toString().replace("-", "");
            System.setProperty(PROPERTY, name);
        }
        return name;
    }
}
