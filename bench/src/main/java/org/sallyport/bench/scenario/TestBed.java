package org.sallyport.bench.scenario;

import org.sallyport.bench.floor.BareJdbc;
import org.sallyport.bench.floor.BareJms;
import org.sallyport.bench.service.BenchmarkClient;
import org.sallyport.bench.service.ServiceUnderTest;

/** The service under test and the baselines. */
public record TestBed(ServiceUnderTest service, BenchmarkClient client, BareJdbc jdbc, BareJms jms) {}
