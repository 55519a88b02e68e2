package org.sallyport.sandbox.guest;

import org.graalvm.polyglot.Value;
import org.graalvm.polyglot.proxy.ProxyExecutable;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.OutputStreamKind;

/**
 * The one host object in a context: a function of texts. Only the prelude holds it. Nothing thrown here reaches the
 * guest as it is.
 */
final class GuestBridge implements ProxyExecutable {
    /** What the prelude asks of its session; called on the session's turn. */
    interface Host {
        /** Begins a call; its ordinal, or {@code !} and why not. */
        String call(String backend, String tool, String arguments);

        void print(OutputStreamKind stream, String text);

        /** Starts a timer; empty, or why not. */
        String startTimer(int id, double millis, boolean repeat);

        void clearTimer(int id);

        /** JSON text of a backend's tools. */
        String menu(String backend);

        /** JSON text of {@code args} or {@code context}. */
        String input(String name);

        /** A part of the prelude that is read on demand. */
        Value part(String name);

        /** A stack trace with the author's own lines. */
        String stack(String text);

        void returned(String result);

        void threw(String code, String message, String stack, String tool, long call);

        void resultTooLarge();
    }

    /** The prelude knows it as the sign that a request failed; a thrown exception would show its class and words. */
    private static final boolean FAILED = false;

    private static final System.Logger LOG = System.getLogger(GuestBridge.class.getName());

    private volatile @Nullable Host host;

    /** From now on the guest is heard; until then every request fails. */
    void attach(Host session) {
        host = session;
    }

    @Override
    public Object execute(Value... values) {
        Host session = host;
        if (session == null) {
            return FAILED;
        }
        try {
            return switch (text(values, 0)) {
                case "call" -> session.call(text(values, 1), text(values, 2), text(values, 3));
                case "timer" ->
                    session.startTimer(
                            Integer.parseInt(text(values, 1)),
                            Double.parseDouble(text(values, 2)),
                            text(values, 3).equals("repeat"));
                case "menu" -> session.menu(text(values, 1));
                case "input" -> session.input(text(values, 1));
                case "part" -> session.part(text(values, 1));
                case "stack" -> session.stack(text(values, 1));
                default -> {
                    tell(session, values);
                    yield "";
                }
            };
        } catch (RuntimeException | StackOverflowError failure) {
            LOG.log(System.Logger.Level.DEBUG, "a request of the prelude failed", failure);
            return FAILED;
        }
    }

    private static void tell(Host host, Value... values) {
        switch (text(values, 0)) {
            case "print" ->
                host.print(
                        text(values, 1).equals("err") ? OutputStreamKind.ERR : OutputStreamKind.OUT, text(values, 2));
            case "clear" -> host.clearTimer(Integer.parseInt(text(values, 1)));
            case "done" -> host.returned(text(values, 1));
            case "threw" ->
                host.threw(
                        text(values, 1),
                        text(values, 2),
                        text(values, 3),
                        text(values, 4),
                        Long.parseLong(text(values, 5)));
            case "too-large" -> host.resultTooLarge();
            default -> throw new IllegalArgumentException();
        }
    }

    private static String text(Value[] values, int index) {
        return values[index].asString();
    }
}
