package org.sallyport.sandbox.guest;

import org.graalvm.polyglot.Context;
import org.graalvm.polyglot.Value;

/**
 * A context in which the prelude has run and nothing else.
 *
 * @param bridge what the prelude speaks to; to be attached to a session
 * @param preludeApi what the prelude gave back: the functions that run a script and settle its calls
 */
record PrewarmedContext(Context context, GuestBridge bridge, Value preludeApi) {
    static PrewarmedContext of(GuestEngine engine) {
        Context context = engine.newContext();
        GuestBridge bridge = new GuestBridge();
        return new PrewarmedContext(
                context, bridge, engine.evaluatePrelude(context).execute(bridge));
    }
}
