package org.sallyport.web.api;

import jakarta.inject.Inject;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.annotation.WebListener;
import org.sallyport.submission.ScheduledBatchService;

/** Gives the service the reader of the rows of schedules when the web application starts. */
@WebListener
public class ScheduledRowsReaderRegistration implements ServletContextListener {
    @Inject
    ScheduledBatchService batches;

    @Inject
    BatchReader reader;

    @Override
    public void contextInitialized(ServletContextEvent event) {
        batches.useReader(new ScheduledRowsBodyReader(reader));
    }
}
