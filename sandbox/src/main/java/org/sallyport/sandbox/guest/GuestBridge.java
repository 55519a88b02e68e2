package org.sallyport.sandbox.guest;

import org.graalvm.polyglot.Value;
import org.graalvm.polyglot.proxy.ProxyExecutable;
import org.jspecify.annotations.Nullable;

/**
 * The only host object in a context: a function that the prelude calls with texts. Only the prelude holds it.
 * Exceptions thrown here never reach the guest unchanged.
 */
final class GuestBridge implements ProxyExecutable {
    /** Handles the requests of the prelude; called on the thread that runs the turn of the session. */
    @FunctionalInterface
    interface BridgeRequestHandler {
        /**
         * Handles one request.
         *
         * @param what name of the request
         * @param with the further arguments: texts, and buffers of bytes where a request says so
         * @return a text, a number, or a value of the same context
         */
        Object handle(String what, BridgeArguments with);
    }

    /** The arguments of a request; the first is its name. */
    record BridgeArguments(Value... values) {
        String text(int index) {
            return values[index].asString();
        }

        int number(int index) {
            return Integer.parseInt(text(index));
        }

        Value value(int index) {
            return values[index];
        }
    }

    /** Tells the prelude that a request failed; a thrown exception would expose its class and message. */
    private static final boolean FAILED = false;

    private static final System.Logger LOG = System.getLogger(GuestBridge.class.getName());

    private final Runnable stackOverflowListener;
    private volatile @Nullable BridgeRequestHandler handler;

    /** @param stackOverflowed called when the stack of the thread has ended in a request */
    GuestBridge(Runnable stackOverflowed) {
        stackOverflowListener = stackOverflowed;
    }

    /** Connects the bridge to its session. Before that, every request fails. */
    void attach(BridgeRequestHandler session) {
        handler = session;
    }

    @Override
    public Object execute(Value... values) {
        BridgeRequestHandler session = handler;
        if (session == null) {
            return FAILED;
        }
        try {
            BridgeArguments words = new BridgeArguments(values);
            return session.handle(words.text(0), words);
        } catch (StackOverflowError failure) {
            stackOverflowListener.run();
            return FAILED;
        } catch (RuntimeException failure) {
            LOG.log(System.Logger.Level.DEBUG, "a call from the script library (prelude) failed", failure);
            return FAILED;
        }
    }
}
