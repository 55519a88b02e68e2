package org.sallyport.bench.row;

import org.sallyport.bench.floor.BareJdbc;
import org.sallyport.bench.floor.BareJms;
import org.sallyport.bench.service.Client;
import org.sallyport.bench.service.Service;

/** The service under test, and the bare things that it is compared with. */
public record TestBed(Service service, Client client, BareJdbc jdbc, BareJms jms) {}
