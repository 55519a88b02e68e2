package org.sallyport.it.hostile;

import java.util.Locale;

/** Where the scripts of a service run. */
enum Mode {
    WORKER,
    INPROCESS;

    /** The value of {@code sallyport.sandbox.mode}. */
    String setting() {
        return name().toLowerCase(Locale.ROOT);
    }
}
