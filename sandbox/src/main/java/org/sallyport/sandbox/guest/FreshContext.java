package org.sallyport.sandbox.guest;

import org.graalvm.polyglot.Context;
import org.graalvm.polyglot.Value;

/**
 * A context in which the prelude has run and nothing else.
 *
 * @param bridge what the prelude speaks to; to be attached to a session
 * @param api what the prelude gave back: the functions that run a script and settle its calls
 */
record FreshContext(Context context, GuestBridge bridge, Value api) {
    static FreshContext of(GuestEngine engine) {
        Context context = engine.newContext();
        GuestBridge bridge = new GuestBridge();
        return new FreshContext(context, bridge, engine.prelude(context).execute(bridge));
    }
}
