package org.sallyport.broker;

import java.util.UUID;

/** The name of the node's incarnation. It changes with each start, so that no reply reaches the wrong incarnation. */
final class NodeIncarnation {

    /** System property that the application reads. A value that was set before the start is kept. */
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
