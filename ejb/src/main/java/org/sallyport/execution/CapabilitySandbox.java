package org.sallyport.execution;

import java.util.Optional;
import java.util.stream.Stream;

/** Where the executions of a capability run, if its publisher chose that. */
public enum CapabilitySandbox {
    /** In a process of its own, apart from the server. */
    PROCESS("process"),
    /** In the process of the server. */
    IN_PROCESS("in-process");

    private final String text;

    CapabilitySandbox(String text) {
        this.text = text;
    }

    /** Returns the name that clients use. */
    public String text() {
        return text;
    }

    /** Returns the mode of this name, if there is one. */
    public static Optional<CapabilitySandbox> of(String text) {
        return Stream.of(values()).filter(mode -> mode.text.equals(text)).findFirst();
    }
}
