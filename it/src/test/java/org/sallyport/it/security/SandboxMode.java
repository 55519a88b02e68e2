package org.sallyport.it.security;

import java.util.Locale;

/** The process in which a service runs its scripts. */
enum SandboxMode {
    WORKER,
    INPROCESS;

    /** The value of {@code sallyport.sandbox.mode}. */
    String settingValue() {
        return name().toLowerCase(Locale.ROOT);
    }
}
