package org.sallyport.it.hostile;

import java.util.Locale;

/** Where the scripts of a service run. */
enum SandboxMode {
    WORKER,
    INPROCESS;

    /** The value of {@code sallyport.sandbox.mode}. */
    String settingValue() {
        return name().toLowerCase(Locale.ROOT);
    }
}
