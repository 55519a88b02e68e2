package org.sallyport.runner;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.inject.Inject;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;
import java.lang.System.Logger.Level;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.PendingJob;
import org.sallyport.messaging.BadMessageException;
import org.sallyport.messaging.Destinations;
import org.sallyport.messaging.JobMessage;
import org.sallyport.submission.JobDispatch;

/** Takes jobs: claims the execution, starts it, and is free again; the message is acknowledged after the claim. */
@MessageDriven(
        name = "ExecutionListener",
        activationConfig = {
            @ActivationConfigProperty(propertyName = "resourceAdapter", propertyValue = Destinations.LISTENER_ADAPTER),
            @ActivationConfigProperty(propertyName = "destination", propertyValue = Destinations.JOBS),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "4"),
            @ActivationConfigProperty(propertyName = "acknowledgeMode", propertyValue = "Auto-acknowledge")
        })
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class ExecutionListener implements MessageListener {
    @Inject
    Runner runner;

    @Inject
    JobDispatch dispatch;

    @Inject
    DeadLetters letters;

    @Override
    public void onMessage(Message message) {
        try {
            PendingJob job = JobMessage.decode(message.getBody(String.class)).job();
            dispatch.taken(job);
            run(job.id());
        } catch (BadMessageException | JMSException e) {
            System.getLogger(ExecutionListener.class.getName())
                    .log(Level.WARNING, "dropped a message that is no job: {0}", e.getMessage());
        }
    }

    private void run(ExecutionId id) {
        try {
            runner.run(id);
        } catch (RuntimeException e) {
            letters.failed(id, e);
            throw e;
        }
    }
}
