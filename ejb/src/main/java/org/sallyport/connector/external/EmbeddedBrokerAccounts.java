package org.sallyport.connector.external;

import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanException;
import javax.management.ObjectName;
import javax.management.RuntimeMBeanException;

/** Manages accounts of the embedded broker, which runs in this process behind another class loader, over JMX. */
public final class EmbeddedBrokerAccounts implements ConnectorAccounts {
    private static final String MBEAN_NAME = "org.sallyport:type=ConnectorAccounts";
    private static final String STRING_TYPE = String.class.getName();

    @Override
    public void addAccount(String backend, String password) {
        try {
            invoke("admit", new Object[] {backend, password}, new String[] {STRING_TYPE, STRING_TYPE});
        } catch (InstanceNotFoundException e) {
            throw new IllegalStateException(
                    "no connector can reach the broker: sallyport.connectors.listen-address says where it listens for "
                            + "them",
                    e);
        } catch (RuntimeMBeanException e) {
            throw new IllegalStateException(e.getTargetException().getMessage(), e);
        } catch (MBeanException e) {
            throw new IllegalStateException(e.getTargetException().getMessage(), e);
        } catch (JMException e) {
            throw new IllegalStateException("the broker did not confirm the account of a connector", e);
        }
    }

    @Override
    public void removeAccount(String backend) {
        try {
            invoke("dismiss", new Object[] {backend}, new String[] {STRING_TYPE});
        } catch (InstanceNotFoundException e) {
            // There is no broker with accounts, so that no account has to be removed.
        } catch (JMException | RuntimeException e) {
            System.getLogger(EmbeddedBrokerAccounts.class.getName())
                    .log(
                            Level.WARNING,
                            "the connector of " + backend + " may still connect: its account could not be"
                                    + " removed from the broker",
                            e);
        }
    }

    private static void invoke(String operation, Object[] arguments, String[] types) throws JMException {
        ManagementFactory.getPlatformMBeanServer().invoke(new ObjectName(MBEAN_NAME), operation, arguments, types);
    }
}
