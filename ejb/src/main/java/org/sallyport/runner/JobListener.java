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
import org.sallyport.execution.ExecutionJob;
import org.sallyport.messaging.JmsDestinations;
import org.sallyport.messaging.JobMessage;
import org.sallyport.messaging.MalformedMessageException;
import org.sallyport.submission.JobDispatcher;

/**
 * Receives jobs. Claims and starts the execution, and returns without waiting for its end. The message is acknowledged
 * after the claim.
 */
@MessageDriven(
        name = "JobListener",
        activationConfig = {
            @ActivationConfigProperty(
                    propertyName = "resourceAdapter",
                    propertyValue = JmsDestinations.LISTENER_ADAPTER),
            @ActivationConfigProperty(propertyName = "destination", propertyValue = JmsDestinations.JOBS),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "4"),
            @ActivationConfigProperty(propertyName = "acknowledgeMode", propertyValue = "Auto-acknowledge")
        })
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class JobListener implements MessageListener {
    @Inject
    ExecutionRunner runner;

    @Inject
    JobDispatcher dispatch;

    @Inject
    DeadLetterHandler deadLetters;

    @Override
    public void onMessage(Message message) {
        try {
            ExecutionJob job = JobMessage.decode(message.getBody(String.class)).job();
            dispatch.jobConsumed(job);
            run(job.id());
        } catch (MalformedMessageException | JMSException e) {
            System.getLogger(JobListener.class.getName())
                    .log(Level.WARNING, "dropped an invalid job message: {0}", e.getMessage());
        }
    }

    private void run(ExecutionId id) {
        try {
            runner.run(id);
        } catch (RuntimeException e) {
            deadLetters.recordFailure(id, e);
            throw e;
        }
    }
}
