package org.sallyport.sandbox.guest;

import org.graalvm.polyglot.Value;
import org.graalvm.polyglot.proxy.ProxyExecutable;
import org.jspecify.annotations.Nullable;

/**
 * The one host object in a context: a function of texts. Only the prelude holds it. Nothing thrown here reaches the
 * guest as it is.
 */
final class GuestBridge implements ProxyExecutable {
    /** What the prelude asks of its session; called on the session's turn. */
    @FunctionalInterface
    interface BridgeRequestHandler {
        /**
         * Does what is asked.
         *
         * @param what the request
         * @param with its further words; texts, and buffers of bytes where a request says so
         * @return a text, a number, or a value of the same context
         */
        Object handle(String what, BridgeArguments with);
    }

    /** What a request was made with. */
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

    /** The prelude knows it as the sign that a request failed; a thrown exception would show its class and words. */
    private static final boolean FAILED = false;

    private static final System.Logger LOG = System.getLogger(GuestBridge.class.getName());

    private volatile @Nullable BridgeRequestHandler handler;

    /** From now on the guest is heard; until then every request fails. */
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
        } catch (RuntimeException | StackOverflowError failure) {
            LOG.log(System.Logger.Level.DEBUG, "a request of the prelude failed", failure);
            return FAILED;
        }
    }
}
