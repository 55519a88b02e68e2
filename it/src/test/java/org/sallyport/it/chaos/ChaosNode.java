package org.sallyport.it.chaos;

import org.sallyport.it.harness.FailpointControl;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;

/**
 * A node that the test may kill.
 *
 * @param failpoints arms the failpoints of the node
 * @param api a client of the node with a key that is valid at all nodes
 */
record ChaosNode(SallyportServer server, FailpointControl failpoints, RestClient api) {}
