package org.sallyport.wiring;

import java.nio.file.Path;
import org.sallyport.configuration.Configuration;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.guest.InProcessSandbox;

/** Opens the configured sandbox. */
final class Sandboxes {
    private Sandboxes() {}

    static Sandbox open(Configuration configuration, Path data) {
        return new InProcessSandbox(2);
    }
}
