package org.sallyport.sandbox.guest;

import org.graalvm.polyglot.Context;
import org.graalvm.polyglot.Value;

/**
 * A context in which only the prelude has run.
 *
 * @param bridge the host function that the prelude calls; must be attached to a session
 * @param preludeApi the functions that the prelude returned, which run a script and settle its calls
 */
record PrewarmedContext(Context context, GuestBridge bridge, Value preludeApi) {
    static PrewarmedContext of(GuestEngine engine) {
        Context context = engine.newContext();
        GuestBridge bridge = new GuestBridge(engine::reportStackOverflow);
        return new PrewarmedContext(
                context, bridge, engine.evaluatePrelude(context).execute(bridge));
    }
}
