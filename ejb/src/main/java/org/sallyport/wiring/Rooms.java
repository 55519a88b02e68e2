package org.sallyport.wiring;

import org.sallyport.access.Keys;
import org.sallyport.artifact.ArtifactStore;
import org.sallyport.bridge.JmsToolBridge;
import org.sallyport.catalog.Catalog;
import org.sallyport.configuration.Configuration;
import org.sallyport.connector.Backends;
import org.sallyport.connector.ConnectorHost;
import org.sallyport.event.EventBus;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.Waiting;
import org.sallyport.journal.Journal;
import org.sallyport.messaging.MessageSender;
import org.sallyport.runner.Canceller;
import org.sallyport.runner.DeadLetters;
import org.sallyport.runner.LeaseKeeper;
import org.sallyport.runner.Runner;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.submission.Reception;

/** What the house gives to those who are not built by it. */
record Rooms(
        Configuration configuration,
        Keys keys,
        Catalog catalog,
        ExecutionStore store,
        Journal journal,
        ArtifactStore artifacts,
        EventBus events,
        Waiting waiting,
        Sandbox sandbox,
        MessageSender sender,
        JmsToolBridge bridge,
        ConnectorHost connectors,
        Backends backends,
        Runner runner,
        LeaseKeeper lease,
        DeadLetters deadLetters,
        Canceller canceller,
        Reception reception) {}
